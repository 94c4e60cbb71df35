package eval

import (
	"fmt"
	"strings"
)

// MaxConfusion is the number of classes up to which Metrics has the confusion matrix.
const MaxConfusion = 1000

// Metrics returns the figures of e by name: numbers (float64, int64), lists of numbers with one for each class or
// output, and the text of Evaluation's confusion matrix. Names are short forms of Deeplearning4j's methods. An average
// over classes has the suffix _Macro or _Micro. A list has _per_class if there is also one figure for all classes. An
// evaluation of a single output has numbers instead of lists. Without data there are no figures. The confusion matrix
// is left out if there are more than MaxConfusion classes.
func Metrics(e Evaluator) map[string]any {
	switch e := e.(type) {
	case *Evaluation:
		return e.figures()
	case *EvaluationBinary:
		return e.figures()
	case *ROC:
		if e.examples == 0 {
			return nil
		}
		return map[string]any{"auc": e.AUC(), "aucpr": e.AUCPR(), "countActualPositive": e.positives,
			"countActualNegative": e.negatives}
	case *ROCBinary:
		return e.figures()
	case *ROCMultiClass:
		return e.figures()
	case *RegressionEvaluation:
		return e.figures()
	case *EvaluationCalibration:
		return e.figures()
	}
	return nil
}

func each[T any](n int, figure func(int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = figure(i)
	}
	return out
}

func (e *Evaluation) figures() map[string]any {
	if e.rows == 0 {
		return nil
	}
	n, tallies := e.Classes(), e.tallies()
	classes := func(m metric) []float64 {
		return each(n, func(c int) float64 { x, _ := m(tallies[c]); return x })
	}
	m := map[string]any{"accuracy": e.Accuracy(), "precision": e.Precision(), "recall": e.Recall(), "f1": e.F1(),
		"mcc": e.MatthewsCorrelationAverage(Macro), "gmeasure": e.GMeasureAverage(Macro),
		"falseAlarmRate":      e.FalseAlarmRate(),
		"precision_per_class": classes(tally.precision), "recall_per_class": classes(tally.recall),
		"f1_per_class":  classes(fBeta(1)),
		"mcc_per_class": classes(tally.matthewsCorrelation), "gmeasure_per_class": classes(tally.gMeasure),
		"fbeta2_per_class": classes(fBeta(2))}
	if n <= MaxConfusion {
		m["confusion_actual_by_predicted"] = each(n*n, func(i int) int64 { return e.Count(i/n, i%n) })
		m["confusionToString"] = e.ConfusionToString()
	}
	for suffix, a := range map[string]Averaging{"_Macro": Macro, "_Micro": Micro} {
		m["precision"+suffix], m["recall"+suffix], m["f1"+suffix] = e.PrecisionAverage(a), e.RecallAverage(a), e.F1Average(a)
		m["mcc"+suffix], m["gmeasure"+suffix] = e.MatthewsCorrelationAverage(a), e.GMeasureAverage(a)
		m["fpr"+suffix], m["fnr"+suffix] = e.FalsePositiveRateAverage(a), e.FalseNegativeRateAverage(a)
	}
	if e.TopN > 1 {
		m["topNAccuracy"] = e.TopNAccuracy()
	}
	return m
}

func (e *EvaluationBinary) figures() map[string]any {
	n := e.Outputs()
	if n == 0 {
		return nil
	}
	m := map[string]any{}
	for name, f := range map[string]func(int) float64{"Accuracy": e.Accuracy, "F1": e.F1, "Precision": e.Precision,
		"Recall": e.Recall, "MCC": e.MatthewsCorrelation, "GMeasure": e.GMeasure, "FalseAlarmRate": e.FalseAlarmRate} {
		m["average"+name] = e.Average(f)
		name = strings.ToLower(name[:1]) + name[1:]
		if name == "mCC" || name == "gMeasure" {
			name = strings.ToLower(name)
		}
		m[name] = single(each(n, f))
	}
	m["fpr"], m["fnr"] = single(each(n, e.FalsePositiveRate)), single(each(n, e.FalseNegativeRate))
	m["tp"], m["fp"] = single(each(n, e.TruePositives)), single(each(n, e.FalsePositives))
	m["tn"], m["fn"] = single(each(n, e.TrueNegatives)), single(each(n, e.FalseNegatives))
	m["count"] = single(each(n, e.Count))
	if e.ROC != nil {
		m["auc"], m["aucpr"] = single(each(n, e.ROC.AUC)), single(each(n, e.ROC.AUCPR))
	}
	return m
}

// single returns a list, or its element if it has only one.
func single[T any](list []T) any {
	if len(list) == 1 {
		return list[0]
	}
	return list
}

func (e *ROCs) figures() map[string]any {
	n := e.Outputs()
	if n == 0 {
		return nil
	}
	return map[string]any{"auc": each(n, e.AUC), "aucpr": each(n, e.AUCPR), "averageAuc": e.Average(e.AUC),
		"averageAucpr":        e.Average(e.AUCPR),
		"countActualPositive": each(n, func(i int) int64 { return e.of[i].positives }),
		"countActualNegative": each(n, func(i int) int64 { return e.of[i].negatives })}
}

func (e *RegressionEvaluation) figures() map[string]any {
	if e.of == nil {
		return nil
	}
	m := map[string]any{}
	for name, f := range map[string]func(int) float64{"mse": e.MeanSquaredError, "mae": e.MeanAbsoluteError,
		"rmse": e.RootMeanSquaredError, "rse": e.RelativeSquaredError, "pearson": e.PearsonCorrelation, "r2": e.RSquared} {
		m[name], m["avg_"+name] = each(len(e.of), f), e.Average(f)
	}
	return m
}

func (e *EvaluationCalibration) figures() map[string]any {
	if e.classes == 0 {
		return nil
	}
	m := map[string]any{"labelCounts": e.LabelCounts(), "predictionCounts": e.PredictionCounts(),
		"residual_hist_all": e.ResidualPlotAllClasses().Counts, "prob_hist_all": e.ProbabilityHistogramAllClasses().Counts}
	for c := range e.classes {
		d := e.ReliabilityDiagram(c)
		m[fmt.Sprintf("reliability_meanPredicted_%d", c)] = d.MeanPredicted
		m[fmt.Sprintf("reliability_fractionPositives_%d", c)] = d.FractionPositives
		m[fmt.Sprintf("residual_hist_%d", c)] = e.ResidualPlot(c).Counts
		m[fmt.Sprintf("prob_hist_%d", c)] = e.ProbabilityHistogram(c).Counts
	}
	return m
}
