package pool

import (
	"fmt"
	"math"
	"testing"

	"github.com/dl4go/dl4go/internal/allocs"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/parallel"
	"github.com/dl4go/dl4go/internal/random"
)

// naive computes everything in float64, cell by cell, without planes, windows or threads.
type naive struct {
	Geometry
	y, dx []float64
}

func (n *naive) each(f func(plane, o, i int)) {
	for plane := range n.Planes {
		for o := range n.OutH * n.OutW {
			for k := range n.KH * n.KW {
				iy := o/n.OutW*n.StrideH - n.PadTop + k/n.KW*n.DilH
				ix := o%n.OutW*n.StrideW - n.PadLeft + k%n.KW*n.DilW
				if iy >= 0 && iy < n.InH && ix >= 0 && ix < n.InW {
					f(plane, plane*n.OutH*n.OutW+o, (plane*n.InH+iy)*n.InW+ix)
				}
			}
		}
	}
}

func naiveMax(g Geometry, x, dy []float32) *naive {
	n := &naive{g, make([]float64, len(dy)), make([]float64, len(x))}
	at := make([]int, len(dy))
	for o := range at {
		at[o], n.y[o] = -1, math.Inf(-1)
	}
	n.each(func(_, o, i int) {
		v := float64(x[i])
		if at[o] < 0 || v > n.y[o] || math.IsNaN(v) && !math.IsNaN(n.y[o]) {
			at[o], n.y[o] = i, v
		}
	})
	for o, i := range at {
		if i >= 0 {
			n.dx[i] += float64(dy[o])
		}
	}
	return n
}

func naiveAverage(g Geometry, x, dy []float32) *naive {
	n := &naive{g, make([]float64, len(dy)), make([]float64, len(x))}
	count := make([]float64, len(dy))
	n.each(func(_, o, i int) { count[o]++ })
	if g.IncludePad {
		for o := range count {
			count[o] = float64(g.KH * g.KW)
		}
	}
	n.each(func(_, o, i int) {
		n.y[o] += float64(x[i]) / count[o]
		n.dx[i] += float64(dy[o]) / count[o]
	})
	return n
}

func compare(t *testing.T, what string, got []float32, want []float64) {
	t.Helper()
	for i, w := range want {
		g := float64(got[i])
		if !near.OrNaN(g, w, 1e-6, 1e-5) {
			t.Fatalf("%s: element %d is %g, want %g", what, i, g, w)
		}
	}
}

// image draws from few values, so that windows have several maxima, with NaN and infinities among them.
func image(s *random.Source, n int, special bool) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(s.Intn(9)-4) / 4
		if special {
			switch s.Intn(20) {
			case 0:
				x[i] = float32(math.NaN())
			case 1:
				x[i] = float32(math.Inf(-1))
			case 2:
				x[i] = float32(math.Inf(1))
			case 3:
				x[i] = float32(math.Copysign(0, -1))
			}
		}
	}
	return x
}

func geometries(s *random.Source) []Geometry {
	dense := func(planes, in, k, stride, out int) Geometry {
		return Geometry{Planes: planes, InH: in, InW: in, KH: k, KW: k, StrideH: stride, StrideW: stride, DilH: 1, DilW: 1,
			OutH: out, OutW: out}
	}
	list := []Geometry{dense(40, 24, 2, 2, 12), dense(30, 8, 2, 2, 4), dense(9, 13, 3, 2, 6), dense(1, 1, 1, 1, 1),
		dense(0, 4, 2, 2, 2)}
	for in := 2; in < 72; in++ { // the 2 by 2 kernels at every width
		g := dense(1+in%3, in, 2, 2, in/2)
		g.InH, g.OutH = 2+in%5, (2+in%5)/2
		list = append(list, g)
	}
	for range 150 {
		g := Geometry{
			Planes: 1 + s.Intn(5), InH: 1 + s.Intn(20), InW: 1 + s.Intn(40),
			KH: 1 + s.Intn(4), KW: 1 + s.Intn(4), StrideH: 1 + s.Intn(4), StrideW: 1 + s.Intn(4),
			DilH: 1 + s.Intn(3), DilW: 1 + s.Intn(3), PadTop: s.Intn(4), PadLeft: s.Intn(4), IncludePad: s.Intn(2) == 0,
		}
		g.OutH = (g.InH+g.PadTop+s.Intn(4))/g.StrideH + s.Intn(2) // some windows end up wholly outside
		g.OutW = (g.InW+g.PadLeft+s.Intn(4))/g.StrideW + s.Intn(2)
		list = append(list, g)
	}
	return list
}

