package threshold

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
)

// guard is the length of memory around a slice that a kernel must not change.
const guard = 37

// guarded returns an unaligned vector of n elements, with guards on both sides.
func guarded[T any](n, offset int, sentinel T) (all, x []T) {
	all = make([]T, n+2*guard+offset)
	for i := range all {
		all[i] = sentinel
	}
	return all, all[guard+offset : guard+offset+n : guard+offset+n]
}

func untouched[T comparable](t *testing.T, what string, all []T, n, offset int, sentinel T) {
	t.Helper()
	for i, v := range all {
		if v != sentinel && (i < guard+offset || i >= guard+offset+n) {
			t.Fatalf("%s: wrote at %d, of [0, %d)", what, i-guard-offset, n)
		}
	}
}

// awkward fills x with values at, next to and beyond t and t/2, of both signs, zeros, denormals, infinities and NaN,
// among others.
func awkward(r *rand.Rand, x []float32, t float32, density float64) {
	inf := float32(math.Inf(1))
	special := []float32{t, t / 2, math.Nextafter32(t, 0), math.Nextafter32(t, inf), math.Nextafter32(t/2, 0),
		math.Nextafter32(t/2, inf), 0, 2 * t, 3 * t, inf, float32(math.NaN()), math.SmallestNonzeroFloat32, math.MaxFloat32}
	for i := range x {
		switch p := r.Float64(); {
		case p < density/2:
			x[i] = special[r.IntN(len(special))]
		case p < density:
			x[i] = t * (1 + 3*r.Float32())
		default:
			x[i] = t * r.Float32() / 2
		}
		if r.IntN(2) == 0 {
			x[i] = -x[i]
		}
	}
}

// same compares bits; all NaN are equal.
func same(a, b []float32) int {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) && !(a[i] != a[i] && b[i] != b[i]) {
			return i
		}
	}
	return -1
}

var lengths = []int{0, 1, 2, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 191, 192, 255, 256, 257, 1000,
	4099}

// every runs a test for each variant, at many lengths and alignments, with sparse and dense vectors, and with usual
// and tiny thresholds.
func every(t *testing.T, f func(t *testing.T, k *Set, r *rand.Rand, n, offset int, limit float32, density float64)) {
	for _, v := range kernel.Available() {
		t.Run(v.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for _, n := range lengths {
				for offset := range 3 {
					for _, density := range []float64{0, 0.01, 0.1, 0.5, 1} {
						for _, limit := range []float32{1e-3, 3, 0x1p-140, 0x1.8p-148, 1e38} {
							f(t, For(v), r, n, offset, limit, density)
						}
					}
				}
			}
		})
	}
}

func TestFind(t *testing.T) {
	every(t, func(t *testing.T, k *Set, r *rand.Rand, n, offset int, limit float32, density float64) {
		_, x := guarded[float32](n, offset, 9)
		awkward(r, x, limit, density)
		hits := 0
		for _, v := range x {
			if v >= limit || v <= -limit {
				hits++
			}
		}
		if got := k.Count(x, limit); got != hits {
			t.Fatalf("Count of %d: %d, want %d", n, got, hits)
		}
		kept := slices.Clone(x)
		for _, room := range []int{0, hits / 2, hits, hits + 1, n, n + 100} {
			want := make([]int32, room)
			found, seen := portable.Find(want, x, limit, 1000)
			all, dst := guarded[int32](room, offset, -7)
			gotFound, gotSeen := k.Find(dst, x, limit, 1000)
			if gotFound != found || gotSeen != seen || !slices.Equal(dst[:found], want[:found]) {
				t.Fatalf("Find in %d, room for %d: %d of %d, want %d of %d\n%v\n%v", n, room, gotFound, gotSeen,
					found, seen, dst, want)
			}
			untouched(t, "Find", all, found, offset, -7)
			if room >= hits && (found != hits || seen != n) {
				t.Fatalf("Find in %d, room for %d: %d of %d hits", n, room, found, hits)
			}
		}
		if same(x, kept) >= 0 {
			t.Fatal("Find wrote to x")
		}
	})
}

func TestBitmap(t *testing.T) {
	every(t, func(t *testing.T, k *Set, r *rand.Rand, n, offset int, limit float32, density float64) {
		all, x := guarded[float32](n, offset, 9)
		awkward(r, x, limit, density)
		residual, want := slices.Clone(x), make([]uint32, WordsOf(n))
		count := portable.EncodeBitmap(want, residual, limit)
		allWords, words := guarded[uint32](WordsOf(n), offset, 1<<31+5)
		if got := k.EncodeBitmap(words, x, limit); got != count || !slices.Equal(words, want) || same(x, residual) >= 0 {
			t.Fatalf("EncodeBitmap of %d at %g: %d, want %d; residuals differ at %d", n, limit, got, count, same(x, residual))
		}
		untouched(t, "EncodeBitmap", allWords, len(words), offset, 1<<31+5)
		untouched(t, "EncodeBitmap", all, n, offset, 9)
		awkward(r, x, limit, density)
		residual = slices.Clone(x)
		naive := uint32(0)
		for _, v := range x {
			naive = max(naive, math.Float32bits(v)&math.MaxInt32)
		}
		count, most := portable.EncodeScaled(want, residual, limit, 0.7*limit)
		if math.Float32bits(most) != naive {
			t.Fatalf("the largest is %g, want %g", most, math.Float32frombits(naive))
		}
		got, largest := k.EncodeScaled(words, x, limit, 0.7*limit)
		if got != count || !slices.Equal(words, want) || same(x, residual) >= 0 || got != k.CountBitmap(words) ||
			math.Float32bits(largest) != naive {
			t.Fatalf("EncodeScaled of %d at %g: %d up to %g, want %d up to %g; residuals differ at %d", n, limit, got, largest,
				count, most, same(x, residual))
		}
		untouched(t, "EncodeScaled", allWords, len(words), offset, 1<<31+5)
		untouched(t, "EncodeScaled", all, n, offset, 9)
		for _, sign := range []float32{1, -1} {
			awkward(r, x, limit, 0.5)
			sum := slices.Clone(x)
			portable.AddBitmap(sum, want, sign*limit)
			if k.AddBitmap(x, want, sign*limit); same(x, sum) >= 0 {
				t.Fatalf("AddBitmap of %d at %g: differs at %d", n, limit, same(x, sum))
			}
			untouched(t, "AddBitmap", all, n, offset, 9)
		}
	})
}

