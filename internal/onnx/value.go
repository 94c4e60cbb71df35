package onnx

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/nn/inputtype"
)

// An axis of a value in a model: its meaning in the network, and its extent.
type axis struct {
	label byte
	size  int // −1 if it is open
}

// The labels of axes.
const (
	batchAxis     = 'b'
	featureAxis   = 'f' // of vectors and sequences
	timeAxis      = 't'
	channelAxis   = 'c' // of images and volumes
	depthAxis     = 'd'
	heightAxis    = 'h'
	widthAxis     = 'w'
	unitAxis      = '1' // nothing: of extent 1
	directionAxis = 'k' // of recurrent operators
)

// value is a value of a model: the activations of a vertex of the network, or of an input, with axes in an order of
// their own. A model moves axes to and fro; a network has them where its layers want them.
type value struct {
	from string // vertex or input
	axes []axis
	// order is nil if the elements of a flat value lie as in the network. Else element i of the value is element order[i]
	// there.
	order []int
	// recurrent is set for what a recurrent operator of two directions gives, before these are joined.
	recurrent *pending
	// way is 1 for the first direction of recurrent alone, and 2 for the second.
	way int
	// shared says that other nodes read the vertex's activations, too.
	shared bool
	// sigmoidOf is the value x of a Sigmoid whose only reader is x·σ(x).
	sigmoidOf string
}

// labels are the axes' labels as a text.
func (v *value) labels() string {
	b := make([]byte, len(v.axes))
	for i, a := range v.axes {
		b[i] = a.label
	}
	return string(b)
}

// with is the value with other axes.
func (v *value) with(axes []axis) *value {
	w := *v
	w.axes = axes
	return &w
}

// axesOf are the axes of arrays of a type as the network has them.
func axesOf(t inputtype.Type) []axis {
	open := func(n int) int {
		if n == 0 {
			return -1
		}
		return n
	}
	b := axis{batchAxis, -1}
	switch t.Kind {
	case inputtype.RecurrentKind:
		f, time := axis{featureAxis, t.Size}, axis{timeAxis, open(t.TimeSteps)}
		if t.Format == inputtype.NWC {
			return []axis{b, time, f}
		}
		return []axis{b, f, time}
	case inputtype.ConvolutionalKind, inputtype.Convolutional3DKind:
		c, space := axis{channelAxis, t.Channels}, []axis{{heightAxis, t.Height}, {widthAxis, t.Width}}
		if t.Kind == inputtype.Convolutional3DKind {
			space = append([]axis{{depthAxis, t.Depth}}, space...)
		}
		if t.ChannelsLast {
			return append(append([]axis{b}, space...), c)
		}
		return append([]axis{b, c}, space...)
	}
	return []axis{b, {featureAxis, t.Elements()}}
}

// whole is the value of a vertex's activations as the network has them.
func (r *reader) whole(from string) *value { return &value{from: from, axes: axesOf(r.types[from])} }

// like is the value of a vertex's activations with axes in the order of another value's, whose labels must be the same.
func (r *reader) like(from string, v *value) (*value, error) {
	axes := axesOf(r.types[from])
	out := make([]axis, 0, len(v.axes))
	for _, a := range v.axes {
		i := slices.IndexFunc(axes, func(b axis) bool { return a.label == b.label })
		switch {
		case a.label == unitAxis:
			out = append(out, a)
		case i < 0:
			return nil, fmt.Errorf("the layer gives %v, and the model goes on with the axes %q", r.types[from], v.labels())
		default:
			out = append(out, axes[i])
		}
	}
	return &value{from: from, axes: out, order: v.order}, nil
}

// asNetwork reports whether a value's axes lie as those of the network.
func (r *reader) asNetwork(v *value) bool {
	return v.order == nil && v.recurrent == nil && v.labels() == (&value{axes: axesOf(r.types[v.from])}).labels()
}

// axisIndex reads the number of an axis, which may count from the end.
func axisIndex(i int64, rank int) (int, error) {
	if i < 0 {
		i += int64(rank)
	}
	if i < 0 || i >= int64(rank) {
		return 0, fmt.Errorf("the axis %d is none of %d", i, rank)
	}
	return int(i), nil
}
