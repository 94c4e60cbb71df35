package eval

import "iter"

// rocAreas are the areas under the curves.
type rocAreas struct{ roc, pr float64 }

type rocCurves struct {
	roc *RocCurve
	pr  *PrecisionRecallCurve
}

// rocPoint is a point of a curve: the false and true positive rate, or precision and recall.
type rocPoint struct {
	threshold, x, y float64
	tp, fp          int64
}

// exactAreas computes the areas without storing the curves, which have nine numbers per point.
func (e *ROC) exactAreas() rocAreas {
	switch {
	case e.areas != nil:
		return *e.areas
	case e.curves != nil:
		return rocAreas{e.curves.roc.AUC(), e.curves.pr.AUCPR()}
	}
	r := e.kept.sorted()
	var roc, pr trapezoids
	for p := range e.rocPoints(&r) {
		roc.add(p.x, p.y)
	}
	for p := range e.prPoints(&r) {
		pr.add(p.y, p.x)
	}
	e.areas = &rocAreas{roc.sum, pr.sum}
	return *e.areas
}

// both returns the two curves, from one sorting.
func (e *ROC) both() (*RocCurve, *PrecisionRecallCurve) {
	if e.ThresholdSteps > 0 || e.examples == 0 {
		return e.RocCurve(), e.PrecisionRecallCurve()
	}
	c := e.exactCurves()
	return c.roc, c.pr
}

// exactCurves computes the curves.
func (e *ROC) exactCurves() *rocCurves {
	if e.curves != nil {
		return e.curves
	}
	r := e.kept.sorted()
	points := e.rocPoints(&r)
	roc := makeRocCurve(count(points))
	i := 0
	for p := range points {
		roc.Threshold[i], roc.FPR[i], roc.TPR[i] = p.threshold, p.x, p.y
		i++
	}
	points = e.prPoints(&r)
	pr := makePrecisionRecallCurve(count(points), e.examples)
	i = 0
	for p := range points {
		pr.Threshold[i], pr.Precision[i], pr.Recall[i] = p.threshold, p.x, p.y
		pr.TP[i], pr.FP[i], pr.FN[i] = p.tp, p.fp, e.positives-p.tp
		i++
	}
	return &rocCurves{roc, pr}
}

func count(points iter.Seq[rocPoint]) (n int) {
	for range points {
		n++
	}
	return n
}

// rocPoints returns the points of the ROC curve: for no example, for each example with all above it, and for all.
func (e *ROC) rocPoints(r *ranking) iter.Seq[rocPoint] {
	return e.turns(func(yield func(rocPoint) bool) {
		if !yield(rocPoint{threshold: 1}) {
			return
		}
		var tp int64
		for i := range r.keys {
			probability, positive := r.at(i)
			if positive {
				tp++
			}
			fp := int64(i+1) - tp
			if !yield(rocPoint{float64(probability), float64(fp) / float64(e.negatives),
				float64(tp) / float64(e.positives), tp, fp}) {
				return
			}
		}
		yield(rocPoint{0, 1, 1, tp, e.negatives})
	})
}

// prPoints returns the points of the precision-recall curve: for all examples, for each example with all above it,
// beginning with the lowest, and for none.
func (e *ROC) prPoints(r *ranking) iter.Seq[rocPoint] {
	return e.turns(func(yield func(rocPoint) bool) {
		n := len(r.keys)
		if !yield(rocPoint{0, float64(e.positives) / float64(n), 1, e.positives, e.negatives}) {
			return
		}
		tp := e.positives
		for i := n; i > 0; i-- {
			probability, positive := r.at(i - 1)
			if !yield(rocPoint{float64(probability), float64(tp) / predicted(i, n), float64(tp) / float64(e.positives),
				tp, int64(i) - tp}) {
				return
			}
			if positive {
				tp--
			}
		}
		yield(rocPoint{1, 1, 0, 0, 0})
	})
}

// predicted returns i of n, with the rounding of Nd4j.linspace(1, n, n).
func predicted(i, n int) float64 {
	if n == 1 {
		return 1
	}
	part := float64(i-1) / float64(n-1)
	return float64(1-part) + float64(part*float64(n)) // not fused
}

// turns leaves out points that are on an axis-parallel line with both neighbours, unless redundant points are kept.
// There are at least three points.
func (e *ROC) turns(points iter.Seq[rocPoint]) iter.Seq[rocPoint] {
	if e.KeepRedundant {
		return points
	}
	return func(yield func(rocPoint) bool) {
		var a, b rocPoint // the two before
		n := 0
		for c := range points {
			if n == 1 || n > 1 && (a.x != b.x || b.x != c.x) && (a.y != b.y || b.y != c.y) { // keep b
				if !yield(b) {
					return
				}
			}
			a, b = b, c
			n++
		}
		yield(b)
	}
}
