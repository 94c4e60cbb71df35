package conv_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel/conv"
	"github.com/dl4go/dl4go/internal/parallel"
)

// follower copies finished elements.
type follower struct {
	mu      sync.Mutex
	y, seen []float32
	count   int
}

func (f *follower) Finished(_, from, to int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	copy(f.seen[from:to], f.y[from:to])
	f.count += to - from
}

// TestPacked: packed filters give the bits of those that Forward packs itself, and a follower sees each element once,
// with its final value.
func TestPacked(t *testing.T) {
	nan := func() float32 { return float32(math.NaN()) }
	for _, g := range append(geometries(), conv.Geometry{2, 512, 5, 5, 7, 1, 1, 1, 1, 1, 1, 0, 0, 5, 5}) {
		d := newData(g)
		for _, v := range kinds() {
			want, _, _ := d.results(t, v, 2)
			for _, threads := range []int{1, 3} {
				pool := parallel.New(threads)
				p := v.plan(g)
				w := d.w
				if n := p.PackedSize(); n > 0 {
					w = make([]float32, n)
					p.Pack(w, d.w)
					p.ReadPacked()
				}
				y, checkY := guarded(len(d.dy), 1, nan)
				work, checkWork := guarded(p.Workspace(threads), 0, nan)
				f := &follower{y: y, seen: make([]float32, len(y))}
				p.Follow(f)
				p.Forward(pool, d.x, w, d.bias, y, work)
				pool.Close()
				what := fmt.Sprintf("%v %+v on %d threads", v, g, threads)
				checkY(t, what)
				checkWork(t, what)
				same(t, y, want, what)
				same(t, f.seen, want, what+", follower")
				if f.count != len(y) {
					t.Fatalf("%s: %d of %d elements are finished", what, f.count, len(y))
				}
			}
		}
	}
}
