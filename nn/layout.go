package nn

import (
	"fmt"
	"math"
	"reflect"

	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
)

// layout says where each parameter is in the flat vectors. Parameters and gradient are ordered by layer, the updater
// state by updater blocks.
type layout struct {
	entries []entry
	blocks  []block
	params  int // length of the parameter vector
	state   int // length of the updater state
	// untrainable is the reason why the parameters can be used in inference only.
	untrainable error
}

// entry is one parameter.
type entry struct {
	node         int // the layer
	param        layer.Param
	offset, size int
	alone        bool // its updater is an [updater.Shaped], and its block has no other parameter
}

// block is a maximal run of parameters with equal updaters. Its state is the updater's first array for the whole
// block, then the second, and so on.
type block struct {
	updater     updater.Updater
	first, last int // entries [first, last)
	offset      int // of its parameters in the parameter vector
	size        int
	state       int // offset of its state
	pretrain    bool
}

// segment is a range of a block whose elements all go through the same update.
type segment struct {
	block       int
	first, last int // entries [first, last)
	offset      int
	size        int
}

// maxParams bounds the number of parameters of a configuration.
const maxParams = math.MaxInt32

// newLayout lays out the parameters of all nodes.
func newLayout(of *topology) (layout, error) {
	var l layout
	for i, n := range of.nodes {
		for _, p := range n.layer.Params() {
			size, err := p.Shape.CheckedSize(maxParams - l.params)
			if err != nil {
				return l, of.at(i, fmt.Errorf("parameter %s: %w", p.Name, err))
			}
			if p.Init == nil || p.Updater == nil {
				return l, of.at(i, fmt.Errorf("parameter %s: its Init or its Updater is nil; its layer's Params must set both",
					p.Name))
			}
			p.Updater = updater.Complete(p.Updater)
			shaped, alone := p.Updater.(updater.Shaped)
			if alone {
				p.Updater = shaped.For(p.ForUpdater())
			}
			for _, held := range p.Constraints {
				if err := regularization.CheckConstraint(held, p.Shape); err != nil && l.untrainable == nil {
					l.untrainable = of.at(i, fmt.Errorf("parameter %s: %w", p.Name, err))
				}
			}
			l.entries = append(l.entries, entry{i, p, l.params, size, alone})
			l.params += size
		}
	}
	for i, e := range l.entries {
		pretrain := e.param.Kind == layer.PretrainOnly
		if k := len(l.blocks) - 1; k >= 0 && !e.alone && !l.entries[i-1].alone &&
			l.blocks[k].updater.Equal(e.param.Updater) && l.blocks[k].pretrain == pretrain {
			l.blocks[k].last = i + 1
			l.blocks[k].size += e.size
			continue
		}
		l.blocks = append(l.blocks, block{updater: e.param.Updater, first: i, last: i + 1, offset: e.offset, size: e.size,
			pretrain: pretrain})
	}
	for i := range l.blocks {
		b := &l.blocks[i]
		b.state = l.state
		for k := range b.updater.States() {
			_, size := b.stateAt(k, b.offset, b.size)
			l.state += size
		}
	}
	return l, nil
}

// stateAt returns the offset and the length of state array k in the vector of states, for the block's parameters from
// an offset on. The array of a [updater.Sized] is that of the whole block.
func (b *block) stateAt(k, offset, size int) (at, length int) {
	u, ok := b.updater.(updater.Sized)
	if !ok {
		return b.state + k*b.size + offset - b.offset, size
	}
	at = b.state
	for i := range k {
		at += u.StateSize(i)
	}
	return at, u.StateSize(k)
}

// segments cuts the blocks where regularisation or gradient normalisation changes.
func (l *layout) segments(nodes []node) []segment {
	var out []segment
	for bi, b := range l.blocks {
		if b.pretrain {
			continue
		}
		for i := b.first; i < b.last; i++ {
			e := l.entries[i]
			if k := len(out) - 1; k >= 0 && out[k].block == bi && l.alike(nodes, out[k].first, i) {
				out[k].last = i + 1
				out[k].size += e.size
				continue
			}
			out = append(out, segment{bi, i, i + 1, e.offset, e.size})
		}
	}
	return out
}

// alike reports whether two parameters of a block can be updated as one range.
func (l *layout) alike(nodes []node, i, j int) bool {
	a, b := l.entries[i], l.entries[j]
	if len(a.param.Constraints)+len(b.param.Constraints) > 0 {
		return false
	}
	if u, ok := a.param.Updater.(updater.Weighted); ok && u.PerParameter() {
		return false
	}
	s, t := nodes[a.node].layer.Settings(), nodes[b.node].layer.Settings()
	if len(a.param.Regularization)+len(b.param.Regularization) > 0 &&
		!reflect.DeepEqual(a.param.Regularization, b.param.Regularization) {
		return false
	}
	none := func(n layer.GradientNormalization) bool { return n == "" || n == layer.NoNormalization }
	if none(s.GradientNormalization) && none(t.GradientNormalization) {
		return true
	}
	if s.GradientNormalization != t.GradientNormalization ||
		s.GradientNormalizationThreshold != t.GradientNormalizationThreshold {
		return false
	}
	switch s.GradientNormalization {
	case layer.ClipElementWiseAbsolute:
		return true
	case layer.RenormalizeL2PerLayer, layer.ClipL2PerLayer:
		return a.node == b.node
	}
	return false
}

// nodeRange returns the range of a layer's parameters.
func (l *layout) nodeRange(node int) (offset, size int) {
	for _, e := range l.entries {
		if e.node == node {
			if size == 0 {
				offset = e.offset
			}
			size += e.size
		}
	}
	return offset, size
}

// views returns a layer's parameters as values of a program.
func (l *layout) views(b *program.Builder, node int) map[string]*program.Value {
	m := map[string]*program.Value{}
	for _, e := range l.entries {
		if e.node == node {
			m[e.param.Name] = b.View(program.Params, e.offset, e.param.Stored()...)
		}
	}
	return m
}

// initParams draws the parameters, each from its own stream.
func (l *layout) initParams(x []float32, seed uint64) {
	for i, e := range l.entries {
		e.param.Init(x[e.offset:e.offset+e.size], weights.NewSource(random.Mix(seed, uint64(i))))
	}
}

// initState fills the updater state.
func (l *layout) initState(x []float32) {
	for _, b := range l.blocks {
		for i := range b.updater.States() {
			v := float32(b.updater.InitialState(i))
			at, size := b.stateAt(i, b.offset, b.size)
			part := x[at:][:size]
			for k := range part {
				part[k] = v
			}
		}
	}
}
