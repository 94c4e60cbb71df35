package vertex

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Counting is how [OneHot] treats several numbers of an example.
type Counting string

// The ways of counting.
const (
	EachNumber Counting = ""      // a vector for each number
	AnyNumber  Counting = "any"   // one vector: 1 for the numbers that occur
	AllNumbers Counting = "count" // one vector: how often each number occurs
)

// OneHot turns whole numbers from 0 to Size−1 into vectors with a 1 in the place of the number: [batch, n…] →
// [batch, n…, Size]. Other numbers become zeros. With a Counting, examples have one dimension, and the result is
// [batch, Size]. It implements Keras' layer CategoryEncoding. No gradient passes through it.
//
// Deeplearning4j differs: it has no such vertex.
type OneHot struct {
	Size     int      `dl4j:"size"`
	Counting Counting `dl4j:"counting"`
}

// shape returns the shape of the result for arrays of a shape.
func (v OneHot) shape(s tensor.Shape) (tensor.Shape, error) {
	switch {
	case v.Size < 1 || v.Size > mostNumbers:
		return nil, fmt.Errorf("size is %d; it is from 1 to %d", v.Size, mostNumbers)
	case v.Counting == EachNumber:
		return append(s.Clone(), v.Size), nil
	case v.Counting != AnyNumber && v.Counting != AllNumbers:
		return nil, fmt.Errorf("counting is %q; it is %q, %q or empty", v.Counting, AnyNumber, AllNumbers)
	case len(s) != 2:
		return nil, fmt.Errorf("counting %q takes arrays [batch, numbers], got %v", v.Counting, s)
	}
	return tensor.Shape{s[0], v.Size}, nil
}

// OutputType is the type of the vectors.
func (v OneHot) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := only(in)
	if err != nil {
		return t, err
	}
	s, err := v.shape(t.Shape(1))
	if err != nil {
		return t, err
	}
	return lastType(s)
}

// Forward emits the comparison with all numbers.
func (v OneHot) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	x := c.StopGradient(in[0].Value)
	if _, err := v.shape(x.Shape); err != nil {
		refuse("one-hot", x.Shape, "%v", err)
	}
	numbers := make([]float64, v.Size)
	for i := range numbers {
		numbers[i] = float64(i)
	}
	y := c.Binary(program.Equal, c.Reshape(x, append(x.Shape.Clone(), 1)...), c.Const(numbers, v.Size))
	switch v.Counting {
	case AnyNumber:
		y = c.Min(c.Sum(y, 1), c.Fill(1))
	case AllNumbers:
		y = c.Sum(y, 1)
	}
	return last(y, nil)
}

func init() { Classes.Register(ownPackage+"OneHot", func() Vertex { return OneHot{} }) }
