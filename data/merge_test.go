package data

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

// series returns examples of the given size and length; element e of step t of example n is 100·(first+n)+10·e+t+1.
func series(first, n, size, length int, masked bool) *MultiDataSet {
	x := tensor.New(n, size, length)
	for i := range x.Data {
		x.Data[i] = float32(100*(first+i/(size*length)) + 10*(i/length%size) + i%length + 1)
	}
	m := &MultiDataSet{Features: []*tensor.Dense{x}, Labels: []*tensor.Dense{tensor.New(n, 2)}}
	if masked {
		mask := tensor.New(n, length)
		for i := range mask.Data {
			mask.Data[i] = float32(1 - i%2)
		}
		m.FeatureMasks = []*tensor.Dense{mask}
	}
	return m
}

func TestSeriesOfDifferentLengthArePadded(t *testing.T) {
	m, err := Merge([]*MultiDataSet{series(1, 1, 2, 2, false), series(2, 1, 2, 3, true), series(3, 1, 2, 1, false)})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float32{101, 102, 0, 111, 112, 0, 201, 202, 203, 211, 212, 213, 301, 0, 0, 311, 0,
		0}; !slices.Equal(m.Features[0].Data, want) ||
		!m.Features[0].Shape.Equal(tensor.Shape{3, 2, 3}) {
		t.Errorf("features %v %v, want %v", m.Features[0].Shape, m.Features[0].Data, want)
	}
	if want := []float32{1, 1, 0, 1, 0, 1, 1, 0, 0}; !slices.Equal(m.FeatureMask(0).Data, want) {
		t.Errorf("mask %v, want %v", m.FeatureMask(0).Data, want)
	}
	if m.LabelMasks != nil || m.Validate() != nil {
		t.Errorf("label masks %v, %v", m.LabelMasks, m.Validate())
	}
	if m, err = Merge([]*MultiDataSet{series(1, 2, 1, 2, false), series(2, 1, 1, 2, false)}); err != nil ||
		m.FeatureMasks != nil {
		t.Errorf("series of one length get the masks %v, %v", m.FeatureMasks, err)
	}
}

// TestMergeAsDeeplearning4jDoes merges the same data as DataSet.merge: series of 3 and 5 steps.
func TestMergeAsDeeplearning4jDoes(t *testing.T) {
	var sets []*MultiDataSet
	for _, name := range []string{"a", "b", "merged"} {
		m, err := ReadFile(t.Context(), "testdata/merge/"+name+".bin")
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, m)
	}
	if m, err := Merge(sets[:2]); err != nil || !same(m, sets[2]) || m.LabelMasks == nil {
		t.Errorf("merged %v, %v", m, err)
	}
}

func TestMasksOfSomeParts(t *testing.T) {
	plain := &MultiDataSet{Features: []*tensor.Dense{tensor.New(2, 3)}, Labels: []*tensor.Dense{tensor.New(2, 4)}}
	masked := &MultiDataSet{Features: plain.Features, Labels: plain.Labels, LabelMasks: []*tensor.Dense{tensor.New(2, 1)}}
	m, err := Merge([]*MultiDataSet{plain, masked})
	if err != nil || !slices.Equal(m.LabelMask(0).Data, []float32{1, 1, 0, 0}) {
		t.Errorf("%v, %v", m, err)
	}
	per := &MultiDataSet{Features: plain.Features, Labels: plain.Labels, LabelMasks: []*tensor.Dense{tensor.New(2, 4)}}
	var s *ShapeError
	if _, err := Merge([]*MultiDataSet{masked, per}); !errors.As(err, &s) {
		t.Errorf("masks of different kinds are merged: %v", err)
	}
	wide := &MultiDataSet{Features: []*tensor.Dense{tensor.New(2, 5)}, Labels: plain.Labels}
	if _, err := Merge([]*MultiDataSet{plain, wide}); !errors.As(err, &s) {
		t.Errorf("3 and 5 columns are merged: %v", err)
	}
}

