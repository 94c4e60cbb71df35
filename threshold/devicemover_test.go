package threshold

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/program"
)

// messagesOf returns a message of each form, with density of the parameters moving.
func messagesOf(r *rand.Rand, n int, ends []int, density float64) []*Message {
	words := func(from, to int, halves bool) (words []uint32, count int) {
		words = make([]uint32, (to-from+15)/16)
		for i := range to - from {
			if r.Float64() >= density {
				continue
			}
			mark := []uint32{1, 0x10001, 0x10000}[r.IntN(3)]
			if mark == 0x10000 && !halves {
				mark = 1
			}
			words[i/16] |= mark << (i % 16)
			count++
		}
		return words, count
	}
	entry := func(i int) int32 { return int32(i+1) * int32(1-2*r.IntN(2)) }
	bitmap := &Message{Form: Bitmap, Length: n, Threshold: 0.3}
	bitmap.Words, bitmap.Count = words(0, n, true)
	sparse := &Message{Form: Sparse, Length: n, Threshold: 0.7}
	listed := &Message{Form: Scaled, Length: n}
	multiple := &Message{Form: Scaled, Length: n}
	marked := &Message{Form: Scaled, Length: n}
	from := 0
	for k, end := range ends {
		magnitude := float32(0.1 * float64(k+1))
		section := Section{End: end}
		own := section
		for i := from; i < end && k != 1; i++ { // a section has no values
			if r.Float64() < density {
				listed.Entries = append(listed.Entries, entry(i))
				multiple.Entries = append(multiple.Entries, entry(i))
				multiple.Multiples = append(multiple.Multiples, 1+r.Int32N(100))
				section.Count++
			}
		}
		some, count := words(from, end, false)
		if k == 2 {
			count = 0
		}
		if own.Count = count; count > 0 {
			marked.Words = append(marked.Words, some...)
			own.Magnitude = magnitude
		}
		if section.Count > 0 {
			section.Magnitude = magnitude
		}
		listed.Sections, multiple.Sections = append(listed.Sections, section), append(multiple.Sections, section)
		marked.Sections = append(marked.Sections, own)
		marked.Count += own.Count
		from = end
	}
	for i := range n {
		if r.Float64() < density {
			sparse.Entries = append(sparse.Entries, entry(i))
		}
	}
	sparse.Count, listed.Count, multiple.Count = len(sparse.Entries), len(listed.Entries), len(multiple.Entries)
	return []*Message{marked, {Length: n}, sparse, multiple, bitmap, listed}
}

// newMover makes a Mover for parameters on a device.
func newMover(x program.Executor, params []float32, states int, ends []int) (*Mover, *besides) {
	b := &besides{Executor: x, home: make([]float32, len(params))}
	b.vectors[program.Params], b.vectors[program.State] = params, make([]float32, states)
	if k, ok := x.(program.Keeper); ok {
		b.kept = k.Keep()
	}
	return NewMover(b, ends), b
}

// back copies a vector from the device.
func (b *besides) back(t *testing.T, v program.Vector) []float32 {
	t.Helper()
	if b.kept != nil {
		if err := b.kept.Fetch(v); err != nil {
			t.Fatal(err)
		}
	}
	return b.vectors[v]
}

