package eval

import "math"

// Averaging says how the figures of the classes are combined.
type Averaging int

const (
	// Macro is the mean over the classes, all with the same weight.
	Macro Averaging = iota
	// Micro is the figure of the sum of the classes' counts.
	Micro
)

// tally holds the counts of one class against the rest, or sums of them.
type tally struct{ tp, fp, tn, fn int64 }

// ratio returns a/(a+b), and whether it is defined; if not, it is 0.
func ratio(a, b int64) (float64, bool) {
	if a+b == 0 {
		return 0, false
	}
	return float64(a) / float64(a+b), true
}

func (t tally) precision() (float64, bool)         { return ratio(t.tp, t.fp) }
func (t tally) recall() (float64, bool)            { return ratio(t.tp, t.fn) }
func (t tally) falsePositiveRate() (float64, bool) { return ratio(t.fp, t.tn) }
func (t tally) falseNegativeRate() (float64, bool) { return ratio(t.fn, t.tp) }

// fBeta is (1+β²)·precision·recall/(β²·precision + recall).
func (t tally) fBeta(beta float64) (float64, bool) {
	p, okP := t.precision()
	r, okR := t.recall()
	if p == 0 || r == 0 {
		return 0, okP && okR
	}
	return (1 + beta*beta) * p * r / (beta*beta*p + r), true
}

func (t tally) gMeasure() (float64, bool) {
	p, _ := t.precision()
	r, _ := t.recall()
	return math.Sqrt(p * r), true
}

func (t tally) matthewsCorrelation() (float64, bool) {
	tp, fp, tn, fn := float64(t.tp), float64(t.fp), float64(t.tn), float64(t.fn)
	return (tp*tn - fp*fn) / math.Sqrt((tp+fp)*(tp+fn)*(tn+fp)*(tn+fn)), true
}

// metric is a figure of a tally, and whether a macro average includes it.
type metric func(tally) (float64, bool)

func fBeta(beta float64) metric { return func(t tally) (float64, bool) { return t.fBeta(beta) } }

// always makes macro averages include undefined figures, as 0.
func always(m metric) metric {
	return func(t tally) (float64, bool) {
		x, _ := m(t)
		return x, true
	}
}

// tallies returns the counts of every class.
func (e *Evaluation) tallies() []tally {
	t := make([]tally, len(e.Labels))
	for c, n := range e.counts {
		if c.actual == c.predicted {
			t[c.actual].tp += n
		} else {
			t[c.actual].fn += n
			t[c.predicted].fp += n
		}
	}
	for i := range t {
		t[i].tn = e.rows - t[i].tp - t[i].fp - t[i].fn
	}
	return t
}

func (e *Evaluation) of(class int, m metric) float64 {
	x, _ := m(e.tallies()[class])
	return x
}

func (e *Evaluation) average(a Averaging, m metric) float64 {
	x, _ := e.averaged(a, m)
	return x
}

// averaged returns an average, and the number of classes that a macro average had to leave out.
func (e *Evaluation) averaged(a Averaging, m metric) (x float64, excluded int) {
	var sum tally
	mean, defined := 0.0, 0
	for _, t := range e.tallies() {
		sum = tally{sum.tp + t.tp, sum.fp + t.fp, sum.tn + t.tn, sum.fn + t.fn}
		if x, ok := m(t); ok {
			mean += x
			defined++
		} else {
			excluded++
		}
	}
	if a == Micro {
		x, _ = m(sum)
		return x, 0
	}
	if e.rows == 0 {
		return 0, excluded
	}
	return mean / float64(defined), excluded
}

// binary reports whether figures are those of the positive class.
func (e *Evaluation) binary() bool { return e.BinaryPositiveClass != nil && len(e.Labels) == 2 }

func (e *Evaluation) overall(m metric) float64 {
	if e.binary() {
		return e.of(*e.BinaryPositiveClass, m)
	}
	return e.average(Macro, m)
}

// Commonest returns the share of the commonest class among the labels, and the share of the class that is predicted
// most. Both are NaN without rows.
func Commonest(e *Evaluation) (label, predicted float64) {
	labels, predictions := map[int]int64{}, map[int]int64{}
	for c, n := range e.counts {
		labels[c.actual] += n
		predictions[c.predicted] += n
	}
	share := func(counts map[int]int64) float64 {
		most := int64(0)
		for _, n := range counts {
			most = max(most, n)
		}
		return float64(most) / float64(e.rows)
	}
	return share(labels), share(predictions)
}

// Classes returns the number of classes; 0 while it is not known.
func (e *Evaluation) Classes() int { return len(e.Labels) }

// Rows is the number of examples (time steps, pixels) that were counted.
func (e *Evaluation) Rows() int64 { return e.rows }

// Count is an element of the confusion matrix.
func (e *Evaluation) Count(actual, predicted int) int64 { return e.counts[cell{actual, predicted}] }

// TruePositives is how often the class was predicted and right.
func (e *Evaluation) TruePositives(class int) int64 { return e.tallies()[class].tp }

// FalsePositives is how often the class was predicted and another one was right.
func (e *Evaluation) FalsePositives(class int) int64 { return e.tallies()[class].fp }

// TrueNegatives is how often the class was neither predicted nor right.
func (e *Evaluation) TrueNegatives(class int) int64 { return e.tallies()[class].tn }

