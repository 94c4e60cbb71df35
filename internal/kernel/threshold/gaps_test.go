package threshold

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
)

// oneByOne reads values bit by bit. Beyond the end it reads zeros.
type oneByOne struct {
	GapReader
	b []byte
}

func (r *oneByOne) bits(n uint) (x uint64) {
	for i := range n {
		if r.Bit/8 < len(r.b) {
			x |= uint64(r.b[r.Bit/8]>>(r.Bit%8)&1) << i
		}
		r.Bit++
	}
	return x
}

func (r *oneByOne) ones(most uint) (n uint) {
	for n < most && r.bits(1) == 1 {
		n++
	}
	return n
}

// value reads a value. It reports false, and reads nothing, if it is no regular one.
func (r *oneByOne) value(multiples bool) (entry, multiple int32, ok bool) {
	before := r.GapReader
	k, q := r.Gaps.K(), r.ones(Escape)
	gap := uint64(q)<<k | r.bits(k)
	r.At += int(gap) + 1
	r.Gaps.Follow(gap)
	entry, multiple = int32(r.At), 1
	if r.bits(1) == 1 {
		entry = -entry
	}
	m := uint(0)
	if multiples {
		m = r.ones(regular)
		multiple = int32(1<<m | r.bits(m))
	}
	if q == Escape || m == regular || r.At > r.End {
		r.GapReader = before
		return 0, 0, false
	}
	return entry, multiple, true
}

// TestReadGaps compares the kernels with reading bit by bit, from each bit of a byte, for codes of all parameters. The
// bytes are random ones, in which there are values of each kind, so reading goes on after a value that is no regular
// one.
func TestReadGaps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 3000 {
		b := atEnd(t, r.IntN(200))
		rarely := byte(r.IntN(256)) // fewer ones, for a longer way to the end
		for i := range b {
			b[i] = byte(r.Uint32()) & (byte(r.Uint32()) | rarely)
			if r.IntN(20) == 0 {
				b[i] = 0xff
			}
		}
		start := GapReader{Gaps: Gaps{r.Uint64N(1 << r.IntN(35))}, Bit: round % 8, End: r.IntN(1 << (1 + r.IntN(30)))}
		for _, multiples := range []bool{false, true} {
			readsAlike(t, start, b, 1+r.IntN(300), multiples)
		}
	}
}

// readsAlike compares the kernels with reading bit by bit, and with each other.
func readsAlike(t *testing.T, start GapReader, b []byte, values int, multiples bool) {
	t.Helper()
	for from := start; ; {
		first := -1
		var stopped GapReader
		for _, v := range kernel.Available() {
			entries, own := make([]int32, values), []int32(nil)
			if multiples {
				own = make([]int32, values)
			}
			now, n := For(v).ReadGaps(from, entries, own, b)
			if first < 0 {
				first, stopped = n, now
			}
			if n != first || now != stopped {
				t.Fatalf("%v: %d values and %+v, others %d and %+v", v, n, now, first, stopped)
			}
			want := oneByOne{from, b}
			for j := range n {
				entry, multiple, ok := want.value(multiples)
				if !ok || entries[j] != entry || multiples && own[j] != multiple {
					t.Fatalf("%v: value %d of %x from %+v is %d, want %d, %d, %v", v, j, b, from, entries[j], entry, multiple, ok)
				}
			}
			if want.GapReader != now {
				t.Fatalf("%v: after %d values of %x from %+v: %+v, want %+v", v, n, b, from, now, want.GapReader)
			}
			// A regular value is left only if there are few bytes, or if it has more bits than the kernel.
			if _, _, ok := want.value(multiples); ok && n < min(values, from.readable(b, values)) && want.Bit-now.Bit <= 56 {
				t.Fatalf("%v: stopped after %d values of %x from %+v, %d bits before the next", v, n, b, from, want.Bit-now.Bit)
			}
		}
		if first == values || from.readable(b, values) == 0 {
			return
		}
		from, values = stopped, values-first
		if first == 0 {
			from.Bit += 1 + int(from.Gaps.Sum%7)
		}
	}
}

// TestReadGapsAllocatesNothing would find a reader that is moved to the heap.
func TestReadGapsAllocatesNothing(t *testing.T) {
	entries, b := make([]int32, 100), slices.Repeat([]byte{0x24}, 200)
	for _, v := range kernel.Available() {
		if n := testing.AllocsPerRun(10, func() {
			For(v).ReadGaps(GapReader{Gaps: Gaps{16}, End: 1 << 20}, entries, nil, b)
		}); n > 0 {
			t.Errorf("%v: %g allocations", v, n)
		}
	}
}
