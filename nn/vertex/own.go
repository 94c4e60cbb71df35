package vertex

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// ownPackage is the package of vertices that Deeplearning4j does not have. It cannot open files that name them. They
// serve networks of other programs, whose arrays have the channels in the last dimension.
const ownPackage = "io.github.dl4go.nn.conf.graph."

// lastType returns the type of arrays with the channels in the last dimension.
func lastType(shape tensor.Shape) (inputtype.Type, error) {
	t, err := inputtype.Of(shape)
	return t.As(inputtype.NWC).Read(true), err
}

// last gives a value the type of lastType.
func last(v, mask *program.Value) layer.Activation {
	t, err := lastType(v.Shape)
	if err != nil {
		refuse("vertex", v.Shape, "%v", err)
	}
	return layer.Activation{Value: v, Mask: mask, Type: t}
}

// refuse stops the lowering of a network because a value has the wrong shape.
func refuse(op string, shape tensor.Shape, format string, args ...any) {
	panic(&program.ShapeError{Op: op, Shapes: []tensor.Shape{shape}, Reason: fmt.Sprintf(format, args...)})
}

// ChannelsLast marks its input's arrays as having the channels in the last dimension: sequences [batch, time, size],
// images [batch, height, width, channels], volumes [batch, depth, height, width, channels]. It does not move the
// numbers.
//
// Deeplearning4j differs: it has no such vertex.
type ChannelsLast struct{}

// OutputType is the type with the channels last.
func (v ChannelsLast) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := only(in)
	return t.As(inputtype.NWC).Read(true), err
}

// Forward returns its input.
func (v ChannelsLast) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	return last(in[0].Value, in[0].Mask)
}

func init() { Classes.Register(ownPackage+"ChannelsLast", func() Vertex { return ChannelsLast{} }) }
