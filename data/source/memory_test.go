package source

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/tensor"
)

func numbered(t *testing.T, n int) Table {
	t.Helper()
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(n, 2)}, Labels: []*tensor.Dense{tensor.New(n, 1)}}
	for i := range n {
		m.Features[0].Data[2*i], m.Features[0].Data[2*i+1], m.Labels[0].Data[i] = float32(i), -float32(i), float32(10*i)
	}
	table, err := InMemory(InfoOf("numbers", m), m)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestInMemory: a data set in memory and a subset of it return their examples in order, as copies.
func TestInMemory(t *testing.T) {
	all := numbered(t, 5)
	few := Subset(all, "few", []int{4, 1, 3})
	first := func(m *data.MultiDataSet) (of []float32) {
		for i := range m.Examples() {
			of = append(of, m.Features[0].Data[2*i])
		}
		return of
	}
	for _, c := range []struct {
		name string
		got  []float32
		want []float32
	}{
		{"all", first(all.Range(1, 3)), []float32{1, 2}},
		{"all by index", first(all.Examples([]int{3, 0, 3})), []float32{3, 0, 3}},
		{"few", first(few.Range(0, 3)), []float32{4, 1, 3}},
		{"few by index", first(few.Examples([]int{2, 0})), []float32{3, 4}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	if i := few.Info(); i.Name != "few" || i.Examples != 3 || few.Objects() != 3 {
		t.Errorf("the subset is %+v", i)
	}
	one, err := few.Object(1)
	if err != nil || one.Labels[0].Data[0] != 10 {
		t.Errorf("object 1 of the subset: %v, %v", one, err)
	}
	one.Features[0].Data[0] = 99
	if again, err := all.Object(1); err != nil || again.Features[0].Data[0] != 1 {
		t.Errorf("an example is not a copy: %v, %v", again, err)
	}
	for _, s := range []Source{all, few} {
		for _, i := range []int{-1, s.Objects()} {
			if _, err := s.Object(i); err == nil {
				t.Errorf("%s has an object %d", s.Info().Name, i)
			}
		}
	}
}

// TestInMemoryRefuses: invalid data sets and numbers that are not finite are refused.
func TestInMemoryRefuses(t *testing.T) {
	bad := tensor.New(2, 2)
	bad.Data[3] = float32(math.NaN())
	var value *data.ValueError
	m := &data.MultiDataSet{Features: []*tensor.Dense{bad}}
	if _, err := InMemory(InfoOf("bad", m), m); !errors.As(err, &value) || value.Example != 1 || value.Column != 1 {
		t.Errorf("NaN: %v", err)
	}
	var shape *data.ShapeError
	if _, err := InMemory(Info{Name: "none"}, &data.MultiDataSet{}); !errors.As(err, &shape) {
		t.Errorf("no features: %v", err)
	}
}
