package data

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// LabeledPoint is an example of Spark's MLlib: features, and one number, which is a class or a value to predict (MLlib:
// LabeledPoint).
type LabeledPoint struct {
	Label    float64
	Features []float32
}

// Example returns the point as an example, with features [1, n] that share the point's memory. For classification it
// has one-hot labels [1, classes], and Label must be one of 0 … classes−1. For regression, with 0 classes, the labels
// are [1, 1] with Label.
func (p LabeledPoint) Example(classes int) (*MultiDataSet, error) {
	if len(p.Features) == 0 {
		return nil, fmt.Errorf("the point has no features")
	}
	y, err := labelOf(p.Label, classes)
	if err != nil {
		return nil, err
	}
	return &MultiDataSet{
		Features: []*tensor.Dense{{Shape: tensor.Shape{1, len(p.Features)}, Data: p.Features}},
		Labels:   []*tensor.Dense{y},
	}, nil
}

func labelOf(label float64, classes int) (*tensor.Dense, error) {
	if classes < 0 {
		return nil, fmt.Errorf("%d classes", classes)
	}
	if classes == 0 {
		y := tensor.New(1, 1)
		y.Data[0] = float32(label)
		return y, nil
	}
	c := int(label)
	if float64(c) != label || c < 0 || c >= classes {
		return nil, fmt.Errorf("the label %v is not a class: %d classes are 0 to %d", label, classes, classes-1)
	}
	y := tensor.New(1, classes)
	y.Data[c] = 1
	return y, nil
}
