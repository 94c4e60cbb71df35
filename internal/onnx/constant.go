package onnx

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
)

// constant is a value that does not depend on the inputs: a tensor of the file, or a value computed from such.
type constant struct {
	tensor *onnxfile.Tensor
	// sizes are whole numbers; unknown stands for sizes that depend on the inputs.
	sizes []int64
	// scalar says that sizes is a single number without dimensions.
	scalar bool
	// grid holds the dimensions of sizes, if there are several.
	grid []int
	// floats are computed numbers, with the dimensions dims.
	floats []float32
	dims   []int
	// fill says that all elements are floats[0]. extents are the dimensions, with unknown for those that depend on the
	// inputs.
	fill    bool
	extents []int64
}

// unknown is a size that is unknown until the model runs.
const unknown = math.MinInt64 / 2

// ints returns a constant's whole numbers, in a slice that the caller must not change.
func (c *constant) ints() ([]int64, error) {
	switch {
	case c.sizes != nil || c.tensor == nil && c.floats == nil:
		return c.sizes, nil
	case c.tensor == nil:
		return nil, errors.New("a constant should be whole numbers")
	}
	x, err := c.tensor.Ints()
	c.sizes = x // decoded once
	return x, err
}

// numbers returns a constant's elements and dimensions, in slices that the caller may change.
func (c *constant) numbers() ([]float32, []int, error) {
	switch {
	case c.fill:
		dims := narrowed(c.extents)
		if total, ok := elements(dims, maxFolded); ok {
			return repeated(c.floats[0], total), dims, nil
		}
		return nil, nil, errors.New("the size of a constant is not known, or large")
	case c.floats != nil:
		return slices.Clone(c.floats), c.dims, nil
	case c.tensor == nil:
		return nil, nil, errors.New("a constant should be float32")
	}
	x, err := c.tensor.Floats()
	if err != nil {
		return nil, nil, err
	}
	return x, narrowed(c.tensor.Dims), nil
}

// shape returns the dimensions, with unknown for those that depend on the inputs.
func (c *constant) shape() []int64 {
	switch {
	case c.fill:
		return c.extents
	case c.tensor != nil:
		return c.tensor.Dims
	case c.floats != nil:
		return wide(c.dims)
	case c.scalar:
		return nil
	case c.grid != nil:
		return wide(c.grid)
	}
	return []int64{int64(len(c.sizes))}
}

// rank is the number of dimensions.
func (c *constant) rank() int { return len(c.shape()) }

// isWhole reports whether a constant has whole numbers.
func (c *constant) isWhole() bool {
	return !c.fill && c.floats == nil && (c.tensor == nil || whole(c.tensor.Type))
}

// whole reports whether elements of a type are whole numbers.
func whole(t onnxfile.DataType) bool {
	switch t {
	case onnxfile.Int64, onnxfile.Int32, onnxfile.Bool:
		return true
	}
	return false
}

// narrowed returns dimensions as int; −1 for an unknown one.
func narrowed(dims []int64) []int {
	out := make([]int, len(dims))
	for i, d := range dims {
		if out[i] = int(d); d < 0 {
			out[i] = -1
		}
	}
	return out
}

// elements returns the number of elements of an array. ok is false if a dimension is unknown, or if there are more than
// most.
func elements(dims []int, most int) (n int, ok bool) {
	n = 1
	for _, d := range dims {
		if d < 0 || d > 0 && n > most/d {
			return 0, false
		}
		n *= d
	}
	return n, n <= most
}

// zero reports whether all elements are 0.
func (c *constant) zero() bool {
	if c.fill {
		return c.floats[0] == 0
	}
	x, _, err := c.numbers()
	return err == nil && !slices.ContainsFunc(x, func(v float32) bool { return v != 0 })
}

// weights returns the float32 of a node's operand, which must be a constant of rank dimensions.
func (r *reader) weights(n *onnxfile.Node, i, rank int) ([]float32, []int, error) {
	if i >= len(n.Inputs) || r.constants[n.Inputs[i]] == nil {
		return nil, nil, fmt.Errorf("operand %d should be a constant: a layer has weights of its own", i)
	}
	x, dims, err := r.constants[n.Inputs[i]].numbers()
	if err == nil && len(dims) != rank {
		err = fmt.Errorf("operand %d has the dimensions %v: %d should be there", i, dims, rank)
	}
	return x, dims, err
}

// given reports whether a node has an operand.
func given(n *onnxfile.Node, i int) bool { return i < len(n.Inputs) && n.Inputs[i] != "" }

// list returns whole numbers that are an attribute in older op sets and an operand in newer ones. nil means neither.
func (r *reader) list(n *onnxfile.Node, attribute string, operand int) ([]int64, error) {
	if a := n.Attribute(attribute); a != nil {
		if a.Type == onnxfile.IntAttribute {
			return []int64{a.Int}, nil
		}
		return a.Ints, nil
	}
	if operand < 0 || !given(n, operand) {
		return nil, nil
	}
	c := r.constants[n.Inputs[operand]]
	if c == nil {
		return nil, fmt.Errorf("its %s follow from the inputs: they should be a constant", attribute)
	}
	x, err := c.ints()
	if err == nil && slices.Contains(x, unknown) && attribute != "shape" {
		err = fmt.Errorf("its %s follow from the inputs: they should be a constant", attribute)
	}
	return x, err
}

// attributeInt returns an integer attribute, or its default.
func attributeInt(n *onnxfile.Node, name string, usual int64) int64 {
	if a := n.Attribute(name); a != nil && a.Type == onnxfile.IntAttribute {
		return a.Int
	}
	return usual
}

func attributeFloat(n *onnxfile.Node, name string, usual float64) float64 {
	if a := n.Attribute(name); a != nil && a.Type == onnxfile.FloatAttribute {
		return float64(a.Float)
	}
	return usual
}

// attributeDecimal is attributeFloat for settings: 0.1 stays 0.1.
func attributeDecimal(n *onnxfile.Node, name string, usual float64) float64 {
	if a := n.Attribute(name); a != nil && a.Type == onnxfile.FloatAttribute {
		return decimal(a.Float)
	}
	return usual
}

func attributeText(n *onnxfile.Node, name, usual string) string {
	if a := n.Attribute(name); a != nil && a.Type == onnxfile.StringAttribute {
		return a.String
	}
	return usual
}