// FalseNegatives is how often the class was right and another one was predicted.
func (e *Evaluation) FalseNegatives(class int) int64 { return e.tallies()[class].fn }

// Accuracy is the fraction of the rows that was predicted correctly; 0 without rows.
func (e *Evaluation) Accuracy() float64 {
	correct := int64(0)
	for c, n := range e.counts {
		if c.actual == c.predicted {
			correct += n
		}
	}
	x, _ := ratio(correct, e.rows-correct)
	return x
}

// TopNAccuracy is the fraction of the rows whose label was among the TopN most probable classes.
func (e *Evaluation) TopNAccuracy() float64 {
	if e.TopN <= 1 {
		return e.Accuracy()
	}
	x, _ := ratio(e.topNCorrect, e.topNExamples-e.topNCorrect)
	return x
}

// Precision is tp/(tp+fp) of the positive class of two; otherwise it is the macro average.
func (e *Evaluation) Precision() float64 { return e.overall(tally.precision) }

// Recall is tp/(tp+fn) of the positive class of two; otherwise it is the macro average.
func (e *Evaluation) Recall() float64 { return e.overall(tally.recall) }

// F1 is 2·precision·recall/(precision+recall) of the positive class of two; otherwise it is the macro average of the
// classes' F1.
func (e *Evaluation) F1() float64 {
	if e.binary() {
		return e.FBetaOf(1, *e.BinaryPositiveClass)
	}
	return e.F1Average(Macro)
}

// FalsePositiveRate is fp/(fp+tn) of the positive class of two; otherwise it is the macro average.
func (e *Evaluation) FalsePositiveRate() float64 { return e.overall(always(tally.falsePositiveRate)) }

// FalseNegativeRate is fn/(fn+tp) of the positive class of two; otherwise it is the macro average.
func (e *Evaluation) FalseNegativeRate() float64 { return e.overall(always(tally.falseNegativeRate)) }

// FalseAlarmRate is the mean of FalsePositiveRate and FalseNegativeRate.
func (e *Evaluation) FalseAlarmRate() float64 {
	return (e.FalsePositiveRate() + e.FalseNegativeRate()) / 2
}

// PrecisionOf is the precision of a class.
func (e *Evaluation) PrecisionOf(class int) float64 { return e.of(class, tally.precision) }

// RecallOf is the recall of a class.
func (e *Evaluation) RecallOf(class int) float64 { return e.of(class, tally.recall) }

// F1Of is the F1 score of a class.
func (e *Evaluation) F1Of(class int) float64 { return e.FBetaOf(1, class) }

// FBetaOf is (1+β²)·precision·recall/(β²·precision + recall) of a class.
func (e *Evaluation) FBetaOf(beta float64, class int) float64 { return e.of(class, fBeta(beta)) }

// GMeasureOf is the geometric mean of a class's precision and recall.
func (e *Evaluation) GMeasureOf(class int) float64 { return e.of(class, tally.gMeasure) }

// MatthewsCorrelationOf is (tp·tn − fp·fn)/√((tp+fp)(tp+fn)(tn+fp)(tn+fn)) of a class.
func (e *Evaluation) MatthewsCorrelationOf(class int) float64 {
	return e.of(class, tally.matthewsCorrelation)
}

// PrecisionAverage is the precision over all classes.
func (e *Evaluation) PrecisionAverage(a Averaging) float64 { return e.average(a, tally.precision) }

// RecallAverage is the recall over all classes.
func (e *Evaluation) RecallAverage(a Averaging) float64 { return e.average(a, tally.recall) }

// F1Average is the F1 score over all classes: FBetaAverage with β = 1.
func (e *Evaluation) F1Average(a Averaging) float64 { return e.FBetaAverage(1, a) }

// FBetaAverage is the F-score over all classes. As in Deeplearning4j, for two classes it is that of class 1, and NaN
// if that is undefined. A macro average is NaN if the precision or the recall of every class is undefined.
func (e *Evaluation) FBetaAverage(beta float64, a Averaging) float64 {
	if len(e.Labels) == 2 && e.rows > 0 {
		if t := e.tallies()[1]; t.tp+t.fp+t.fn == 0 {
			return math.NaN()
		}
		return e.FBetaOf(beta, 1)
	}
	return e.average(a, fBeta(beta))
}

// FalsePositiveRateAverage is the false positive rate over all classes.
func (e *Evaluation) FalsePositiveRateAverage(a Averaging) float64 {
	return e.average(a, always(tally.falsePositiveRate))
}

// FalseNegativeRateAverage is the false negative rate over all classes. The micro average is Deeplearning4j's Σ fn/(Σ
// fn + Σ tn), which has the true negatives in the place of the true positives.
func (e *Evaluation) FalseNegativeRateAverage(a Averaging) float64 {
	if a == Micro {
		return e.average(a, func(t tally) (float64, bool) { return ratio(t.fn, t.tn) })
	}
	return e.average(a, always(tally.falseNegativeRate))
}

// GMeasureAverage is the G-measure over all classes.
func (e *Evaluation) GMeasureAverage(a Averaging) float64 { return e.average(a, tally.gMeasure) }

// MatthewsCorrelationAverage is the Matthews correlation over all classes.
func (e *Evaluation) MatthewsCorrelationAverage(a Averaging) float64 {
	return e.average(a, tally.matthewsCorrelation)
}