// TestPaddingOfExampleMasks: sequences whose masks have one value for each example are padded, too, and the padding is
// masked.
func TestPaddingOfExampleMasks(t *testing.T) {
	part := func(steps int, mask []float32, shape ...int) *MultiDataSet {
		m := &MultiDataSet{Features: []*tensor.Dense{tensor.New(2, 2, steps)}}
		if mask != nil {
			m.FeatureMasks = []*tensor.Dense{tensor.MustOf(mask, shape...)}
		}
		m.Labels, m.LabelMasks = m.Features, m.FeatureMasks
		return m
	}
	for name, c := range map[string]struct {
		parts []*MultiDataSet
		shape tensor.Shape
		want  []float32
	}{
		"one an example": {[]*MultiDataSet{part(2, []float32{1, 0}, 2, 1), part(3, []float32{0.5, 1}, 2, 1)},
			tensor.Shape{4, 3}, []float32{1, 1, 0, 0, 0, 0, 0.5, 0.5, 0.5, 1, 1, 1}},
		"first without": {[]*MultiDataSet{part(2, nil), part(3, []float32{1, 0}, 2, 1)},
			tensor.Shape{4, 3}, []float32{1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0}},
		"of one step first": {[]*MultiDataSet{part(1, []float32{1, 0}, 2, 1), part(2, []float32{1, 0}, 2, 1)},
			tensor.Shape{4, 2}, []float32{1, 0, 0, 0, 1, 1, 0, 0}},
		"beside one a step": {[]*MultiDataSet{part(2, []float32{1, 0}, 2, 1), part(2, []float32{1, 0, 0, 1}, 2, 2)},
			tensor.Shape{4, 2}, []float32{1, 1, 0, 0, 1, 0, 0, 1}},
		"of three dimensions": {[]*MultiDataSet{part(2, []float32{1, 0, 0, 1}, 2, 2, 1),
			part(1, []float32{1, 1, 0, 0}, 2, 2, 1)},
			tensor.Shape{4, 2, 2}, []float32{1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0}},
		"of one length": {[]*MultiDataSet{part(2, []float32{1, 0}, 2, 1), part(2, nil)}, tensor.Shape{4, 1},
			[]float32{1, 0, 1, 1}},
	} {
		m, err := Merge(c.parts)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, mask := range []*tensor.Dense{m.FeatureMask(0), m.LabelMask(0)} {
			if !mask.Shape.Equal(c.shape) || !slices.Equal(mask.Data, c.want) {
				t.Errorf("%s: mask %v %v, want %v %v", name, mask.Shape, mask.Data, c.shape, c.want)
			}
		}
		if err := m.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Steps in dimension 1, with their mask: padding dimension 2 would pad features.
	var s *ShapeError
	a := &MultiDataSet{Features: []*tensor.Dense{tensor.New(1, 4, 2)}, FeatureMasks: []*tensor.Dense{tensor.New(1, 4)}}
	b := &MultiDataSet{Features: []*tensor.Dense{tensor.New(1, 4, 3)}, FeatureMasks: []*tensor.Dense{tensor.New(1, 4)}}
	if m, err := Merge([]*MultiDataSet{a, b}); !errors.As(err, &s) {
		t.Errorf("4 steps of 2 and of 3 features are merged: %v, %v", m, err)
	}
}

func collect(t *testing.T, it Iterator) (sizes []int, values []float32) {
	t.Helper()
	for {
		m, err := it.Next()
		if err == io.EOF {
			return sizes, values
		}
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, m.Examples())
		values = append(values, m.Features[0].Data...)
	}
}

func numbered(n int) *MultiDataSet {
	m := &MultiDataSet{Features: []*tensor.Dense{tensor.New(n, 1)}, Meta: make([]string, n)}
	for i := range n {
		m.Features[0].Data[i] = float32(i)
	}
	return m
}

func TestRebatch(t *testing.T) {
	all := numbered(17)
	parts := []*MultiDataSet{all.Slice(0, 5), all.Slice(5, 6), all.Slice(6, 6), all.Slice(6, 16), all.Slice(16, 17)}
	for size, want := range map[int][]int{4: {4, 4, 4, 4, 1}, 5: {5, 5, 5, 2}, 100: {17}, 1: slices.Repeat([]int{1}, 17)} {
		sizes, values := collect(t, Rebatch(Of(parts...), size))
		if !slices.Equal(sizes, want) || !slices.Equal(values, all.Features[0].Data) {
			t.Errorf("batches of %d: %v with %v", size, sizes, values)
		}
	}
}

