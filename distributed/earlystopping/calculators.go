package earlystopping

import (
	"context"
	"strings"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
)

// Calculator scores a network after an epoch (Deeplearning4j: ScoreCalculator). Your own calculators implement it. A
// Calculator may also be a [Fitter].
type Calculator interface {
	// Validate checks the settings.
	Validate() error
	// Score returns the network's score.
	Score(ctx context.Context, net Network) (float64, error)
	// Minimize reports whether lower scores are better.
	Minimize() bool
}

// Fitter is a [Calculator] that cannot score every network.
type Fitter interface {
	// Fits returns an error if the network can't be scored. Training does not begin then.
	Fits(net Network) error
}

// Network is the part of a network that calculators need. A *[distributed.Network] of any kind implements it.
type Network interface {
	Score(ctx context.Context, d *distributed.Data, average, regularization bool, batch int) (score float64,
		examples int, err error)
	DoEvaluation(ctx context.Context, d *distributed.Data, o distributed.EvaluationOptions,
		evals ...eval.Evaluator) ([]eval.Evaluator, error)
	Reconstructor(layer string) (*nn.Reconstructor, error)
	EvaluateReconstruction(ctx context.Context, d *distributed.Data, layer string,
		batch int) (*eval.RegressionEvaluation, error)
	ReconstructionLogProbability(ctx context.Context, d *distributed.Data, layer string, samples int, seed uint64,
		batch int) (*distributed.Scores, error)
}

// Loss is the network's loss on held-out data, with the regularisation's part r (Deeplearning4j: DataSetLossCalculator,
// DataSetLossCalculatorCG, SparkDataSetLossCalculator, SparkLossCalculatorComputationGraph). It is the mean over the n
// examples, Σ loss/n + r, or with Total the sum, Σ loss + n·r. Lower is better.
//
// Deeplearning4j adds r to the score of each minibatch, with the same result.
type Loss struct {
	Data  *distributed.Data
	Total bool
	Batch int // examples at once; 0 is the network's default
}

// Validate requires data.
func (c Loss) Validate() error { return hasData("Loss", c.Data) }

// Score returns the loss.
func (c Loss) Score(ctx context.Context, net Network) (float64, error) {
	mean, n, err := net.Score(ctx, c.Data, true, true, c.Batch)
	if c.Total {
		mean *= float64(n)
	}
	return mean, err
}

// Minimize returns true.
func (Loss) Minimize() bool { return true }

// ClassificationMetric is a figure of eval.Evaluation (Deeplearning4j: Evaluation.Metric).
type ClassificationMetric string

// The figures of an Evaluation. GMeasure and MCC are means over the classes.
const (
	Accuracy  ClassificationMetric = "ACCURACY"
	F1        ClassificationMetric = "F1"
	Precision ClassificationMetric = "PRECISION"
	Recall    ClassificationMetric = "RECALL"
	GMeasure  ClassificationMetric = "GMEASURE"
	MCC       ClassificationMetric = "MCC"
)

var ofClasses = map[ClassificationMetric]func(*eval.Evaluation) float64{
	Accuracy: (*eval.Evaluation).Accuracy, F1: (*eval.Evaluation).F1,
	Precision: (*eval.Evaluation).Precision, Recall: (*eval.Evaluation).Recall,
	GMeasure: func(e *eval.Evaluation) float64 { return e.GMeasureAverage(eval.Macro) },
	MCC:      func(e *eval.Evaluation) float64 { return e.MatthewsCorrelationAverage(eval.Macro) },
}

// Classification is a figure of the network's Evaluation on held-out data (Deeplearning4j:
// ClassificationScoreCalculator). Higher is better.
type Classification struct {
	Data   *distributed.Data
	Metric ClassificationMetric
	Batch  int // examples at once; 0 is the network's default
}

// Validate requires data and a metric.
func (c Classification) Validate() error {
	if ofClasses[c.Metric] == nil {
		return wrong("Classification.Metric", "%q is none of ACCURACY, F1, PRECISION, RECALL, GMEASURE, MCC", c.Metric)
	}
	return hasData("Classification", c.Data)
}

// Score returns the figure.
func (c Classification) Score(ctx context.Context, net Network) (float64, error) {
	return evaluated(ctx, net, c.Data, c.Batch, eval.NewEvaluation(0), ofClasses[c.Metric])
}

// Minimize returns false.
func (Classification) Minimize() bool { return false }

// RegressionMetric is a figure of eval.RegressionEvaluation (Deeplearning4j: RegressionEvaluation.Metric).
type RegressionMetric string

// The figures of a RegressionEvaluation, means over the outputs. For errors, lower is better; for the Pearson
// correlation and the coefficient of determination, higher is better.
const (
	MSE  RegressionMetric = "MSE"
	MAE  RegressionMetric = "MAE"
	RMSE RegressionMetric = "RMSE"
	RSE  RegressionMetric = "RSE"
	PC   RegressionMetric = "PC"
	R2   RegressionMetric = "R2"
)

