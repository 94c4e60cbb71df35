package xla

import (
	"slices"

	"github.com/dl4go/dl4go/program"
)

// cuts says where each vector is cut into segments, each an array of its own on the device: ascending numbers from 0 to
// the vector's length. A vector that is not used has none.
//
// XLA gets the arrays that operations work on, as JAX gives them. From a whole vector it would copy each range, and it
// would join the results again in a way that takes its processor target 30 times the time of the step.
type cuts [program.NumVectors][]int

// cutsOf returns the cuts that programs need: at the ends of the ranges that they read and store into.
func cutsOf(programs []*program.Program) (c cuts) {
	add := func(v program.Vector, offset, n int) {
		if n > 0 {
			c[v] = append(c[v], offset, offset+n)
		}
	}
	for _, p := range programs {
		for v, n := range p.Lengths {
			add(program.Vector(v), 0, n)
		}
		for _, v := range p.Values {
			if v.Kind == program.FromVector {
				add(v.Vector, v.Offset, v.Shape.Size())
			}
		}
		for _, s := range p.Stores {
			add(s.Vector, s.Offset, s.Value.Shape.Size())
		}
	}
	for v := range c {
		c[v] = ordered(c[v])
	}
	return c
}

func ordered(x []int) []int {
	slices.Sort(x)
	return slices.Compact(x)
}

// with returns the cuts of a vector of n elements together with more cuts.
func (c cuts) with(v program.Vector, n int, more []int) []int {
	all := ordered(append(append(slices.Clone(c[v]), more...), n))
	end, _ := slices.BinarySearch(all, n)
	return all[:end+1]
}

// has reports whether a vector of n elements has these cuts.
func (c cuts) has(v program.Vector, n int, needs []int) bool {
	all := c[v]
	if len(all) == 0 || all[len(all)-1] != n {
		return false
	}
	for _, cut := range needs {
		if _, found := slices.BinarySearch(all, cut); !found {
			return false
		}
	}
	return true
}

// segments returns the numbers of the segments of a range that begins and ends at cuts.
func (c cuts) segments(v program.Vector, from, to int) (first, end int) {
	if from == to {
		return 0, 0
	}
	first, _ = slices.BinarySearch(c[v], from)
	end, _ = slices.BinarySearch(c[v], to)
	return first, end
}

func storedBy(programs []*program.Program) (stored [program.NumVectors]bool) {
	for _, p := range programs {
		for _, s := range p.Stores {
			stored[s.Vector] = true
		}
	}
	return stored
}

// onlyStored reports whether programs store the whole of a vector that passes from program to program, and never read
// it: then its old content is not needed.
func onlyStored(programs []*program.Program, v program.Vector, c []int) bool {
	if v != program.Gradient && v != program.Update {
		return false
	}
	n := 0
	for _, p := range programs {
		for _, x := range p.Values {
			if x.Kind == program.FromVector && x.Vector == v {
				return false
			}
		}
		for _, s := range p.Stores {
			if s.Vector == v {
				n += s.Value.Shape.Size()
			}
		}
	}
	return n == c[len(c)-1] // stores don't overlap
}
