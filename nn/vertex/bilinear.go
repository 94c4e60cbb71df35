package vertex

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Bilinear enlarges images [batch, height, width, channels] by whole factors. It interpolates each pixel of the result
// between the nearest pixels of the input. The centre of pixel i is at i + ½. It is Keras' UpSampling2D with
// interpolation "bilinear".
//
// Deeplearning4j differs: it has no such vertex; its Upsampling2D repeats pixels.
type Bilinear struct {
	Size [2]int `dl4j:"size"` // factors of height and width
}

func (v Bilinear) shape(s tensor.Shape) (tensor.Shape, error) {
	if len(s) != 4 || v.Size[0] < 1 || v.Size[1] < 1 || max(v.Size[0], v.Size[1]) > 1<<16 {
		return nil, fmt.Errorf("takes images and positive factors, got arrays of shape %v and %v", s, v.Size)
	}
	return tensor.Shape{s[0], s[1] * v.Size[0], s[2] * v.Size[1], s[3]}, nil
}

// OutputType is a larger image.
func (v Bilinear) OutputType(in []inputtype.Type) (inputtype.Type, error) {
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

// Forward emits a product with the weights for each direction.
func (v Bilinear) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	x := in[0].Value
	if _, err := v.shape(x.Shape); err != nil {
		refuse("bilinear", x.Shape, "%v", err)
	}
	x = c.Transpose(x, 0, 3, 1, 2) // channels before height and width
	for i := range 2 {             // first the height, then the width
		x = v.along(c, c.Transpose(x, 0, 1, 3, 2), v.Size[i])
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
