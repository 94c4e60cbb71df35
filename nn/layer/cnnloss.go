package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func init() {
	Classes.Register(javaPackage+"CnnLossLayer", func() Layer { return CnnLoss{Format: nchw} })
	Classes.Register(javaPackage+"Cnn3DLossLayer", func() Layer { return Cnn3DLoss{Format: ncdhw} })
}

// cellLoss is the common part of CnnLoss and Cnn3DLoss. The channels of each cell are a row of outputs.
type cellLoss struct {
	Base
	NIn        int                   `dl4j:"nin"`  // ignored; Deeplearning4j writes 0
	NOut       int                   `dl4j:"nout"` // ignored
	Activation activation.Activation `dl4j:"activationFn"`
	Loss       loss.Loss             `dl4j:"lossFn"`
}

func (l cellLoss) complete(d Defaults, channels int) (cellLoss, error) {
	base, err := l.Base.Completed(d)
	if err != nil {
		return l, err
	}
	l.Base = base
	if l.Activation == nil {
		l.Activation = d.Activation
	}
	switch {
	case l.Loss == nil:
		return l, errNoLoss
	case l.Loss.Labels(2) != 2:
		return l, fmt.Errorf("the loss function takes class numbers: labels must have the shape of the outputs here")
	case channels == 0:
		return l, nil
	}
	return l, l.Loss.Validate(channels, l.Activation)
}

// CheckLoss checks that activation and loss go together.
func (l cellLoss) CheckLoss() error { return loss.ValidateOutputLayer(l.Loss, l.Activation, 0, false) }

// Params is empty.
func (l cellLoss) Params() []Param { return nil }

// cellRows returns the cells of x as rows [cells, channels].
func cellRows(c *Context, x *program.Value, last bool) *program.Value {
	if !last {
		x = channelsLast(c, x, true)
	}
	n := x.Shape[len(x.Shape)-1]
	return c.Reshape(x, x.Shape.Size()/max(1, n), n)
}

// forward applies the activation to each cell.
func (l cellLoss) forward(c *Context, in Activation, t inputtype.Type) Activation {
	rows := c.Activate(l.Activation, cellRows(c, in.Value, t.ChannelsLast))
	last := t
	last.ChannelsLast = true
	y := c.Reshape(rows, last.Shape(in.Value.Shape[0])...)
	return Activation{channelsFirst(c, y, !t.ChannelsLast), in.Mask, t}
}

// MeansScore marks the layer as a [MeanScorer].
func (cellLoss) MeansScore() {}

// score emits the loss of each cell. A mask is [batch, 1], or has the dimensions of x with the channels second; each
// of its extents is that of x or 1.
func (l cellLoss) score(c *Context, in Activation, t inputtype.Type, labels, mask *program.Value) *program.Value {
	if mask == nil {
		mask = in.Mask
	}
	if mask != nil {
		first := t
		first.ChannelsLast = false
		s := first.Shape(in.Value.Shape[0])
		m := mask.Shape.Clone()
		if len(m) == 2 && m[1] == 1 {
			for len(m) < len(s) {
				m = append(m, 1)
			}
		}
		ok := len(m) == len(s)
		for i := 0; ok && i < len(s); i++ {
			ok = m[i] == s[i] || i > 0 && m[i] == 1
		}
		if !ok {
			panic(&program.ShapeError{Op: "loss of images", Shapes: []tensor.Shape{s, mask.Shape},
				Reason: "a mask must be [batch, 1] or [batch, 1 or channels, 1 or height, 1 or width]"})
		}
		mask = c.Reshape(mask, m...)
		s[1] = m[1]
		mask = cellRows(c, c.BroadcastTo(mask, s...), false)
	}
	e := l.Loss.Rows(c.Builder, cellRows(c, labels, t.ChannelsLast), cellRows(c, in.Value, t.ChannelsLast),
		l.Activation, mask)
	return c.meanSteps(l.Loss, e, mask, in.Value.Shape[0])
}

// CnnLoss is an output layer without parameters for images: x [batch, c, h, w] → act(x). The channels of each pixel
// are a row of outputs. The labels have the same shape (Deeplearning4j: CnnLossLayer). The loss is summed over the
// pixels.
type CnnLoss struct {
	cellLoss
	Format string `dl4j:"format"` // NCHW or NHWC; by default, that of the input type
}

// Complete fills in settings that are left open.
func (l CnnLoss) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Format = imageFormat(l.Format, d, in)
	if err := checkFormat(l.Format); err != nil {
		return nil, err
	}
	t, err := Single(in)
	if err == nil {
		l.cellLoss, err = l.complete(d, t.Read(l.Format == nhwc).Channels)
	}
	return l, err
}

// Preprocessor restores the shape of flat images.
func (l CnnLoss) Preprocessor(in inputtype.Type) Preprocessor { return toImages(in) }

// OutputType is the type of the input.
func (l CnnLoss) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return image(in, 0, l.Format)
}

// Forward applies the activation to each pixel's channels.
func (l CnnLoss) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	return l.forward(c, in[0], t)
}

// Score emits the loss of each pixel.
func (l CnnLoss) Score(c *Context, in []Activation, labels, mask *program.Value) *program.Value {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	return l.score(c, in[0], t, labels, mask)
}

// LabelShape is the shape of the activations.
func (l CnnLoss) LabelShape(out inputtype.Type, batch int) tensor.Shape { return out.Shape(batch) }

// Cnn3DLoss is CnnLoss for volumes: x [batch, c, d, h, w] (Deeplearning4j: Cnn3DLossLayer).
type Cnn3DLoss struct {
	cellLoss
	Format string `dl4j:"dataFormat"` // NCDHW or NDHWC; by default, that of the input type
}

// Complete fills in settings that are left open.
func (l Cnn3DLoss) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Format = volumeFormat(l.Format, d, in)
	if err := checkVolumeFormat(l.Format); err != nil {
		return nil, err
	}
	t, err := Single(in)
	if err == nil {
		l.cellLoss, err = l.complete(d, t.Read(l.Format == ndhwc).Channels)
	}
	return l, err
}

// Preprocessor returns nil: none is needed.
func (l Cnn3DLoss) Preprocessor(inputtype.Type) Preprocessor { return nil }

// OutputType is the type of the input.
func (l Cnn3DLoss) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return volume(in, 0, l.Format)
}

// Forward applies the activation to each cell's channels.
func (l Cnn3DLoss) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	return l.forward(c, in[0], t)
}

// Score emits the loss of each cell.
func (l Cnn3DLoss) Score(c *Context, in []Activation, labels, mask *program.Value) *program.Value {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	return l.score(c, in[0], t, labels, mask)
}

// LabelShape is the shape of the activations.
func (l Cnn3DLoss) LabelShape(out inputtype.Type, batch int) tensor.Shape { return out.Shape(batch) }
