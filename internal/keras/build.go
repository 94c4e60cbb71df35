package keras

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// builder makes the vertices of a graph from the layers of a model.
type builder struct {
	a        *archive
	model    *model
	vertices []nn.GraphVertex
	at       map[string]int    // vertices by name
	renamed  map[string]string // vertices that took the name of an output
	training *training
	columns  []*column // the inputs of a model that takes texts, or hashes numbers; nil for others
	// below is the number of values of vertices that give whole numbers from 0.
	below map[string]int
	// reasons say why training cannot continue as in Keras.
	reasons []string
	notices []string
	after   []func() // run once the arrays that belong to the configuration are read
}

// value is an activation in Keras' layout: an output of a vertex.
type value struct {
	from  string
	shape []int   // without the batch; -1 for an open extent
	last  bool    // the network knows that the channels are in the last dimension
	mask  string  // a vertex with [batch, time, 1], 1 for a step that is present; "" without a mask
	texts *column // an input of texts, or of numbers that a layer hashes; nil for others
}

func (t value) rank() int { return len(t.shape) }

// channels returns the last extent.
func (t value) channels() int { return t.shape[len(t.shape)-1] }

// with returns the output of another vertex, with its shape and the same mask.
func (t value) with(from string, shape ...int) value {
	return value{from: from, shape: shape, last: true, mask: t.mask}
}

// bare returns the tensor without its mask.
func (t value) bare() value {
	t.mask = ""
	return t
}

// add adds a vertex under a name, or under a similar free name.
func (b *builder) add(name string, v any, in ...string) string {
	free := name
	for i := 1; ; i++ {
		if _, taken := b.at[free]; !taken {
			break
		}
		free = fmt.Sprintf("%s_%d", name, i)
	}
	one := nn.GraphVertex{Name: free, Inputs: in}
	switch v := v.(type) {
	case layer.Layer:
		one.Layer = v
	case vertex.Vertex:
		one.Vertex = v
	}
	b.at[free] = len(b.vertices)
	b.vertices = append(b.vertices, one)
	return free
}

// cannot records why training cannot continue.
func (b *builder) cannot(format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	if !slices.Contains(b.reasons, why) {
		b.reasons = append(b.reasons, why)
	}
}

// lastTyped returns the tensor with a type that says that its channels are in the last dimension.
func (b *builder) lastTyped(t value) value {
	if t.last || t.rank() < 2 {
		return t
	}
	return t.with(b.add(t.from+"-channels-last", vertex.ChannelsLast{}, t.from), t.shape...)
}

// rearranged returns a tensor with its dimensions reordered (order counts from 1; nil keeps them) and another shape
// (nil keeps it).
func (b *builder) rearranged(name string, t value, order, shape []int, out ...int) value {
	return t.with(b.add(name, vertex.Rearrange{Order: order, Shape: shape}, t.from), out...)
}

// channelsLast moves the second dimension of arrays to the end; channelsFirst moves it back.
func (b *builder) channelsLast(name string, t value) value {
	order, shape := []int{}, []int{}
	for i := 2; i <= t.rank(); i++ {
		order, shape = append(order, i), append(shape, t.shape[i-1])
	}
	return b.rearranged(name, t, append(order, 1), nil, append(shape, t.shape[0])...)
}

func (b *builder) channelsFirst(name string, t value) value {
	n := t.rank()
	order, shape := []int{n}, []int{t.channels()}
	for i := 1; i < n; i++ {
		order, shape = append(order, i), append(shape, t.shape[i-1])
	}
	return b.rearranged(name, t, order, nil, shape...)
}

// known returns the extents, and stops the import if one is open.
func (t value) known(s settings) []int {
	if slices.Contains(t.shape, -1) {
		s.refuse("its input has the shape %s, whose open extents it must know", dims(t.shape))
	}
	return t.shape
}

// dims formats a shape for an error.
func dims(shape []int) string {
	text := "[batch"
	for _, n := range shape {
		if n < 0 {
			text += ", ?"
		} else {
			text += fmt.Sprintf(", %d", n)
		}
	}
	return text + "]"
}

// size returns the number of elements; -1 if it is open.
func size(shape []int) int {
	n := 1
	for _, d := range shape {
		if d < 0 {
			return -1
		}
		if n *= max(d, 1); n > 1<<40 {
			refuse("arrays of the shape %s are too large", dims(shape))
		}
	}
	return n
}

// rankOf stops the import if an input has another number of dimensions.
func (l *kerasLayer) rankOf(t value, ranks ...int) {
	if !slices.Contains(ranks, t.rank()) {
		l.refuse("its input has the shape %s: %v dimensions and the batch's are needed", dims(t.shape), ranks)
	}
	for _, n := range t.shape {
		if n == 0 {
			l.refuse("its input has the shape %s: extents must be positive", dims(t.shape))
		}
	}
}

// features returns the last extent, which must be known.
func (l *kerasLayer) features(t value) int {
	if t.rank() == 0 || t.channels() < 1 {
		l.refuse("its input has the shape %s: the last extent must be known", dims(t.shape))
	}
	return t.channels()
}

// freeze wraps a layer that is not trained but passes gradients.
func (l *kerasLayer) freeze(of layer.Layer) layer.Layer {
	if !l.frozen {
		return of
	}
	return layer.FrozenWithBackprop{Layer: of}
}
