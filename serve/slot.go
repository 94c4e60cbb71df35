package serve

import (
	"errors"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/tensor"
)

// slot is the arrays of minibatches of one size: a program of the network takes them.
type slot struct {
	size   int
	whole  *data.MultiDataSet
	some   *data.MultiDataSet // its first examples, for the normalizer
	memory int64              // bytes of the program
	held   int64              // bytes of the program and the arrays
	over   bool               // the program would take too much memory
}

// maxSlots is how many slots a seat keeps: as many as a network keeps programs.
const maxSlots = 12

// slot returns the arrays for examples like m's: of the least power of two that holds them, up to the largest size
// allowed.
func (s *seat) slot(m *data.MultiDataSet, examples int) (*slot, error) {
	size := 1
	for size < examples && size < s.o.MaxBatch {
		size *= 2
	}
	for {
		t, err := s.sized(m, size)
		if err != nil || !t.over {
			return t, err
		}
		size /= 2
	}
}

func (s *seat) sized(m *data.MultiDataSet, size int) (*slot, error) {
	rows := m.Examples()
	for i, t := range s.slots {
		if t.size == size && sameShapes(t.whole, size, m, rows) {
			copy(s.slots[1:i+1], s.slots[:i])
			s.slots[0] = t
			return t, nil
		}
	}
	if err := s.net.Check(&data.MultiDataSet{Features: m.Features, FeatureMasks: m.FeatureMasks}); err != nil {
		return nil, err
	}
	t := newSlot(m, size)
	var err error
	if t.memory, err = s.net.InferenceMemory(t.whole); err != nil {
		return nil, err
	}
	if t.over = size > 1 && t.memory > s.mostMemory(m); t.over {
		t.whole = shapesOnly(t.whole)
	} else {
		t.held = t.memory + t.whole.Bytes()
	}
	if len(s.slots) < maxSlots {
		s.slots = append(s.slots, nil)
	}
	copy(s.slots[1:], s.slots)
	s.slots[0] = t
	return t, nil
}

// The bytes of intermediate values that stay in a processor's caches: of images in the second-level cache, as each
// layer reads all values of the one before. Sequences gain more from many rows in each step of a loop.
const (
	cachedMemory = 8 << 20
	cachedImages = 2 << 20
)

// mostMemory is the bytes that a program of several examples like m's may take. A processor computes a few examples at
// a time faster than many, whose intermediate values leave its caches, unless it then reads more parameters than it
// saves.
func (s *seat) mostMemory(m *data.MultiDataSet) int64 {
	threads := s.o.Threads
	if s.own != nil {
		e, ok := s.own.(*cpu.Executor)
		if !ok {
			return s.o.MaxMemory
		}
		threads = e.Threads()
	} else if s.net.OnDevice() {
		return s.o.MaxMemory
	}
	cached := int64(cachedMemory)
	if len(m.Features[0].Shape) == 4 {
		cached = cachedImages
	}
	return min(s.o.MaxMemory, max(cached*int64(threads), 4*int64(s.net.NumParams())))
}

// newSlot makes arrays for size examples like m's.
func newSlot(m *data.MultiDataSet, size int) *slot {
	rows := m.Examples()
	list := func(arrays []*tensor.Dense) []*tensor.Dense {
		var out []*tensor.Dense
		for _, a := range arrays {
			if a == nil {
				out = append(out, nil)
				continue
			}
			shape := a.Shape.Clone()
			shape[0] = shape[0] / rows * size
			out = append(out, tensor.New(shape...))
		}
		return out
	}
	views := func(arrays []*tensor.Dense) []*tensor.Dense {
		var out []*tensor.Dense
		for _, a := range arrays {
			if a != nil {
				a = &tensor.Dense{Shape: a.Shape.Clone()}
			}
			out = append(out, a)
		}
		return out
	}
	t := &slot{size: size, whole: &data.MultiDataSet{Features: list(m.Features), FeatureMasks: list(m.FeatureMasks),
		Labels: list(m.Labels), LabelMasks: list(m.LabelMasks)}}
	t.some = &data.MultiDataSet{Features: views(t.whole.Features), FeatureMasks: views(t.whole.FeatureMasks)}
	return t
}

// shapesOnly gives a data set's shapes, without its memory.
func shapesOnly(m *data.MultiDataSet) *data.MultiDataSet {
	for _, list := range arrays(m) {
		for _, a := range list {
			if a != nil {
				a.Data = nil
			}
		}
	}
	return m
}

