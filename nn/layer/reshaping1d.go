package layer

import (
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

func init() {
	Classes.Register(javaPackage+"ZeroPadding1DLayer", func() Layer { return ZeroPadding1D{} })
	Classes.Register(javaPackage+"convolutional.Cropping1D", func() Layer { return Cropping1D{} })
	Classes.Register(javaPackage+"Upsampling1D", func() Layer { return Upsampling1D{} })
}

// alongTime applies f to sequences [batch, size, time], and to their mask as [batch, 1, time].
func alongTime(c *Context, in Activation, out inputtype.Type, f func(x *program.Value) *program.Value) Activation {
	last := in.Type.Format == inputtype.NWC
	a := Activation{Value: channelsLast(c, f(channelsFirst(c, in.Value, last)), last), Type: out}
	if m := in.Mask; m != nil {
		m = f(c.Reshape(m, m.Shape[0], 1, m.Shape[1]))
		a.Mask = c.Reshape(m, m.Shape[0], m.Shape[2])
	}
	return a
}

// ZeroPadding1D adds zeros before and after sequences: x [batch, n, t] → [batch, n, before + t + after]
// (Deeplearning4j: ZeroPadding1DLayer). The padding is masked in a mask.
type ZeroPadding1D struct {
	Bare
	Padding [2]int `dl4j:"padding"` // before and after
}

// Complete checks the padding.
func (l ZeroPadding1D) Complete(d Defaults, _ []inputtype.Type) (Layer, error) {
	l.Bare = l.Bare.Completed(d)
	return l, checkBorders("padding", l.Padding[:])
}

// OutputType is a longer sequence.
func (l ZeroPadding1D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := sequence(in, 0, "")
	if t.TimeSteps > 0 {
		t.TimeSteps += l.Padding[0] + l.Padding[1]
	}
	return t, err
}

// Forward pads.
func (l ZeroPadding1D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	return alongTime(c, in[0], t, func(x *program.Value) *program.Value { return padded(c, x, 2, l.Padding[:]...) })
}

// Cropping1D removes the first and last steps of sequences: x [batch, n, t] → [batch, n, t − before − after]
// (Deeplearning4j: Cropping1D).
type Cropping1D struct {
	Bare
	Cropping [2]int `dl4j:"cropping"` // before and after
}

// Complete checks the cropping.
func (l Cropping1D) Complete(d Defaults, _ []inputtype.Type) (Layer, error) {
	l.Bare = l.Bare.Completed(d)
	return l, checkBorders("cropping", l.Cropping[:])
}

// OutputType is a shorter sequence.
func (l Cropping1D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := sequence(in, 0, "")
	if err == nil && t.TimeSteps > 0 {
		t.TimeSteps, err = leaves("the time", t.TimeSteps, l.Cropping[0], l.Cropping[1])
	}
	return t, err
}

// Forward crops.
func (l Cropping1D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	return alongTime(c, in[0], t, func(x *program.Value) *program.Value { return cropped(c, x, 2, l.Cropping[:]...) })
}

// Upsampling1D repeats each step of sequences: x [batch, n, t] → [batch, n, t·Size] (Deeplearning4j: Upsampling1D).
// Files hold the size twice; only the first counts.
type Upsampling1D struct {
	Bare
	Size [2]int `dl4j:"size"` // 2 if it is 0
}

// Complete checks the size.
func (l Upsampling1D) Complete(d Defaults, _ []inputtype.Type) (Layer, error) {
	l.Bare = l.Bare.Completed(d)
	if l.Size[0] == 0 {
		l.Size[0] = 2
	}
	if l.Size[1] == 0 {
		l.Size[1] = l.Size[0]
	}
	return l, checkTimes("size", l.Size[:])
}

// OutputType is a longer sequence.
func (l Upsampling1D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := sequence(in, 0, "")
	t.TimeSteps *= l.Size[0]
	return t, err
}

// Forward repeats.
func (l Upsampling1D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	return alongTime(c, in[0], t, func(x *program.Value) *program.Value { return repeatedCells(c, x, 2, l.Size[0]) })
}
