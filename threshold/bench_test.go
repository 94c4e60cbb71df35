package threshold

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/parallel"
)

// benchLength is the number of parameters. benchVectors is the number of vectors that are used in turn, so that none is
// still in a cache when it is used again.
const (
	benchLength  = 10_000_000
	benchVectors = 10
)

// copying copies with the threads of a pool, block by block like the coder.
type copying struct{ dst, src []float32 }

func (c *copying) Run(_, i int) {
	from, to := part(i, len(c.src))
	copy(c.dst[from:to], c.src[from:to])
}

// median returns the median in nanoseconds.
func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2])
}

// BenchmarkBandwidth compares the codec on 10 million parameters, of which one in a thousand moves, with a copy of as
// many by the same threads. Both run alternately. %copy is the ratio of their rates in bytes per second, from their
// median times. The bytes counted are:
//
//	copy               read and written: 8 bytes for each parameter
//	encode sparse      residual read: 4 bytes for each parameter; for each value, 8 for its element, which is read
//	                   again and written, and 12 for its entry, which is written twice and read. The rest of the
//	                   cache lines is not counted
//	update and encode  12 bytes for each parameter: update and residual read, residual written; values as above
//	encode bitmap      8 bytes for each parameter and its 2 bits: nearly all lines of the residual change
//	decode sparse      128 bytes for each value, whose cache line is read and written, and 4 for its entry
//	decode bitmap      8 bytes for each parameter and its 2 bits
func BenchmarkBandwidth(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	const t = 1.0
	residuals, updates := make([][]float32, benchVectors), make([][]float32, 3)
	for k := range updates {
		updates[k] = make([]float32, benchLength)
		for i := range updates[k] { // pages that were never written would share one page
			updates[k][i] = 1e-9
		}
	}
	for k := range residuals {
		residuals[k] = make([]float32, benchLength)
		for i := range residuals[k] {
			residuals[k][i] = r.Float32() * 0.999
		}
		for range benchLength / 1000 {
			residuals[k][r.IntN(benchLength)] = 1.5 * t
		}
	}
	to := make([]float32, benchLength)
	for _, threads := range []int{1, runtime.GOMAXPROCS(0)} {
		c := NewCoder(threads)
		pool := c.pool
		if pool == nil {
			pool = parallel.New(1)
		}
		var m Message
		// run times f and then a copy of another vector. It doesn't time undo.
		run := func(name string, f func(x []float32) (bytes int), undo func(x []float32)) {
			b.Run(fmt.Sprintf("%s/%d", name, threads), func(b *testing.B) {
				var ours, copies []time.Duration
				bytes, i := 0, 0
				for b.Loop() {
					x := residuals[i%benchVectors]
					start := time.Now()
					bytes = f(x)
					ours = append(ours, time.Since(start))
					undo(x)
					work := &copying{to, residuals[(i+benchVectors/2)%benchVectors]}
					start = time.Now()
					pool.Do(blocksOf(benchLength), work)
					copies = append(copies, time.Since(start))
					i++
				}
				took := median(ours)
				rate, copyRate := float64(bytes)/took, 8*benchLength/median(copies)
				b.ReportMetric(rate, "GB/s")
				b.ReportMetric(copyRate, "GB/s-copy")
				b.ReportMetric(100*rate/copyRate, "%copy")
				b.ReportMetric(took/1e3, "µs")
				b.ReportMetric(benchLength/took, "params/ns")
				b.ReportMetric(0, "ns/op")
			})
		}
		put := func(x []float32) {
			if err := c.Add(&m, x); err != nil {
				b.Fatal(err)
			}
		}
		c.find(residuals[0], nil, t, 0)
		c.take(&m, residuals[0], t, benchLength)
		put(residuals[0])
		run("decode sparse", func(x []float32) int {
			put(x)
			return 132 * m.Count
		}, func(x []float32) { c.Subtract(&m, x) })
		run("encode sparse", func(x []float32) int {
			c.take(&m, x, t, c.find(x, nil, t, 0))
			return 4*benchLength + 20*m.Count
		}, put)
		turn := 0
		run("update and encode", func(x []float32) int {
			turn++
			c.take(&m, x, t, c.find(x, updates[turn%len(updates)], t, 0))
			return 12*benchLength + 20*m.Count
		}, put)
		run("encode bitmap", func(x []float32) int {
			c.bitmap(&m, x, nil, t/2)
			return 8*benchLength + benchLength/4
		}, put)
		c.bitmap(&m, residuals[0], nil, t/2)
		put(residuals[0])
		run("decode bitmap", func(x []float32) int {
			put(x)
			return 8*benchLength + benchLength/4
		}, func(x []float32) { c.Subtract(&m, x) })
		pool.Close()
	}
}

