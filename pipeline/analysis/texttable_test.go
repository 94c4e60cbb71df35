package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestTextTable compares with a map.
func TestTextTable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var table textTable
	want := map[string]*count{}
	bytes := 0
	for range 20_000 {
		s := fmt.Sprint(r.IntN(1 << r.IntN(16)))
		if table.find(s) != nil != (want[s] != nil) {
			t.Fatalf("%q is there: %v", s, want[s] == nil)
		}
		if want[s] == nil {
			want[s] = &count{}
			bytes += len(s)
		}
		label := uint64(r.IntN(3))
		want[s].add(1, label)
		table.at(s).add(1, label)
	}
	if table.used != len(want) || table.bytes != bytes {
		t.Errorf("%d texts of %d bytes, want %d of %d", table.used, table.bytes, len(want), bytes)
	}
	for c := range table.each {
		if c.count != *want[c.text] || table.find(c.text) != c {
			t.Errorf("%q: %v, want %v", c.text, c.count, want[c.text])
		}
	}
}

// TestTextTableGrows: counts stay where they are when the table grows, so that it leaves no old copies behind.
func TestTextTableGrows(t *testing.T) {
	var table textTable
	var at []*textCount
	for i := range 10 * blockLength {
		at = append(at, table.at(fmt.Sprint(i)))
	}
	for i := blockLength; i < len(at); i++ { // the first block grows
		if table.find(fmt.Sprint(i)) != at[i] {
			t.Fatalf("count %d has moved", i)
		}
	}
}

// TestMomentsTimes: adding a number many times at once is as exact as one after the other.
func TestMomentsTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	numbers := []float64{0, 1, -1.5, 5e-324, math.MaxFloat64, -math.MaxFloat64, 1e-300}
	for range 40 {
		numbers = append(numbers, r.NormFloat64()*math.Exp(20*r.NormFloat64()))
	}
	var each, times moments
	for _, x := range numbers {
		n := 1 + r.IntN(300)
		for range n {
			each.add(x)
		}
		times.addTimes(x, int64(n))
	}
	if each != times {
		t.Error("the sums differ")
	}
	var few, many moments
	few.addTimes(1.25, 5<<20)
	for range 5 {
		many.addTimes(1.25, 1<<20)
	}
	if few != many {
		t.Error("the sums of many differ")
	}
}