// TestAddBitmapOfAnyBits also tests bits that no encoder writes. -0 and NaN must not change.
func TestAddBitmapOfAnyBits(t *testing.T) {
	for _, v := range kernel.Available() {
		r := rand.New(rand.NewPCG(3, 4))
		for range 200 {
			words := make([]uint32, 10)
			for i := range words {
				words[i] = r.Uint32() & r.Uint32()
			}
			x := make([]float32, 160)
			for i := range x {
				x[i] = []float32{float32(math.Copysign(0, -1)), 0, 1, float32(math.NaN())}[r.IntN(4)]
			}
			want := slices.Clone(x)
			portable.AddBitmap(want, words, 0.25)
			if For(v).AddBitmap(x, words, 0.25); same(x, want) >= 0 {
				t.Fatalf("%v: differs at %d", v, same(x, want))
			}
		}
	}
}

func TestAddEntries(t *testing.T) {
	for _, v := range kernel.Available() {
		for n := range 70 {
			x, want := make([]float32, 2*n+2), make([]float32, 2*n+2)
			var entries []int32
			for i := range n {
				e := int32(2*i + 2)
				want[2*i+1] = 1.5
				if i%3 == 0 {
					e, want[2*i+1] = -e, -1.5
				}
				entries = append(entries, e)
			}
			if For(v).AddEntries(x, entries, 1.5); !slices.Equal(x, want) {
				t.Fatalf("%v: %v, want %v", v, x, want)
			}
			if For(v).AddEntries(x, entries, -1.5); slices.ContainsFunc(x, func(f float32) bool { return f != 0 }) {
				t.Fatalf("%v: %v after subtraction", v, x)
			}
		}
		for _, bad := range []int32{0, 11, -11, math.MaxInt32, math.MinInt32} {
			if !panics(func() { For(v).AddEntries(make([]float32, 10), []int32{3, bad}, 1) }) {
				t.Errorf("%v: no panic for entry %d of 10 elements", v, bad)
			}
		}
	}
}

func TestLengthsThatDifferPanic(t *testing.T) {
	for _, v := range kernel.Available() {
		k := For(v)
		for name, f := range map[string]func(){
			"EncodeBitmap": func() { k.EncodeBitmap(make([]uint32, 3), make([]float32, 64), 1) },
			"EncodeScaled": func() { k.EncodeScaled(make([]uint32, 3), make([]float32, 64), 1, 1) },
			"AddBitmap":    func() { k.AddBitmap(make([]float32, 65), make([]uint32, 4), 1) },
		} {
			if !panics(f) {
				t.Errorf("%v, %s: no panic", v, name)
			}
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return
}

// BenchmarkKernels runs the kernels on vectors that stay in the second-level cache. GB/s counts reads, and writes if
// there are any.
func BenchmarkKernels(b *testing.B) {
	const n = 1 << 16
	for _, v := range kernel.Available() {
		k := For(v)
		for _, density := range []float64{1e-3, 1.0 / 32, 0.25} {
			r := rand.New(rand.NewPCG(1, 2))
			x := make([]float32, n)
			for i := range x {
				x[i] = 0.4 * r.Float32()
				if r.Float64() < density {
					x[i] = 1.5
				}
			}
			dst, words, u := make([]int32, n), make([]uint32, n/16), make([]float32, n)
			hits, _ := k.Find(dst, x, 1, 0)
			run := func(name string, bytes int, f func()) {
				b.Run(fmt.Sprintf("%s/%.4f/%v", name, density, v), func(b *testing.B) {
					b.SetBytes(int64(bytes))
					for b.Loop() {
						f()
					}
				})
			}
			run("Find", 4*n+4*hits, func() { k.Find(dst, x, 1, 0) })
			run("Count", 4*n, func() { k.Count(x, 1) })
			run("EncodeScaled", 4*n+n/4, func() { k.EncodeScaled(words, x, 1, 0) })
			run("AddTimes", 12*n, func() { k.AddTimes(x, u, 0) })
			run("AddEntries", 12*hits, func() { k.AddEntries(x, dst[:hits], 0) })
			run("EncodeBitmap+AddBitmap", 8*n+n/2, func() { k.EncodeBitmap(words, x, 1); k.AddBitmap(x, words, 1) })
			run("AddBitmap", 4*n+n/4, func() { k.AddBitmap(x, words, 0) })
		}
	}
}