var ofNumbers = map[RegressionMetric]func(e *eval.RegressionEvaluation, column int) float64{
	MSE: (*eval.RegressionEvaluation).MeanSquaredError, MAE: (*eval.RegressionEvaluation).MeanAbsoluteError,
	RMSE: (*eval.RegressionEvaluation).RootMeanSquaredError, RSE: (*eval.RegressionEvaluation).RelativeSquaredError,
	PC: (*eval.RegressionEvaluation).PearsonCorrelation, R2: (*eval.RegressionEvaluation).RSquared,
}

// Regression is a figure of the network's RegressionEvaluation on held-out data (Deeplearning4j:
// RegressionScoreCalculator).
type Regression struct {
	Data   *distributed.Data
	Metric RegressionMetric
	Batch  int // examples at once; 0 is the network's default
}

// Validate requires data and a metric.
func (c Regression) Validate() error {
	if ofNumbers[c.Metric] == nil {
		return wrong("Regression.Metric", "%q is none of MSE, MAE, RMSE, RSE, PC, R2", c.Metric)
	}
	return hasData("Regression", c.Data)
}

// Score returns the figure.
func (c Regression) Score(ctx context.Context, net Network) (float64, error) {
	return evaluated(ctx, net, c.Data, c.Batch, eval.NewRegressionEvaluation(),
		func(e *eval.RegressionEvaluation) float64 {
			return e.Average(func(column int) float64 { return ofNumbers[c.Metric](e, column) })
		})
}

// Minimize returns true for errors.
func (c Regression) Minimize() bool { return c.Metric != PC && c.Metric != R2 }

func evaluated[E eval.Evaluator](ctx context.Context, net Network, d *distributed.Data, batch int, e E,
	figure func(E) float64) (float64, error) {
	out, err := net.DoEvaluation(ctx, d, distributed.EvaluationOptions{Batch: batch}, e)
	if err != nil {
		return 0, err
	}
	return figure(out[0].(E)), nil
}

func hasData(calculator string, d *distributed.Data) error {
	if d == nil {
		return wrong(calculator+".Data", "there is none to score the network on")
	}
	return nil
}

// ROCType chooses the kind of ROC (Deeplearning4j: ROCScoreCalculator.ROCType).
type ROCType string

// ROCSingle is for one output, or two outputs for two classes (Deeplearning4j: ROCType.ROC). ROCBinary is for each
// output by itself. ROCMultiClass is for each class against the rest.
const (
	ROCSingle     ROCType = "ROC"
	ROCBinary     ROCType = "BINARY"
	ROCMultiClass ROCType = "MULTICLASS"
)

// ROCMetric is an area (Deeplearning4j: ROCScoreCalculator.Metric).
type ROCMetric string

// AUC is the area under the ROC curve, AUPRC the area under the curve of precision and recall. If there are several
// curves, it is their mean.
const (
	AUC   ROCMetric = "AUC"
	AUPRC ROCMetric = "AUPRC"
)

// ROC is an area of the network's ROC on held-out data (Deeplearning4j: ROCScoreCalculator). Higher is better.
type ROC struct {
	Data   *distributed.Data
	Type   ROCType
	Metric ROCMetric // AUC if empty
	// ThresholdSteps is the number of equal steps of the threshold. 0 is exact, as Deeplearning4j always is.
	ThresholdSteps int
	Batch          int // examples at once; 0 is the network's default
}

// Validate requires data, a type and a metric.
func (c ROC) Validate() error {
	switch c.Type {
	case ROCSingle, ROCBinary, ROCMultiClass:
	default:
		return wrong("ROC.Type", "%q is none of ROC, BINARY, MULTICLASS", c.Type)
	}
	if c.Metric != "" && c.Metric != AUC && c.Metric != AUPRC {
		return wrong("ROC.Metric", "%q is none of AUC, AUPRC%s", c.Metric, spelling(string(c.Metric)))
	}
	if c.ThresholdSteps < 0 {
		return wrong("ROC.ThresholdSteps", "%d: it must not be negative", c.ThresholdSteps)
	}
	return hasData("ROC", c.Data)
}

func spelling(metric string) string {
	if strings.EqualFold(metric, "AUCPR") {
		return "; did you mean AUPRC?"
	}
	return ""
}

// Score returns the area.
func (c ROC) Score(ctx context.Context, net Network) (float64, error) {
	area := (*eval.ROCs).AUC
	if c.Metric == AUPRC {
		area = (*eval.ROCs).AUCPR
	}
	mean := func(e *eval.ROCs) float64 {
		return e.Average(func(output int) float64 { return area(e, output) })
	}
	switch c.Type {
	case ROCBinary:
		return evaluated(ctx, net, c.Data, c.Batch, eval.NewROCBinary(c.ThresholdSteps),
			func(e *eval.ROCBinary) float64 { return mean(&e.ROCs) })
	case ROCMultiClass:
		return evaluated(ctx, net, c.Data, c.Batch, eval.NewROCMultiClass(c.ThresholdSteps),
			func(e *eval.ROCMultiClass) float64 { return mean(&e.ROCs) })
	}
	return evaluated(ctx, net, c.Data, c.Batch, eval.NewROC(c.ThresholdSteps), func(e *eval.ROC) float64 {
		if c.Metric == AUPRC {
			return e.AUCPR()
		}
		return e.AUC()
	})
}

// Minimize returns false.
func (ROC) Minimize() bool { return false }
