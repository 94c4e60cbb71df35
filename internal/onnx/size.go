package onnx

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/onnxfile"
)

// point is a batch size, and the open lengths of sequences, at which a network is lowered. A program has fixed shapes;
// an ONNX graph has not. Comparing the shapes at several points shows how they depend on batch and lengths.
type point struct {
	batch int
	times []int
}

// points returns the points for a number of open lengths: a first point, one with another batch, for each length one
// with another length and one with both, and two last points to check the result. The numbers are unlikely to be an
// extent of a layer, because the builder leaves out operations that do not change a shape. The four lengths of a
// sequence leave different remainders, also after a division by up to 12, which shows shapes that depend on divisions.
// further selects another set.
func points(lengths int, further bool) []point {
	batch, time := [3]int{53, 59, 67}, []int{111, 117, 43, 52, 61, 103, 47, 34, 129, 62, 71, 76, 123,
		68, 95, 109}
	if further {
		batch, time = [3]int{101, 107, 113}, []int{146, 173, 153, 139, 194, 167, 157, 151, 172, 166,
			186, 177, 138, 134, 193, 179}
	}
	at := func(b, changed, last int) point {
		p := point{batch: b}
		for i := range lengths {
			k := 4*i + last
			if i == changed {
				k++
			}
			p.times = append(p.times, time[k%len(time)]+2*(k/len(time)))
		}
		return p
	}
	list := []point{at(batch[0], -1, 0), at(batch[1], -1, 0)}
	for i := range lengths {
		list = append(list, at(batch[0], i, 0), at(batch[1], i, 0))
	}
	return append(list, at(batch[2], -1, 2), at(batch[2], -1, 3))
}

// extent holds an extent at each point.
type extent []int

// fixed reports whether the extent is the same at every point.
func (e extent) fixed() bool {
	for _, n := range e {
		if n != e[0] {
			return false
		}
	}
	return true
}

func (e extent) equal(o extent) bool {
	for i := range e {
		if e[i] != o[i] {
			return false
		}
	}
	return true
}

// minus returns the difference at each point.
func (e extent) minus(o extent) extent {
	d := make(extent, len(e))
	for i := range e {
		d[i] = e[i] - o[i]
	}
	return d
}

// formula is n + batch·perBatch + Σ time·perTime + Σ batch·time·perBoth, over the open lengths.
type formula struct {
	n, perBatch      int
	perTime, perBoth []int
}

// value returns the formula's value at a point.
func (f formula) value(p point) int {
	sum := f.n + f.perBatch*p.batch
	for i, t := range p.times {
		sum += t * (f.perTime[i] + f.perBoth[i]*p.batch)
	}
	return sum
}

// formulaOf finds the formula of an extent. ok is false if there is none; a sequence's length after a stride has none.
func formulaOf(e extent, at []point) (f formula, ok bool) {
	first, other := at[0], at[1].batch-at[0].batch
	f.perBatch, f.n = (e[1]-e[0])/other, e[0]
	for i, t := range first.times {
		k := 2 + 2*i
		longer := at[k].times[i] - t
		both := (e[k+1] - e[1] - e[k] + e[0]) / (other * longer)
		time := (e[k]-e[0])/longer - both*first.batch
		f.perTime, f.perBoth = append(f.perTime, time), append(f.perBoth, both)
		f.perBatch -= both * t
		f.n -= time*t + both*first.batch*t
	}
	f.n -= f.perBatch * first.batch
	for i, p := range at {
		if f.value(p) != e[i] {
			return f, false
		}
	}
	return f, true
}

// size returns a value INT64 [1] that computes the formula when the graph runs.
func (g *graph) size(f formula) string {
	key := fmt.Sprint(f)
	if name, ok := g.sizes[key]; ok {
		return name
	}
	sum := ""
	add := func(times int, factors ...dimension) {
		if times == 0 {
			return
		}
		x := g.measured(factors[0])
		for _, d := range factors[1:] {
			x = g.top("Mul", "size", []string{x, g.measured(d)})
		}
		if times != 1 {
			x = g.top("Mul", "size", []string{x, g.ints(int64(times))})
		}
		if sum != "" {
			x = g.top("Add", "size", []string{sum, x})
		}
		sum = x
	}
	add(f.perBatch, g.batchOf)
	for i, d := range g.timesOf {
		add(f.perTime[i], d)
		add(f.perBoth[i], g.batchOf, d)
	}
	switch {
	case sum == "":
		return g.ints(int64(f.n))
	case f.n != 0:
		sum = g.top("Add", "size", []string{sum, g.ints(int64(f.n))})
	}
	g.sizes[key] = sum
	return sum
}

// dimension is a dimension of one of the graph's inputs.
type dimension struct {
	input string
	axis  int
}

// measured returns an input's extent.
func (g *graph) measured(d dimension) string {
	key := fmt.Sprint(d)
	if g.sizes[key] == "" {
		g.sizes[key] = g.top("Shape", "size", []string{d.input}, integer("start", d.axis), integer("end", d.axis+1))
	}
	return g.sizes[key]
}

// shape returns a value INT64 [n] with an element for each extent.
func (g *graph) shape(extents []extent) (string, error) {
	fixed := make([]int64, len(extents))
	all := true
	for i, e := range extents {
		fixed[i] = int64(e[0])
		all = all && e.fixed()
	}
	if all {
		return g.ints(fixed...), nil
	}
	var parts []string
	for _, e := range extents {
		f, ok := formulaOf(e, g.points)
		if !ok {
			return "", errNoFormula
		}
		parts = append(parts, g.size(f))
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return g.top("Concat", "size", parts, integer("axis", 0)), nil
}

func integer(name string, x int) *onnxfile.Attribute {
	return &onnxfile.Attribute{Name: name, Type: onnxfile.IntAttribute, Int: int64(x)}
}

func integers(name string, list ...int) *onnxfile.Attribute {
	a := &onnxfile.Attribute{Name: name, Type: onnxfile.IntsAttribute}
	for _, x := range list {
		a.Ints = append(a.Ints, int64(x))
	}
	return a
}

func number(name string, x float64) *onnxfile.Attribute {
	return &onnxfile.Attribute{Name: name, Type: onnxfile.FloatAttribute, Float: float32(x)}
}

func text(name, s string) *onnxfile.Attribute {
	return &onnxfile.Attribute{Name: name, Type: onnxfile.StringAttribute, String: s}
}
