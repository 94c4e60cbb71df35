package conv_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dl4go/dl4go/internal/allocs"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/conv"
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/parallel"
)

const guard = float32(98765)

// guarded returns n floats in the middle of a larger slice; check fails if the rest was written to.
func guarded(n, shift int, fill func() float32) (x []float32, check func(t *testing.T, what string)) {
	all := make([]float32, n+64+shift)
	for i := range all {
		all[i] = guard
	}
	x = all[32+shift:][:n:n]
	for i := range x {
		x[i] = fill()
	}
	return x, func(t *testing.T, what string) {
		t.Helper()
		for i, v := range all {
			if (i < 32+shift || i >= 32+shift+n) && v != guard {
				t.Fatalf("%s: wrote %v at %d of %d", what, v, i-32-shift, n)
			}
		}
	}
}

// visit calls f for every product in a convolution.
func visit(g conv.Geometry, f func(x, w, y int)) {
	for n := range g.Batch {
		for o := range g.OutC {
			for i := range g.OutH {
				for j := range g.OutW {
					y := ((n*g.OutC+o)*g.OutH+i)*g.OutW + j
					for c := range g.InC {
						for u := range g.KH {
							for v := range g.KW {
								h, w := i*g.StrideH-g.PadTop+u*g.DilH, j*g.StrideW-g.PadLeft+v*g.DilW
								if h >= 0 && h < g.InH && w >= 0 && w < g.InW {
									f(((n*g.InC+c)*g.InH+h)*g.InW+w, ((o*g.InC+c)*g.KH+u)*g.KW+v, y)
								}
							}
						}
					}
				}
			}
		}
	}
}

func compare(t *testing.T, got []float32, want []float64, terms int, what string) {
	t.Helper()
	for i, v := range got {
		if !near.Equal(float64(v), want[i], 4e-6*math.Sqrt(float64(terms+1)), 0) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, v, want[i])
		}
	}
}

func same(t *testing.T, got, want []float32, what string) {
	t.Helper()
	for i := range got {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s: element %d is %v, elsewhere %v", what, i, got[i], want[i])
		}
	}
}

