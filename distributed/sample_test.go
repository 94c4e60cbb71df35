package distributed_test

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
)

// TestEvenSample: a sample has examples at equal distances, as many as are wanted or a half of that, wherever the
// partitions end.
func TestEvenSample(t *testing.T) {
	e := start(t)
	for _, c := range []struct {
		sizes []int
		most  int
		want  []float32 // all numbers; nil if they are not listed
		least int
	}{
		{sizes: []int{5, 3, 3}, most: 20, least: 11},
		{sizes: []int{5, 3, 3}, most: 6, least: 4, want: []float32{0, 4, 5, 8}},
		{sizes: []int{0, 10, 1}, most: 2, least: 2, want: []float32{0, 10}},
		{sizes: []int{400, 100, 300}, most: 50, least: 25},
		{sizes: []int{7}, most: 1, least: 1, want: []float32{0}},
	} {
		var sets []*data.MultiDataSet
		at := 0
		for _, n := range c.sizes {
			if n > 0 {
				sets = append(sets, numbered(at, n))
			}
			at += n
		}
		d, err := distributed.FromDataSets(e, sets, len(sets))
		if err != nil {
			t.Fatal(err)
		}
		m, err := distributed.EvenSample(ctx, d, c.most)
		if err != nil {
			t.Fatal(err)
		}
		var got []float32
		for i := range m.Examples() {
			got = append(got, m.Features[0].Data[2*i])
		}
		if len(got) < c.least || len(got) > c.most || c.want != nil && !slices.Equal(got, c.want) {
			t.Errorf("%d of %v: %v", c.most, c.sizes, got)
		}
	}
}

// TestEvenSampleOfNothing: without examples there is none.
func TestEvenSampleOfNothing(t *testing.T) {
	d, err := distributed.FromDataSets(start(t), nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := distributed.EvenSample(ctx, d, 5); err != nil || m != nil {
		t.Errorf("%v, %v", m, err)
	}
	if _, err := distributed.EvenSample(ctx, d, 0); err == nil {
		t.Error("a sample of nothing")
	}
}
