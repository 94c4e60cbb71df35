package layer

import (
	"fmt"
	"math"
	"slices"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func init() {
	// Files that leave settings out do not mean the builder's defaults.
	Classes.Register(javaPackage+"GlobalPoolingLayer", func() Layer { return GlobalPooling{} })
}

// GlobalPooling combines all time steps of sequences, x [batch, n, t] → [batch, n], all pixels of images, x [batch, c,
// h, w] → [batch, c], or all cells of volumes (Deeplearning4j: GlobalPoolingLayer).
//
// A mask of sequences, [batch, t], or of images, [batch, 1 or c, 1 or h, 1 or w], is not passed on. MAX ignores masked
// values; the others treat them as 0, and AVG divides by the sum of the mask. As in Deeplearning4j, that sum counts
// each column of [batch, 1, h, 1] once, and all channels of [batch, c, h, w]. If everything is masked, the result is 0.
// Deeplearning4j differs: it returns NaN for AVG, and −∞ for MAX.
type GlobalPooling struct {
	Bare
	Pooling PoolingType `dl4j:"poolingType"` // MAX if it is empty
	PNorm   int         `dl4j:"pnorm"`       // the p of PNORM; 2 if it is 0
	// KeepDimensions keeps the pooled dimensions, with extent 1.
	KeepDimensions Not `dl4j:"collapseDimensions"`
	// Dimensions are the pooled dimensions of arrays: 2 for sequences, 2 and 3 for images, 2, 3 and 4 for volumes. If
	// the channels are in the last dimension, each is less by one. By default they follow from the input type.
	Dimensions []int `dl4j:"poolingDimensions"`
}

// Complete fills in settings that are left open.
func (l GlobalPooling) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Bare = l.Bare.Completed(d)
	if l.Pooling == "" {
		l.Pooling = MaxPooling
	}
	if l.PNorm == 0 && !d.FromFile {
		l.PNorm = 2
	}
	if err := checkPooling(l.Pooling, l.PNorm); err != nil {
		return nil, err
	}
	t, err := Single(in)
	if err != nil {
		return nil, err
	}
	last := t.ChannelsLast || t.Format == inputtype.NWC
	switch {
	case d.FromFile:
	case t.Kind == inputtype.ConvolutionalKind:
		l.Dimensions = pooled(2, last)
	case t.Kind == inputtype.Convolutional3DKind && last:
		l.Dimensions = pooled(3, last)
	case t.Kind == inputtype.RecurrentKind && last:
		l.Dimensions = pooled(1, last)
	}
	for n := 1; n <= 3; n++ {
		if slices.Equal(l.Dimensions, pooled(n, false)) || slices.Equal(l.Dimensions, pooled(n, true)) {
			return l, nil
		}
	}
	if len(l.Dimensions) > 0 {
		return nil, fmt.Errorf("poolingDimensions %v are neither [2] nor [1], of sequences, nor [2 3] nor [1 2], of images, "+
			"nor [2 3 4] nor [1 2 3], of volumes", l.Dimensions)
	}
	return l, nil
}

// pooled lists the n dimensions that are neither examples nor channels.
func pooled(n int, last bool) []int {
	list := []int{2, 3, 4}
	if last {
		list = []int{1, 2, 3}
	}
	return list[:n]
}

// Preprocessor restores the shape of flat images.
func (l GlobalPooling) Preprocessor(in inputtype.Type) Preprocessor { return toImages(in) }

// of returns the input's type in the layer's format.
func (l GlobalPooling) of(in []inputtype.Type) (inputtype.Type, error) {
	t, err := Single(in)
	if err != nil {
		return t, err
	}
	dims, known := map[inputtype.Kind]int{inputtype.RecurrentKind: 1, inputtype.ConvolutionalKind: 2,
		inputtype.Convolutional3DKind: 3}[t.Kind]
	if !known {
		return t, fmt.Errorf("takes sequences, images or volumes, got %v; set the network's input type", t)
	}
	if len(l.Dimensions) == 0 {
		return t, nil
	}
	last := l.Dimensions[0] == 1
	if len(l.Dimensions) != dims || (t.ChannelsLast || t.Format == inputtype.NWC) && !last {
		return t, fmt.Errorf("poolingDimensions %v are not all but the channels of %v", l.Dimensions, t)
	}
	if last && dims == 1 {
		return t.As(inputtype.NWC), nil
	}
	return t.Read(last), nil
}

