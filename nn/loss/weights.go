package loss

import (
	"fmt"
	"math"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/program"
)

// Weights multiply the loss of each output. Files hold them as a row vector, whose type and shape are kept.
type Weights struct {
	values   []float64
	dataType string
	shape    []int
}

// NewWeights returns single-precision weights, one for each output.
func NewWeights(values ...float64) *Weights {
	w := &Weights{dataType: "FLOAT", shape: []int{1, len(values)}}
	for _, v := range values {
		w.values = append(w.values, float64(float32(v)))
	}
	return w
}

// Values returns a copy of the weights.
func (w *Weights) Values() []float64 { return slices.Clone(w.values) }

type weightsFile[T float32 | float64] struct {
	DataType string `dl4j:"dataType,creator"`
	Shape    []int  `dl4j:"shape,creator"`
	Data     []T    `dl4j:"data,creator"`
}

// MarshalTree returns the format of Deeplearning4j's NDArrayTextSerializer.
func (w *Weights) MarshalTree() (any, error) {
	if w.dataType == "DOUBLE" {
		return dl4j.ToTree(weightsFile[float64]{w.dataType, w.shape, w.values})
	}
	f := weightsFile[float32]{w.dataType, w.shape, nil}
	for _, v := range w.values {
		f.Data = append(f.Data, float32(v))
	}
	return dl4j.ToTree(f)
}

// UnmarshalTree reads the tree of MarshalTree.
func (w *Weights) UnmarshalTree(tree any) error {
	var f weightsFile[float64]
	if err := dl4j.FromTree(tree, &f); err != nil {
		return err
	}
	switch {
	case f.DataType != "FLOAT" && f.DataType != "DOUBLE":
		return fmt.Errorf("weights of type %q: must be FLOAT or DOUBLE", f.DataType)
	case !isRow(f.Shape, len(f.Data)):
		return fmt.Errorf("%d weights of shape %v: must be a row vector", len(f.Data), f.Shape)
	}
	*w = Weights{f.Data, f.DataType, f.Shape}
	return nil
}

// isRow reports whether the shape is [n] or [1, n].
func isRow(shape []int, n int) bool {
	return len(shape) == 1 && shape[0] == n || len(shape) == 2 && shape[0] == 1 && shape[1] == n
}

// apply multiplies each column of e.
func (w *Weights) apply(b *program.Builder, e *program.Value) *program.Value {
	if w == nil {
		return e
	}
	return b.Mul(e, b.Const(w.values, 1, len(w.values)))
}

func (w *Weights) validate(class string, n int) error {
	if w == nil {
		return nil
	}
	if len(w.values) != n {
		return fmt.Errorf("loss %s: it has %d weights for %d outputs", class, len(w.values), n)
	}
	for i, v := range w.values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("loss %s: weight %d is %g", class, i, v)
		}
	}
	return nil
}

// Weighted is the setting that most losses share. In their formulas, wⱼ is the weight of output j; without Weights it
// is 1.
type Weighted struct {
	// Weights multiply the loss of each output; nil for none.
	Weights *Weights `dl4j:"weights,omitnull"`
}

// Labels is n.
func (w Weighted) Labels(n int) int { return n }
