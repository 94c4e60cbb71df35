package conv_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/conv"
	"github.com/dl4go/dl4go/internal/parallel"
)

// paired returns geometries whose rows are computed in pairs, with odd sizes, several blocks of channels, and rows and
// columns of padding.
func paired() []conv.Geometry {
	return []conv.Geometry{
		{2, 20, 18, 32, 25, 3, 3, 1, 1, 1, 1, 1, 1, 18, 32},
		{2, 16, 7, 14, 29, 3, 3, 1, 1, 1, 1, 1, 1, 7, 14},
		{2, 37, 5, 30, 17, 3, 1, 1, 1, 1, 1, 0, 0, 3, 30},
		{1, 180, 3, 16, 16, 3, 3, 1, 1, 1, 1, 2, 1, 5, 16},
		{1, 17, 4, 50, 16, 3, 2, 1, 1, 1, 3, -1, 3, 2, 47},
		{1, 16, 2, 60, 40, 3, 5, 1, 1, 1, 1, 3, 2, 6, 60},
	}
}

// TestPairsOfRows: pairs of rows give the convolution, and an example has the same bits in any batch, on any number
// of threads, with filters that are packed or not. A follower sees each element once.
func TestPairsOfRows(t *testing.T) {
	nan := func() float32 { return float32(math.NaN()) }
	for _, g := range paired() {
		d := newData(g)
		want := make([]float64, len(d.dy))
		for i := range want {
			want[i] = float64(d.bias[i/(g.OutH*g.OutW)%g.OutC])
		}
		visit(g, func(x, w, y int) { want[y] += float64(d.x[x]) * float64(d.w[w]) })
		for _, v := range kernel.Available() {
			var first []float32
			for _, threads := range []int{1, 3} {
				what := fmt.Sprintf("%v %+v on %d threads", v, g, threads)
				pool := parallel.New(threads)
				p := conv.New(v, g)
				work, checkWork := guarded(p.Workspace(threads), 0, nan)
				y, checkY := guarded(len(d.dy), 1, nan)
				f := &follower{y: y, seen: make([]float32, len(y))}
				p.Follow(f)
				p.Forward(pool, d.x, d.w, d.bias, y, work)
				checkY(t, what)
				checkWork(t, what)
				compare(t, y, want, g.InC*g.KH*g.KW, what)
				same(t, f.seen, y, what+", follower")
				if f.count != len(y) {
					t.Fatalf("%s: %d of %d elements are finished", what, f.count, len(y))
				}
				if first == nil {
					first = y
				}
				same(t, y, first, what)

				one := g
				one.Batch = 1
				p = conv.New(v, one)
				p.ReadPacked()
				w := make([]float32, p.PackedSize())
				p.Pack(w, d.w)
				size := len(y) / g.Batch
				alone := make([]float32, size)
				p.Forward(pool, d.x[len(d.x)/g.Batch*(g.Batch-1):], w, d.bias, alone, work)
				same(t, alone, y[size*(g.Batch-1):], what+", alone")
				pool.Close()
			}
		}
	}
}
