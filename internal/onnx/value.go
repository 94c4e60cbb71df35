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
	unitAxis      = '1' // no meaning: extent 1
	directionAxis = 'k' // of recurrent operators
)

// value is a value of a model: the activations of a vertex of the network, or of an input, with axes in their own
// order. A model moves axes around; the network keeps them in the order of its layers.
type value struct {
	from string // vertex or input
	axes []axis
	// order is nil if the elements of a flat value are ordered as in the network. Otherwise element i of the value is
	// element order[i] there.
	order []int
	// recurrent is set for the results of a recurrent operator with two directions, before they are joined.
	recurrent *pending
	// way is 1 for the first direction of recurrent only, and 2 for the second.
	way int
	// groups is the number of groups in which the channels lie between two Reshapes; 0 elsewhere.
	groups int
	// shared says that other nodes read the vertex's activations, too.
	shared bool
}

// labels returns the axes' labels as a text.
func (v *value) labels() string {
	b := make([]byte, len(v.axes))
	for i, a := range v.axes {
		b[i] = a.label
	}
	return string(b)
}

// with returns the value with other axes.
func (v *value) with(axes []axis) *value {
	w := *v
	w.axes = axes
	return &w
}

// axesOf returns the axes of arrays of a type, in the network's order.
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

// whole returns the value of a vertex's activations in the network's order.
func (r *reader) whole(from string) *value { return &value{from: from, axes: axesOf(r.types[from])} }

// like returns the value of a vertex's activations, with axes in the order of another value with the same labels.
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

// asNetwork reports whether a value has the network's order of axes.
func (r *reader) asNetwork(v *value) bool {
	return v.order == nil && v.recurrent == nil && v.labels() == (&value{axes: axesOf(r.types[v.from])}).labels()
}

// axisIndex converts the number of an axis, which may count from the end.
func axisIndex(i int64, rank int) (int, error) {
	if i < 0 {
		i += int64(rank)
	}
	if i < 0 || i >= int64(rank) {
		return 0, fmt.Errorf("the axis %d is none of %d", i, rank)
	}
	return int(i), nil
}