// BenchmarkStep measures a worker's step with the parameters of an MLP 784-500-10: encoding, writing to the wire
// format, reading, and applying. Every fifth step clips. The names give the approximate number of values per message.
func BenchmarkStep(b *testing.B) {
	const n = 397_510
	r := rand.New(rand.NewPCG(1, 2))
	u, params := make([]float32, n), make([]float32, n)
	for i := range u {
		u[i] = float32(r.NormFloat64())
	}
	scaled := Options{Mean: true, Powers: true, Layers: []int{392_500, n}}
	for name, of := range map[string]struct {
		Algorithm
		Options
	}{"sparse": {Fixed{T: 100}, Options{}}, "bitmap": {Fixed{T: 2}, Options{}},
		"scaled": {Largest{Share: 0.1, Most: 0.4}, scaled}} {
		b.Run(name, func(b *testing.B) {
			c := NewCoder(1)
			e, err := NewEncoder(c, n, of.Algorithm, NewResidualClipping(), of.Options)
			if err != nil {
				b.Fatal(err)
			}
			var wire []byte
			var received Message
			size, i := 0, 0
			step := func() {
				m, err := e.Encode(i, 0, u)
				if err != nil {
					b.Fatal(err)
				}
				wire = m.AppendWire(wire[:0])
				if err := received.ReadWire(wire, n); err != nil {
					b.Fatal(err)
				}
				if err := c.Subtract(&received, params); err != nil {
					b.Fatal(err)
				}
				size += len(wire)
				i++
			}
			for range 200 {
				step()
			}
			size, i = 0, 0
			for b.Loop() {
				step()
			}
			b.ReportMetric(float64(e.Totals().Values)/float64(i+200), "values")
			b.ReportMetric(float64(size)/float64(i), "B/message")
		})
	}
}

// BenchmarkGaps writes and reads messages of 400 thousand parameters in the coding of gaps: those of an Encoder, which
// have words, and sums.
func BenchmarkGaps(b *testing.B) {
	const length = 400_000
	for _, density := range []float64{0.01, 0.095, 0.3} {
		for _, kind := range []string{"words", "sum"} {
			m := gapsMessage(rand.New(rand.NewPCG(1, 2)), length, density, kind == "sum")
			var wire []byte
			var got Message
			name := fmt.Sprintf("%s/%g", kind, density)
			run := func(way string, f func()) {
				b.Run(name+"/"+way, func(b *testing.B) {
					for b.Loop() {
						f()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*m.Count), "ns/value")
					b.ReportMetric(0, "ns/op")
				})
			}
			run("write", func() { wire = m.AppendWire(wire[:0]) })
			run("read", func() {
				if err := got.ReadWire(wire, length); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// gapsMessage returns a scaled message of one section. It has words. If sum is set, it has multiples instead, and two
// thirds of them are 1.
func gapsMessage(r *rand.Rand, length int, density float64, sum bool) *Message {
	m := sparseMessage(r, length, density)
	m.Form, m.Threshold, m.Sections = Scaled, 0, []Section{{length, m.Count, 1}}
	if !sum {
		return scaled{m}.mark().Message
	}
	for range m.Count {
		m.Multiples = append(m.Multiples, int32(max(1, r.IntN(6)-2)))
	}
	return m
}
