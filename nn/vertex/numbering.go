package vertex

import (
	"fmt"
	"math"
	"slices"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
)

// mostNumbers bounds the boundaries and keys of a vertex.
const mostNumbers = 1 << 20

// Buckets turns each element into the number of boundaries that it reaches: 0 below the first one. It implements Keras'
// layer Discretization. No gradient passes through it.
//
// Deeplearning4j differs: it has no such vertex.
type Buckets struct {
	Boundaries []float64 `dl4j:"boundaries"` // in increasing order
}

// OutputType is the type of the input.
func (v Buckets) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := only(in)
	switch {
	case err != nil:
		return t, err
	case len(v.Boundaries) > mostNumbers:
		return t, fmt.Errorf("there are %d boundaries; there may be %d", len(v.Boundaries), mostNumbers)
	case !slices.IsSorted(v.Boundaries):
		return t, fmt.Errorf("the boundaries are not in increasing order")
	}
	return t, nil
}

// Forward emits the comparison with all boundaries.
func (v Buckets) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	a := in[0]
	x := c.StopGradient(a.Value)
	if len(v.Boundaries) == 0 {
		a.Value = c.Fill(0, x.Shape...)
		return a
	}
	reached := c.Binary(program.GreaterEqual, c.Reshape(x, append(x.Shape.Clone(), 1)...),
		c.Const(v.Boundaries, len(v.Boundaries)))
	a.Value = c.Sum(reached, len(x.Shape))
	return a
}

// Numbering turns each element that equals Keys[i] into Numbers[i]. Any other element x becomes First plus the
// remainder of x divided by Count; with a Count of 0, it becomes NaN. It implements Keras' layer IntegerLookup. No
// gradient passes through it.
//
// Deeplearning4j differs: it has no such vertex.
type Numbering struct {
	Keys    []float64 `dl4j:"keys"`
	Numbers []float64 `dl4j:"numbers"`
	// First and Count are the numbers of all other elements.
	First int `dl4j:"first"`
	Count int `dl4j:"count"`
}

// OutputType is the type of the input.
func (v Numbering) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := only(in)
	switch {
	case err != nil:
		return t, err
	case len(v.Keys) != len(v.Numbers) || len(v.Keys) > mostNumbers:
		return t, fmt.Errorf("there are %d keys and %d numbers; there must be as many, and at most %d", len(v.Keys),
			len(v.Numbers), mostNumbers)
	case v.First < 0 || v.Count < 0 || max(v.First, v.Count) > mostNumbers:
		return t, fmt.Errorf("first is %d and count %d; they are from 0 to %d", v.First, v.Count, mostNumbers)
	}
	return t, nil
}

// Forward emits the comparison with all keys.
func (v Numbering) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	a := in[0]
	x := c.StopGradient(a.Value)
	other := v.other(c, x)
	if len(v.Keys) == 0 {
		a.Value = other
		return a
	}
	n, dim := len(v.Keys), len(x.Shape)
	equal := c.Binary(program.Equal, c.Reshape(x, append(x.Shape.Clone(), 1)...), c.Const(v.Keys, n))
	number := c.Sum(c.Mul(equal, c.Const(v.Numbers, n)), dim)
	a.Value = c.Select(c.Sum(equal, dim), number, other)
	return a
}

// other emits the numbers of elements that are no keys.
func (v Numbering) other(c *layer.Context, x *program.Value) *program.Value {
	switch v.Count {
	case 0:
		return c.Fill(math.NaN(), x.Shape...)
	case 1:
		return c.Fill(float64(v.First), x.Shape...)
	}
	count := c.Fill(float64(v.Count))
	rest := c.Sub(x, c.Mul(c.Unary(program.Floor, c.Div(x, count)), count))
	return c.Add(rest, c.Fill(float64(v.First)))
}

func init() {
	Classes.Register(ownPackage+"Buckets", func() Vertex { return Buckets{} })
	Classes.Register(ownPackage+"Numbering", func() Vertex { return Numbering{} })
}