// arrays are the lists of arrays of a minibatch.
func arrays(m *data.MultiDataSet) [4][]*tensor.Dense {
	return [4][]*tensor.Dense{m.Features, m.FeatureMasks, m.Labels, m.LabelMasks}
}

// fill copies a span's examples to their place.
func (t *slot) fill(sp span) {
	in := sp.of.in
	t.place(t.whole.Features, in.Features, sp)
	if in.FeatureMasks != nil || in.LabelMasks != nil {
		t.place(t.whole.FeatureMasks, in.FeatureMasks, sp)
		t.place(t.whole.Labels, in.Labels, sp)
		t.place(t.whole.LabelMasks, in.LabelMasks, sp)
	}
}

// place copies a span's examples of a list of arrays. Labels and their masks may have several rows for each example:
// first those of all examples, then the second ones.
func (t *slot) place(to, list []*tensor.Dense, sp span) {
	rows := sp.of.rows
	for i, a := range list {
		if a == nil {
			continue
		}
		w := len(a.Data) / a.Shape[0]
		for k := range a.Shape[0] / rows {
			copy(to[i].Data[(k*t.size+sp.at)*w:], a.Data[(k*rows+sp.from)*w:(k*rows+sp.to)*w])
		}
	}
}

// pad makes the examples from n on zeros.
func (t *slot) pad(n int) {
	if n == t.size {
		return
	}
	for _, list := range arrays(t.whole) {
		for _, a := range list {
			if a == nil {
				continue
			}
			w := a.RowSize()
			for k := range a.Rows() / t.size {
				clear(a.Data[(k*t.size+n)*w : (k+1)*t.size*w])
			}
		}
	}
}

// first gives features and masks of the first n examples, which share the slot's memory.
func (t *slot) first(n int) *data.MultiDataSet {
	view := func(views, whole []*tensor.Dense) {
		for i, v := range views {
			if v != nil {
				v.Shape[0], v.Data = n, whole[i].Data[:n*whole[i].RowSize()]
			}
		}
	}
	view(t.some.Features, t.whole.Features)
	view(t.some.FeatureMasks, t.whole.FeatureMasks)
	return t.some
}

// finite reports whether all numbers of the first n examples are finite.
func (t *slot) finite(n int) bool {
	for _, list := range [...][]*tensor.Dense{t.whole.Features, t.whole.FeatureMasks, t.whole.LabelMasks} {
		for _, a := range list {
			if a != nil && a.Rows() == t.size && !finite(a.Data[:n*a.RowSize()]) {
				return false
			}
		}
	}
	return true
}

// checkFinite looks for numbers of a span that are NaN or infinite. It tells the example of the call.
func (t *slot) checkFinite(sp span) error {
	n := sp.to - sp.from
	bad := false
	for _, list := range [...][]*tensor.Dense{t.whole.Features, t.whole.FeatureMasks, t.whole.LabelMasks} {
		for _, a := range list {
			if a != nil && a.Rows() == t.size {
				w := a.RowSize()
				bad = bad || !finite(a.Data[sp.at*w:(sp.at+n)*w])
			}
		}
	}
	if !bad {
		return nil
	}
	m := t.whole.Slice(sp.at, sp.at+n)
	m.Labels = nil
	err := m.CheckFinite()
	if v := (*data.ValueError)(nil); errors.As(err, &v) {
		v.Example += sp.from
	}
	return err
}

// sameShapes reports whether n examples and k others can go through a network together.
func sameShapes(a *data.MultiDataSet, n int, b *data.MultiDataSet, k int) bool {
	return sameRows(a.Features, b.Features, n, k) && sameRows(a.FeatureMasks, b.FeatureMasks, n, k) &&
		sameRows(a.LabelMasks, b.LabelMasks, n, k) && sameRows(a.Labels, b.Labels, n, k)
}

// sameRows reports whether the examples of these arrays, n and k of them, have the same shapes.
func sameRows(a, b []*tensor.Dense, n, k int) bool {
	if len(a) != len(b) {
		return false
	}
	for i, x := range a {
		y := b[i]
		if (x == nil) != (y == nil) || x != nil && (x.Shape[0]*k != y.Shape[0]*n || !x.Shape[1:].Equal(y.Shape[1:])) {
			return false
		}
	}
	return true
}