func TestPoolingAgreesWithNaiveLoops(t *testing.T) {
	for _, threads := range []int{1, 3} {
		workers := parallel.New(threads)
		defer workers.Close()
		for _, v := range kernel.Available() {
			s := random.NewSource(1)
			for n, g := range geometries(s) {
				name := fmt.Sprintf("%s, %d threads, %+v", v, threads, g)
				x, dy := image(s, g.Planes*g.InH*g.InW, n%2 == 1), image(s, g.Planes*g.OutH*g.OutW, false)
				y, dx := make([]float32, len(dy)), make([]float32, len(x))
				for i := range dx {
					dx[i] = 99 // old content must be overwritten
				}
				p := New(v, g)
				want := naiveMax(g, x, dy)
				p.Max(workers, x, y)
				compare(t, "max, "+name, y, want.y)
				p.MaxGrad(workers, x, y, dy, dx)
				compare(t, "max gradient, "+name, dx, want.dx)

				x = image(s, len(x), false)
				want = naiveAverage(g, x, dy)
				p.Average(workers, x, y)
				compare(t, "average, "+name, y, want.y)
				p.AverageGrad(workers, dy, dx)
				compare(t, "average gradient, "+name, dx, want.dx)
			}
		}
	}
}

func TestGradientGoesToTheFirstMaximum(t *testing.T) {
	nan := float32(math.NaN())
	g := Geometry{Planes: 1, InH: 2, InW: 8, KH: 2, KW: 2, StrideH: 2, StrideW: 2, DilH: 1, DilW: 1, OutH: 1, OutW: 4}
	x := []float32{
		1, 1, 0, 2, 5, nan, -1, -2,
		1, 1, 2, 2, nan, 7, -1, -1}
	want := []float32{
		1, 0, 0, 2, 0, 3, 4, 0,
		0, 0, 0, 0, 0, 0, 0, 0}
	workers := parallel.New(1)
	defer workers.Close()
	for _, v := range kernel.Available() {
		y, dx := make([]float32, 4), make([]float32, 16)
		p := New(v, g)
		p.Max(workers, x, y)
		p.MaxGrad(workers, x, y, []float32{1, 2, 3, 4}, dx)
		for i := range dx {
			if dx[i] != want[i] {
				t.Errorf("%s: dx[%d] = %g, want %g", v, i, dx[i], want[i])
			}
		}
	}
}

func TestPoolingDoesNotAllocate(t *testing.T) {
	g := Geometry{Planes: 64, InH: 24, InW: 24, KH: 2, KW: 2, StrideH: 2, StrideW: 2, DilH: 1, DilW: 1, OutH: 12, OutW: 12}
	x, y := make([]float32, g.Planes*g.InH*g.InW), make([]float32, g.Planes*g.OutH*g.OutW)
	workers := parallel.New(2)
	defer workers.Close()
	for _, v := range kernel.Available() {
		p := New(v, g)
		if n := allocs.PerRun(10, func() {
			p.Max(workers, x, y)
			p.MaxGrad(workers, x, y, y, x)
			p.Average(workers, x, y)
			p.AverageGrad(workers, y, x)
		}); n != 0 {
			t.Errorf("%s: %g allocations a call", v, n)
		}
	}
}

func BenchmarkPooling(b *testing.B) {
	workers := parallel.New(1)
	defer workers.Close()
	for _, g := range []Geometry{
		{Planes: 64 * 20, InH: 24, InW: 24, KH: 2, KW: 2, StrideH: 2, StrideW: 2, DilH: 1, DilW: 1, OutH: 12, OutW: 12},
		{Planes: 64 * 50, InH: 8, InW: 8, KH: 2, KW: 2, StrideH: 2, StrideW: 2, DilH: 1, DilW: 1, OutH: 4, OutW: 4},
		{Planes: 256, InH: 32, InW: 32, KH: 3, KW: 3, StrideH: 2, StrideW: 2, DilH: 1, DilW: 1, PadTop: 1, PadLeft: 1,
			OutH: 16, OutW: 16},
	} {
		x := image(random.NewSource(2), g.Planes*g.InH*g.InW, false)
		y, dx := make([]float32, g.Planes*g.OutH*g.OutW), make([]float32, len(x))
		for _, v := range kernel.Available() {
			p := New(v, g)
			p.Max(workers, x, y)
			for _, c := range []struct {
				name string
				f    func()
			}{
				{"maxgrad", func() { p.MaxGrad(workers, x, y, y, dx) }},
				{"max", func() { p.Max(workers, x, y) }},
				{"averagegrad", func() { p.AverageGrad(workers, y, dx) }},
				{"average", func() { p.Average(workers, x, y) }},
			} {
				b.Run(fmt.Sprintf("%dx%d-%dx%d/%s/%s", g.InH, g.InW, g.KH, g.KW, c.name, v), func(b *testing.B) {
					b.SetBytes(int64(4 * (len(x) + len(y))))
					for b.Loop() {
						c.f()
					}
					b.ReportMetric(float64(len(y))*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "windows/ns")
				})
			}
		}
	}
}
