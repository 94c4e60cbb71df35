package vertex

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Bilinear enlarges images by whole factors, with the channels first or last. It interpolates each pixel of the result
// between the nearest pixels of the input. The centre of pixel i is at i + ½. It is Keras' UpSampling2D with
// interpolation "bilinear".
//
// Deeplearning4j differs: it has no such vertex; its Upsampling2D repeats pixels.
type Bilinear struct {
	Size [2]int `dl4j:"size"` // factors of height and width
}

// shape returns the shape of the result. The height is the given dimension.
func (v Bilinear) shape(s tensor.Shape, height int) (tensor.Shape, error) {
	if len(s) != 4 || v.Size[0] < 1 || v.Size[1] < 1 || max(v.Size[0], v.Size[1]) > 1<<16 {
		return nil, fmt.Errorf("takes images and positive factors, got arrays of shape %v and %v", s, v.Size)
	}
	out := s.Clone()
	out[height] *= v.Size[0]
	out[height+1] *= v.Size[1]
	return out, nil
}

// heightOf is the dimension of the height of images of a type.
func heightOf(t inputtype.Type) int {
	if t.Kind == inputtype.ConvolutionalKind && !t.ChannelsLast {
		return 2
	}
	return 1
}

// OutputType is a larger image.
func (v Bilinear) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := only(in)
	if err != nil {
		return t, err
	}
	s, err := v.shape(t.Shape(1), heightOf(t))
	if err != nil {
		return t, err
	}
	if heightOf(t) == 2 {
		return like(t, s)
	}
	return lastType(s)
}

// Forward emits a product with the weights for each direction.
func (v Bilinear) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	x, height := in[0].Value, heightOf(in[0].Type)
	if _, err := v.shape(x.Shape, height); err != nil {
		refuse("bilinear", x.Shape, "%v", err)
	}
	if height == 1 {
		x = c.Transpose(x, 0, 3, 1, 2) // channels before height and width
	}
	for i := range 2 { // first the height, then the width
		x = v.along(c, c.Transpose(x, 0, 1, 3, 2), v.Size[i])
	}
	if height == 2 {
		return typed(in[0].Type, x, nil)
	}
	return last(c.Transpose(x, 0, 2, 3, 1), nil)
}

// along enlarges the last dimension.
func (v Bilinear) along(c *layer.Context, x *program.Value, factor int) *program.Value {
	n := x.Shape[3]
	weights := make([]float64, n*factor*n)
	for i := range n * factor {
		at := math.Max((float64(i)+0.5)/float64(factor)-0.5, 0)
		low := min(int(at), n-1)
		high := min(low+1, n-1)
		weights[i*n+low] += 1 - (at - float64(low))
		weights[i*n+high] += at - float64(low)
	}
	rows := c.Reshape(x, x.Shape.Size()/max(n, 1), n)
	y := c.Apply(program.MatMul{TransB: true}, rows, c.Const(weights, n*factor, n))
	return c.Reshape(y, x.Shape[0], x.Shape[1], x.Shape[2], n*factor)
}

func init() { Classes.Register(ownPackage+"Bilinear", func() Vertex { return Bilinear{} }) }