func TestSelectAndSlice(t *testing.T) {
	m := series(0, 4, 2, 3, true)
	m.Meta = []string{"a", "b", "c", "d"}
	s := m.Select([]int{3, 1, 1})
	for i, r := range []int{3, 1, 1} {
		if one := s.Slice(i, i+1); !same(one, m.Slice(r, r+1)) {
			t.Errorf("example %d is not the original's %d: %v", i, r, one)
		}
	}
}

func TestShuffle(t *testing.T) {
	m := numbered(100)
	a, b, c := m.Shuffle(1), m.Shuffle(1), m.Shuffle(2)
	if !same(a, b) || same(a, c) || same(a, m) {
		t.Error("the order is not that of the seed")
	}
	slices.Sort(a.Features[0].Data)
	if !slices.Equal(a.Features[0].Data, m.Features[0].Data) {
		t.Errorf("examples are lost: %v", a.Features[0].Data)
	}
}

func TestPrefetch(t *testing.T) {
	all := numbered(50)
	p := Prefetch(all.Batches(7), 3)
	if _, values := collect(t, p); !slices.Equal(values, all.Features[0].Data) {
		t.Errorf("got %v", values)
	}
	if _, err := p.Next(); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	p.Close()

	failure := errors.New("the file is gone")
	f := Prefetch(&failing{after: 2, err: failure}, 1)
	for range 2 {
		if _, err := f.Next(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, err := f.Next(); err != failure {
			t.Errorf("got %v", err)
		}
	}
	f.Close()

	endless := &failing{after: 1 << 30}
	e := Prefetch(endless, 2)
	if _, err := e.Next(); err != nil {
		t.Fatal(err)
	}
	e.Close() // returns only after the goroutine has ended
	if endless.given > 4 {
		t.Errorf("%d minibatches were read ahead", endless.given)
	}
	if _, err := e.Next(); err == nil {
		t.Error("a closed iterator goes on")
	}
	e.Close()
}

type failing struct {
	after, given int
	err          error
}

func (f *failing) Next() (*MultiDataSet, error) {
	if f.given++; f.given > f.after {
		return nil, f.err
	}
	return numbered(1), nil
}

func TestValidate(t *testing.T) {
	good := series(0, 4, 2, 3, true)
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, m := range map[string]*MultiDataSet{
		"no features":  {},
		"label rows":   {Features: good.Features, Labels: []*tensor.Dense{tensor.New(3, 2)}},
		"rank 1":       {Features: []*tensor.Dense{tensor.New(4)}},
		"mask length":  {Features: good.Features, FeatureMasks: []*tensor.Dense{tensor.New(4, 5)}},
		"mask rows":    {Features: good.Features, FeatureMasks: []*tensor.Dense{tensor.New(3, 3)}},
		"masks":        {Features: good.Features, FeatureMasks: []*tensor.Dense{nil, nil}},
		"meta":         {Features: good.Features, Meta: []string{"x"}},
		"missing":      {Features: good.Features, Labels: []*tensor.Dense{nil}},
		"short data":   {Features: []*tensor.Dense{{Shape: tensor.Shape{3, 2}, Data: make([]float32, 5, 6)}}},
		"negative":     {Features: []*tensor.Dense{{Shape: tensor.Shape{3, -2}}}},
		"short mask":   {Features: good.Features, FeatureMasks: []*tensor.Dense{{Shape: tensor.Shape{4, 3}}}},
		"mask of rank": {Features: good.Features, FeatureMasks: []*tensor.Dense{tensor.New(4, 2, 3, 1)}},
	} {
		var s *ShapeError
		if err := m.Validate(); !errors.As(err, &s) {
			t.Errorf("%s: %v", name, err)
		}
	}
	nan := good.Clone()
	nan.Features[0].Data[2*6+4] /= 0
	var v *ValueError
	if err := nan.CheckFinite(); !errors.As(err, &v) || v.Example != 2 || v.Column != 4 || v.Array != "features" {
		t.Errorf("got %v", err)
	}
	if err := good.CheckFinite(); err != nil {
		t.Error(err)
	}
}

func TestDamagedRows(t *testing.T) {
	row := AppendRow([]byte("before"), series(0, 2, 2, 3, true))[len("before"):]
	for i := range row {
		if _, err := DecodeRow(row[:i]); err == nil {
			t.Errorf("a row cut off at %d is decoded", i)
		}
	}
	if _, err := DecodeRow(append(row, 0)); err == nil {
		t.Error("a row that is too long is decoded")
	}
}