// sameBits compares numbers, also the signs of zeros.
func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// Parameters that messages of all forms move on a device have the bits of those that they move in this process, for any
// number of messages, also in several pieces.
func TestDeviceMoves(t *testing.T) {
	const n = 3331
	ends := []int{7, 7, 1300, 1301, 2500, n}
	x, c, r := deviceExecutor(t), NewCoder(1), rand.New(rand.NewPCG(5, 6))
	for name, largest := range map[string]int{"one piece": largestMoves, "pieces": 2048} {
		t.Run(name, func(t *testing.T) {
			want := make([]float32, n)
			for i := range want {
				if want[i] = float32(r.NormFloat64()); i%50 == 0 {
					want[i] = float32(math.Copysign(0, -1))
				}
			}
			m, device := newMover(x, slices.Clone(want), 0, ends)
			m.largest = largest
			var all []*Message
			for _, density := range []float64{0, 0.01, 0.1} {
				all = append(all, messagesOf(r, n, ends[1:], density)...)
			}
			groups := [][]*Message{all[12:13], all[5:8], all[6:11], all, nil, all[:6]}
			if largest == largestMoves {
				groups = append(groups, all[13:14], all[14:15], all[15:16], all[16:17], all[17:], all[14:16], all[8:18])
			}
			for _, some := range groups {
				for _, of := range some {
					if err := of.Validate(); err != nil {
						t.Fatal(err)
					}
				}
				if done, err := m.Subtract(some); err != nil || done != len(some) {
					t.Fatalf("%d messages: %d, %v", len(some), done, err)
				}
				if err := c.SubtractAll(some, want); err != nil {
					t.Fatal(err)
				}
				if !sameBits(device.back(t, program.Params), want) {
					t.Fatalf("%d messages moved the parameters to other bits", len(some))
				}
			}
			if done, err := m.Add(all[:9]); err != nil || done != 9 {
				t.Fatal(done, err)
			}
			for _, of := range all[:9] {
				if err := c.Add(of, want); err != nil {
					t.Fatal(err)
				}
			}
			if !sameBits(device.back(t, program.Params), want) {
				t.Error("messages that are added moved the parameters to other bits")
			}
		})
	}
}

// Messages that move most parameters are left to this process, and so is one of another network.
func TestDeviceMovesNoDenseMessages(t *testing.T) {
	const n = 4000
	r := rand.New(rand.NewPCG(5, 6))
	m, device := newMover(deviceExecutor(t), make([]float32, n), 0, []int{n})
	dense := messagesOf(r, n, []int{n}, 0.99)
	few := messagesOf(r, n, []int{n}, 0.01)
	for name, all := range map[string][]*Message{"dense": dense[:3], "other": {{Form: Sparse, Length: n + 1, Threshold: 1,
		Count: 1, Entries: []int32{4}}}} {
		if done, err := m.Subtract(all); done != 0 || err != nil {
			t.Errorf("%s: %d messages, %v", name, done, err)
		}
	}
	if done, err := m.Subtract(slices.Concat(few, few, few, dense[:3])); done != mostMessages || err != nil {
		t.Errorf("%d messages, %v", done, err)
	}
	device.failWith = fmt.Errorf("it is gone")
	if done, err := m.Subtract(few); done != 0 || err != device.failWith {
		t.Errorf("%d messages of a device that failed, %v", done, err)
	}
}

// The updater state of parameters that a message moves is masked.
func TestDeviceMasks(t *testing.T) {
	const n = 3331
	ends := []int{7, 1300, 1301, 2500, n}
	r := rand.New(rand.NewPCG(5, 6))
	m, device := newMover(deviceExecutor(t), make([]float32, n), n+500, ends)
	m.largest = 2048
	masks := []Mask{{0, 7, 493}, {7, 1300, 500}, {2500, n, 3000}}
	m.SetMasks(masks)
	want := device.vectors[program.State]
	for i := range want {
		want[i] = float32(i)
	}
	want = slices.Clone(want)
	for _, by := range messagesOf(r, n, ends, 0.1) {
		if err := m.Mask(by); err != nil {
			t.Fatal(err)
		}
		for i := range by.All() {
			for _, s := range masks {
				if i >= s.From && i < s.To {
					want[s.State+i-s.From] = 0
				}
			}
		}
		if got := device.back(t, program.State); !slices.Equal(got, want) {
			t.Fatalf("a %v message: another state", by.Form)
		}
	}
}

// A reader has the values of Message.All.
func TestMoverReadsAllValues(t *testing.T) {
	const n = 500
	r := rand.New(rand.NewPCG(7, 8))
	for _, m := range messagesOf(r, n, []int{20, 300, 301, n}, 0.2) {
		var reader valueReader
		reader.begin(m, 1)
		for i, v := range m.All() {
			if reader.at != i || reader.value != v {
				t.Fatalf("a %v message: %g of parameter %d, want %g of %d", m.Form, reader.value, reader.at, v, i)
			}
			reader.advance()
		}
		if reader.at != n {
			t.Errorf("a %v message has more values", m.Form)
		}
	}
}