// OutputType is a vector, or the input's kind with extents of 1.
func (l GlobalPooling) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := l.of(in)
	if err != nil {
		return t, err
	}
	n := t.Channels
	if t.Kind == inputtype.RecurrentKind {
		n, t.TimeSteps = t.Size, 1
	}
	if !l.KeepDimensions {
		out := inputtype.FeedForward(n)
		if t.Kind != inputtype.RecurrentKind {
			out = out.Over(t)
		}
		return out, nil
	}
	t.Height, t.Width, t.Depth = min(t.Height, 1), min(t.Width, 1), min(t.Depth, 1)
	return t, nil
}

// Forward emits the formula.
func (l GlobalPooling) Forward(c *Context, in []Activation) Activation {
	of, _ := l.of([]inputtype.Type{in[0].Type})
	out, _ := l.OutputType([]inputtype.Type{in[0].Type})
	x := channelsFirst(c, in[0].Value, of.ChannelsLast || of.Format == inputtype.NWC && of.Kind == inputtype.RecurrentKind)
	s := x.Shape
	cells := s.Size() / max(1, s[0]*s[1])
	mask := in[0].Mask
	var weight, absent *program.Value // the sum of the mask, 1 if it is 0; the rows and channels that are fully masked
	if mask != nil {
		mask, weight = l.mask(c, mask, s)
		weight = c.Select(c.Binary(program.Equal, weight, c.Fill(0)), c.Fill(1), weight)
	}
	switch {
	case l.Pooling == MaxPooling && mask != nil:
		less := c.Sub(c.Fill(1), mask)
		x = c.Add(x, c.Select(c.Binary(program.Equal, less, c.Fill(1)), c.Fill(math.Inf(-1)), less))
		m := mask.Shape
		nothing := c.Binary(program.Equal, mask, c.Fill(0))
		nothing = c.Reshape(nothing, m[0], m[1], m.Size()/max(1, m[0]*m[1]))
		absent = c.Binary(program.Equal, c.Sum(nothing, 2), c.Fill(float64(nothing.Shape[2])))
	case mask != nil:
		x = c.Mul(x, mask)
	}
	p := program.Pool2D{KH: cells, KW: 1, Window: program.Window{StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}}
	var y *program.Value
	switch flat := c.Reshape(x, s[0], s[1], cells); l.Pooling {
	case MaxPooling: // pooling by a window gives the gradient to only one of several largest cells
		y = c.Reshape(pool(c, l.Pooling, 0, c.Reshape(x, s[0], s[1], cells, 1), p), s[0], s[1])
		if absent != nil {
			y = c.Select(absent, c.Fill(0), y)
		}
	case AvgPooling:
		if weight == nil {
			weight = c.Fill(float64(cells))
		}
		y = c.Div(c.Sum(flat, 2), weight)
	case SumPooling:
		y = c.Sum(flat, 2)
	case PNormPooling:
		power := float64(l.PNorm)
		flat, by := program.ShrunkAbove(c.Builder, math.Exp2(96/power), flat, 2)
		powers := c.Sum(c.Binary(program.Pow, c.Unary(program.Abs, flat), c.Fill(power)), 2)
		y = c.Binary(program.Pow, c.Max(powers, c.Fill(1e-30)), c.Fill(1/power)) // held above 0, as in pool
		y = c.Mul(y, c.Reshape(by, y.Shape...))
	}
	shape := tensor.Shape{s[0], s[1]}
	if l.KeepDimensions {
		shape = out.Shape(s[0])
	}
	return Activation{Value: c.Reshape(y, shape...), Type: out}
}

// mask returns the mask as factors of an input of shape s, and its sum per example.
func (l GlobalPooling) mask(c *Context, mask *program.Value, s tensor.Shape) (factors, sum *program.Value) {
	m := mask.Shape
	ok := len(s) == 3 && len(m) == 2 && m[1] == s[2] || len(s) == 4 && len(m) == 4
	for i := 1; ok && len(s) == 4 && i < 4; i++ {
		ok = m[i] == 1 || m[i] == s[i]
	}
	if !ok || m[0] != s[0] {
		panic(&program.ShapeError{Op: "global pooling", Shapes: []tensor.Shape{s, m},
			Reason: "a mask of sequences must be [batch, time], one of images [batch, 1 or channels, 1 or height, 1 or width]"})
	}
	sum = c.Reshape(c.Sum(c.Reshape(mask, m[0], m.Size()/m[0]), 1), m[0], 1)
	if len(m) == 2 {
		mask = c.Reshape(mask, m[0], 1, m[1])
	}
	return mask, sum
}