func geometries() []conv.Geometry {
	gs := []conv.Geometry{
		{3, 1, 28, 28, 20, 5, 5, 1, 1, 1, 1, 0, 0, 24, 24},
		{2, 20, 12, 12, 50, 5, 5, 1, 1, 1, 1, 0, 0, 8, 8},
		{2, 7, 32, 32, 16, 3, 3, 1, 1, 1, 1, 1, 1, 32, 32},
		{2, 20, 9, 9, 31, 1, 1, 1, 1, 1, 1, 0, 0, 9, 9},
		{2, 5, 16, 16, 8, 3, 3, 2, 2, 1, 1, 0, 0, 8, 8},
		{3, 6, 1, 50, 9, 1, 7, 1, 2, 1, 1, 0, 3, 1, 25},
		{1, 3, 64, 64, 4, 3, 3, 1, 1, 1, 1, 1, 1, 64, 64},
		{2, 60, 4, 4, 530, 3, 3, 1, 1, 1, 1, 1, 1, 4, 4},
		{1, 2, 3, 3, 3, 2, 2, 1, 1, 1, 1, 3, -1, 6, 2},
		{40, 3, 6, 5, 4, 3, 2, 1, 1, 2, 1, 0, 0, 2, 4},
		// Rows, and channels, that fill vectors or nearly do.
		{3, 64, 7, 32, 25, 3, 3, 1, 1, 1, 1, 1, 1, 7, 32},
		{9, 45, 9, 29, 13, 3, 2, 2, 2, 1, 1, 1, 1, 5, 15},
		{2, 29, 5, 46, 11, 2, 3, 1, 1, 2, 3, 1, 2, 5, 44},
		{1, 13, 70, 70, 5, 3, 3, 1, 1, 1, 1, 1, 1, 70, 70},
		{2, 33, 3, 600, 4, 1, 5, 1, 3, 1, 1, 0, 2, 3, 200},
		// Shifts of the input: in bands, and too many of them.
		{1, 90, 33, 22, 7, 5, 4, 1, 1, 1, 1, 1, 1, 31, 20},
		{1, 600, 3, 28, 2, 2, 9, 1, 1, 1, 1, 0, 0, 2, 20},
		// Groups of two or three small examples, as they are and in pairs of rows.
		{19, 20, 6, 7, 9, 5, 5, 1, 1, 1, 1, 0, 0, 2, 3},
		{19, 16, 3, 5, 9, 3, 3, 1, 1, 1, 1, 1, 1, 3, 5},
	}
	gs = append(gs, paired()...)
	n := 70
	if testing.Short() { // plain Go, and QEMU, are slow
		n = 40
		for i, g := range gs {
			if g.InC*g.OutC*g.KH*g.KW > 10000 { // of several blocks of channels
				gs[i].Batch = 1
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for len(gs) < n {
		g := conv.Geometry{Batch: 1 + rng.IntN(5), InC: 1 + rng.IntN(9), InH: 1 + rng.IntN(20), InW: 1 + rng.IntN(20),
			OutC: 1 + rng.IntN(30), KH: 1 + rng.IntN(4), KW: 1 + rng.IntN(4), StrideH: 1 + rng.IntN(3), StrideW: 1 + rng.IntN(3),
			DilH: 1 + rng.IntN(2), DilW: 1 + rng.IntN(2), PadTop: rng.IntN(3), PadLeft: rng.IntN(3)}
		h := g.InH + g.PadTop + rng.IntN(3) - (g.KH-1)*g.DilH - 1
		w := g.InW + g.PadLeft + rng.IntN(3) - (g.KW-1)*g.DilW - 1
		if h >= 0 && w >= 0 {
			g.OutH, g.OutW = h/g.StrideH+1, w/g.StrideW+1
			gs = append(gs, g)
		}
	}
	return gs
}

type data struct {
	g              conv.Geometry
	x, w, bias, dy []float32
}

func newData(g conv.Geometry) data {
	rng := rand.New(rand.NewPCG(3, 4))
	random := func() float32 { return rng.Float32()*2 - 1 }
	d := data{g: g}
	d.x, _ = guarded(g.Batch*g.InC*g.InH*g.InW, 1, random)
	d.w, _ = guarded(g.OutC*g.InC*g.KH*g.KW, 2, random)
	d.bias, _ = guarded(g.OutC, 3, random)
	d.dy, _ = guarded(g.Batch*g.OutC*g.OutH*g.OutW, 1, random)
	return d
}

// kind is a variant, in float32 or bfloat16.
type kind struct {
	variant kernel.Variant
	bf16    bool
}

func (k kind) String() string {
	if k.bf16 {
		return k.variant.String() + " in bfloat16"
	}
	return k.variant.String()
}

type plan interface {
	PackedSize() int
	Pack(dst, w []float32)
	ReadPacked()
	Follow(f gemm.Follower)
	Workspace(threads int) int
	Forward(pool *parallel.Pool, x, w, bias, y, work []float32)
	GradInput(pool *parallel.Pool, dy, w, dx, work []float32)
	GradFilter(pool *parallel.Pool, x, dy, dw, work []float32)
}

func (k kind) plan(g conv.Geometry) plan {
	if k.bf16 {
		return conv.NewBF16(k.variant, g)
	}
	return conv.New(k.variant, g)
}

// kinds lists what this machine can run, but for the portable reference of bfloat16, which is slow.
func kinds() (all []kind) {
	for _, v := range kernel.Available() {
		all = append(all, kind{v, false})
	}
	if kernel.HasBF16() {
		all = append(all, kind{kernel.AVX512, true})
	}
	return all
}

// results computes output and gradients.
func (d data) results(t *testing.T, v kind, threads int) (y, dx, dw []float32) {
	t.Helper()
	nan := func() float32 { return float32(math.NaN()) }
	pool := parallel.New(threads)
	defer pool.Close()
	p := v.plan(d.g)
	y, checkY := guarded(len(d.dy), 0, nan)
	dx, checkX := guarded(len(d.x), 1, nan)
	dw, checkW := guarded(len(d.w), 2, nan)
	work, checkWork := guarded(p.Workspace(threads), 1, nan)
	what := fmt.Sprintf("%v %+v", v, d.g)
	p.Forward(pool, d.x, d.w, d.bias, y, work)
	p.GradInput(pool, d.dy, d.w, dx, work)
	p.GradFilter(pool, d.x, d.dy, dw, work)
	checkY(t, what)
	checkX(t, what)
	checkW(t, what)
	checkWork(t, what)
	return y, dx, dw
}

func TestAgainstPlainLoops(t *testing.T) {
	for _, g := range geometries() {
		d := newData(g)
		w := d.plainLoops(func(part int, x float32) float64 { return float64(x) })
		for _, v := range kernel.Available() {
			w.compare(t, d, kind{v, false})
		}
	}
}

// sums are output and gradients in float64.
type sums struct{ y, dx, dw []float64 }

// plainLoops computes sums. factor returns what an element counts as in the output (part 0), the input's gradient (1)
// or the filters' gradient (2).
func (d data) plainLoops(factor func(part int, x float32) float64) sums {
	s := sums{make([]float64, len(d.dy)), make([]float64, len(d.x)), make([]float64, len(d.w))}
	for i := range s.y {
		s.y[i] = float64(d.bias[i/(d.g.OutH*d.g.OutW)%d.g.OutC])
	}
	visit(d.g, func(i, j, k int) {
		s.y[k] += factor(0, d.x[i]) * factor(0, d.w[j])
		s.dx[i] += factor(1, d.dy[k]) * factor(1, d.w[j])
		s.dw[j] += factor(2, d.dy[k]) * factor(2, d.x[i])
	})
	return s
}

// compare compares them with the results of a kernel.
func (s sums) compare(t *testing.T, d data, v kind) {
	t.Helper()
	g := d.g
	y, dx, dw := d.results(t, v, 2)
	what := fmt.Sprintf("%v %+v", v, g)
	compare(t, y, s.y, g.InC*g.KH*g.KW, what+" forward")
	compare(t, dx, s.dx, g.OutC*g.KH*g.KW, what+" input gradient")
	compare(t, dw, s.dw, g.Batch*g.OutH*g.OutW, what+" filter gradient")
}

func TestNothingDependsOnThreads(t *testing.T) {
	others := []int{2, 3, 5}
	if testing.Short() {
		others = others[1:2]
	}
	for _, v := range kinds() {
		for _, g := range geometries()[:30] {
			d := newData(g)
			y, dx, dw := d.results(t, v, 1)
			for _, threads := range others {
				what := fmt.Sprintf("%v %+v on %d threads", v, g, threads)
				y2, dx2, dw2 := d.results(t, v, threads)
				same(t, y2, y, what+" forward")
				same(t, dx2, dx, what+" input gradient")
				same(t, dw2, dw, what+" filter gradient")
			}
		}
	}
}

func TestExamplesDoNotDependOnTheirBatch(t *testing.T) {
	batch, examples := 5, []int{0, 3}
	if testing.Short() {
		batch, examples = 3, []int{1}
	}
	for _, v := range kinds() {
		for _, g := range geometries() {
			g.Batch = batch
			d := newData(g)
			y, dx, _ := d.results(t, v, 2)
			ny, nx := len(y)/batch, len(dx)/batch
			one := d
			one.g.Batch = 1
			for _, n := range examples {
				one.x, one.dy = d.x[n*nx:][:nx], d.dy[n*ny:][:ny]
				y1, dx1, _ := one.results(t, v, 3)
				same(t, y1, y[n*ny:][:ny], fmt.Sprintf("%v %+v example %d", v, g, n))
				same(t, dx1, dx[n*nx:][:nx], fmt.Sprintf("%v %+v gradient of example %d", v, g, n))
			}
		}
	}
}

func TestNonFiniteValuesSpread(t *testing.T) {
	for _, v := range kinds() {
		for _, g := range append(geometries()[:3], paired()[:2]...) {
			d := newData(g)
			clear(d.w)
			d.x[len(d.x)/2] = float32(math.NaN())
			d.dy[len(d.dy)/3] = float32(math.Inf(1))
			nanY, nanX, nanW := map[int]bool{}, map[int]bool{}, map[int]bool{}
			visit(g, func(x, w, y int) {
				if x == len(d.x)/2 {
					nanY[y], nanW[w] = true, true
				}
				if y == len(d.dy)/3 {
					nanX[x] = true
				}
			})
			y, dx, dw := d.results(t, v, 2)
			for what, c := range map[string]struct {
				got  []float32
				want map[int]bool
			}{"y": {y, nanY}, "dx": {dx, nanX}} {
				for i, got := range c.got {
					if isNaN := got != got; isNaN != c.want[i] {
						t.Fatalf("%v %+v: %s[%d] = %v", v, g, what, i, got)
					}
				}
			}
			for i := range nanW {
				if (i/(g.InC*g.KH*g.KW) == 0) && dw[i] == dw[i] {
					t.Fatalf("%v %+v: dw[%d] = %v", v, g, i, dw[i])
				}
			}
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	for _, v := range kinds() {
		for _, g := range append(geometries()[:6], geometries()[11], paired()[0]) {
			d := newData(g)
			p := v.plan(g)
			work := make([]float32, p.Workspace(2))
			y, dx, dw := make([]float32, len(d.dy)), make([]float32, len(d.x)), make([]float32, len(d.w))
			if n := allocs.PerRun(2, func() {
				p.Forward(pool, d.x, d.w, d.bias, y, work)
				p.GradInput(pool, d.dy, d.w, dx, work)
				p.GradFilter(pool, d.x, d.dy, dw, work)
			}); n != 0 {
				t.Errorf("%v %+v: %v allocations", v, g, n)
			}
		}
	}
}

// TestTooLarge: a convolution is refused exactly if its places do not fit into 32 bits.
func TestTooLarge(t *testing.T) {
	image := func(channels, side, filters, k, stride, pad int) conv.Geometry {
		out := (side+2*pad-k)/stride + 1
		return conv.Geometry{Batch: 1, InC: channels, InH: side, InW: side, OutC: filters, KH: k, KW: k,
			StrideH: stride, StrideW: stride,
			DilH: 1, DilW: 1, PadTop: pad, PadLeft: pad, OutH: out, OutW: out}
	}
	for name, c := range map[string]struct {
		g                 conv.Geometry
		forward, gradient bool
	}{
		"largest image":         {image(1, 46340, 1, 1, 1, 0), true, true},
		"too large an image":    {image(1, 46341, 1, 1, 1, 0), false, false},
		"too many channels":     {image(1<<20, 64, 1, 1, 1, 0), false, false},
		"too much padding":      {image(1, 10, 1, 3, 1, 25000), false, false},
		"many filters":          {image(1, 1<<10, 1<<12, 3, 1, 1), true, false},
		"patches of the result": {image(1, 12000, 1, 11, 2, 0), true, false},
		"a usual one":           {image(3, 224, 64, 7, 2, 3), true, true},
	} {
		if err := c.g.Check(false); (err == nil) != c.forward {
			t.Errorf("%s: %v", name, err)
		}
		if err := c.g.Check(true); (err == nil) != c.gradient {
			t.Errorf("the gradient of %s: %v", name, err)
		}
	}
}
