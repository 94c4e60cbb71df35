package threshold

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/allocs"
	"github.com/dl4go/dl4go/internal/campaign"
	kernels "github.com/dl4go/dl4go/internal/kernel/threshold"
	"github.com/dl4go/dl4go/internal/mutate"
)

// sparseMessage moves each parameter up or down with the given probability.
func sparseMessage(r *rand.Rand, length int, density float64) *Message {
	m := &Message{Form: Sparse, Length: length, Threshold: 1e-3}
	for i := range length {
		if r.Float64() < density {
			m.Entries = append(m.Entries, int32(i+1)*int32(1-2*r.IntN(2)))
		}
	}
	m.Count = len(m.Entries)
	return m
}

// bitmapMessage moves each parameter with the probability density. Of these, the fraction halves moves by half a
// threshold.
func bitmapMessage(r *rand.Rand, length int, density, halves float64) *Message {
	m := &Message{Form: Bitmap, Length: length, Threshold: 0.25, Words: make([]uint32, kernels.WordsOf(length))}
	for i := range length {
		if r.Float64() < density {
			bits := uint32(1)
			if r.Float64() < halves {
				bits = 0x10000
			} else if r.IntN(2) == 0 {
				bits = 0x10001
			}
			m.Words[i/16] |= bits << (i % 16)
		}
	}
	m.Count = best.CountBitmap(m.Words)
	return m
}

// mark returns a message with words and the values of this one, which has entries and no multiples.
func (m scaled) mark() scaled {
	out := scaled{&Message{Form: Scaled, Length: m.Length, Count: m.Count, Sections: m.Sections}}
	out.Words = make([]uint32, m.size())
	entries := m.Entries
	for s := range out.marks {
		for _, e := range entries[:s.count] {
			at, word := int(abs(e))-1-s.from, uint32(1)
			if e < 0 {
				word = 0x10001
			}
			s.words[at/16] |= word << (at % 16)
		}
		entries = entries[s.count:]
	}
	return out
}

// scaledMessage moves each parameter of three sections with the given probability. A third of the messages are sums, a
// third have words.
func scaledMessage(r *rand.Rand, length int, density float64) *Message {
	m := sparseMessage(r, length, density)
	m.Form, m.Threshold = Scaled, 0
	if m.Count == 0 {
		m.Reset(length)
		return m
	}
	for start, k := 0, 0; start < length; k++ {
		s := Section{End: min(length, start+1+length/3)}
		for _, e := range m.Entries {
			if at := int(abs(e)); at > start && at <= s.End {
				s.Count++
			}
		}
		if s.Count > 0 {
			s.Magnitude = float32(math.Exp2(float64(-k)))
		}
		m.Sections = append(m.Sections, s)
		start = s.End
	}
	switch r.IntN(3) {
	case 0:
		return scaled{m}.mark().Message
	case 1:
		for range m.Count {
			m.Multiples = append(m.Multiples, int32(1+r.IntN(1<<r.IntN(22))))
		}
	}
	return m
}

func TestWireRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var got Message // its memory is reused
	check := func(m *Message) {
		t.Helper()
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		b := m.AppendWire([]byte("before"))
		for _, b := range [][]byte{b, m.AppendDense([]byte("before"))} {
			if !bytes.HasPrefix(b, []byte("before")) {
				t.Fatal("what was there before is gone")
			}
			if err := got.ReadWire(b[6:], m.Length); err != nil {
				t.Fatalf("%v of %d in %d: %v", m.Form, m.Count, m.Length, err)
			}
			sameMessage(t, &got, m)
			if err := got.Validate(); err != nil {
				t.Error(err)
			}
		}
		if most := len(m.Words)*4 + 24; m.Form == Bitmap && len(b)-6 > most {
			t.Errorf("a bitmap of %d parameters takes %d bytes", m.Length, len(b)-6)
		}
	}
	check(&Message{Length: 12})
	check(&Message{})
	for _, n := range []int{0, 1, 2, 15, 16, 17, 33, 100, 1000, 70_001} {
		for _, density := range []float64{0, 1e-4, 1e-3, 1e-2, 0.1, 0.3, 0.7, 1} {
			check(sparseMessage(r, n, density))
			check(scaledMessage(r, n, density))
			check(scaledMessage(r, n, density))
			for _, halves := range []float64{0, 0.1, 0.5, 0.9, 1} {
				check(bitmapMessage(r, n, density, halves))
			}
		}
	}
	// These gaps are nothing like the others, up to the longest.
	for _, entries := range [][]int32{{1}, {MaxLength}, {-MaxLength}, {1, 2, 3, -MaxLength},
		{-1, MaxLength - 1, MaxLength},
		{1 << 20, 1<<20 + 1, 1<<20 + 2, 1 << 30, -1<<30 - 1}} {
		check(&Message{Form: Sparse, Length: MaxLength, Threshold: math.MaxFloat32, Count: len(entries), Entries: entries})
	}
}

// TestBitsPerValue checks the size for values at random places, including all framing. The entropy is log₂(1/p) + 1.44
// bits for the place and one bit for the sign.
func TestBitsPerValue(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		length  int
		density float64
		most    float64
	}{{10_000_000, 1e-3, 12.6}, {400_000, 1e-3, 13.5}, {10_000_000, 1e-4, 16.1}, {400_000, 1e-2, 9.3},
		{400_000, 0.05, 7}} {
		m := sparseMessage(r, c.length, c.density)
		size := len(m.AppendWire(nil))
		each := float64(8*size) / float64(m.Count)
		p := float64(m.Count) / float64(m.Length)
		entropy := 1 - (p*math.Log2(p)+(1-p)*math.Log2(1-p))/p
		t.Logf("%d parameters, %d values: %.3f bits each, the entropy is %.3f", c.length, m.Count, each, entropy)
		if each > c.most {
			t.Errorf("%d parameters at %g: %.3f bits for a value, want at most %g", c.length, c.density, each, c.most)
		}
	}
}

// TestBitsFollowDensity checks that the code is shorter than for random places if half of the values are in a hundredth
// of the parameters.
func TestBitsFollowDensity(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	m := sparseMessage(r, 1_000_000, 5e-4)
	dense := sparseMessage(r, 10_000, 0.05)
	m.Entries = append(dense.Entries, m.Entries...)
	for i := range m.Entries[len(dense.Entries):] {
		e := &m.Entries[len(dense.Entries)+i]
		*e += 10_000 * (*e>>31 | 1)
	}
	m.Length, m.Count = m.Length+10_000, len(m.Entries)
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	each := float64(8*len(m.AppendWire(nil))) / float64(m.Count)
	if t.Logf("%.2f bits each", each); each > 10.6 {
		t.Errorf("%.2f bits for a value", each)
	}
}

// TestWireVectors checks that the wire format has not changed.
func TestWireVectors(t *testing.T) {
	for want, m := range map[string]*Message{
		"1064" + "2e82f868": {Length: 100},
		"14640000003f03" + "c43c00" + "ff34ea72": {Form: Sparse, Length: 100, Threshold: 0.5, Count: 3,
			Entries: []int32{3, -50, 51}},
		"18280000803f02" + "461e" + "1d7e90e3": {Form: Bitmap, Length: 40, Threshold: 1, Count: 2,
			Words: []uint32{1 << 3, 0, 0x10001 << 2}},
		"19280000803f02" + "2000" + "29a4db42": {Form: Bitmap, Length: 40, Threshold: 1, Count: 2,
			Words: []uint32{0x20001, 0, 0}},
		"1b140000803f03" + "0900" + "0400" + "05" + "02" + "eb1bd7d6": {Form: Bitmap, Length: 20, Threshold: 1, Count: 3,
			Words: []uint32{0x10008, 0x10001 << 2}},
		"1b100000803f10" + "aaaaffff" + "4b712a6c": {Form: Bitmap, Length: 16, Threshold: 1, Count: 16,
			Words: []uint32{0xffffaaaa}},
		"1f1401140300000040" + "0402000208000800" + "6ad1f982": {Form: Scaled, Length: 20, Count: 3,
			Words: []uint32{0x2000204, 0x80008}, Sections: []Section{{20, 3, 2}}},
		"1e140114020000003f" + "040008" + "01" + "29" + "d1a9b12b": {Form: Scaled, Length: 20, Count: 2,
			Entries: []int32{-3, 20}, Multiples: []int32{2, 3}, Sections: []Section{{20, 2, 0.5}}},
	} {
		b := m.AppendDense(nil)
		if got := hex.EncodeToString(b); got != want {
			t.Errorf("%v of %d: %s, want %s", m.Form, m.Count, got, want)
		}
	}
}

func seal(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// TestBadWire checks that errors say what is wrong, and where.
func TestBadWire(t *testing.T) {
	good := (&Message{Form: Sparse, Length: 100, Threshold: 0.5, Count: 3, Entries: []int32{3, -50, 51}}).AppendWire(nil)
	change := func(at int, to ...byte) []byte {
		b := bytes.Clone(good[:len(good)-checksumSize])
		copy(b[at:], to)
		return seal(b)
	}
	cut := func(n int) []byte { return seal(bytes.Clone(good[:n])) }
	dense := func(count byte, places []byte, bits ...byte) []byte {
		b := append([]byte{0x1b, 100, 0, 0, 0x80, 0x3f, count}, make([]byte, 14)...)
		copy(b[7:], places)
		return seal(append(b, bits...))
	}
	scaled := func(coding, count byte, size int, content []byte, bits ...byte) []byte {
		b := append([]byte{0x1c + coding, 100, 1, 100, count, 0, 0, 0x80, 0x3f}, make([]byte, size)...)
		copy(b[9:], content)
		return seal(append(b, bits...))
	}
	for _, c := range []struct {
		b    []byte
		want string
		at   int64
	}{
		{nil, "too short", 0},
		{good[:5], "too short", 0},
		{append(bytes.Clone(good), 0), "the checksum is", 11},
		{change(0, 0x24), "a message of version 2: this program knows version 1", 0},
		{change(0, 0x1c), "a message of 0 sections", 2},
		{change(0, 0x15), "no messages of sparse in coding 1", 0},
		{change(0, 0x11), "no messages of empty in coding 1", 0},
		{change(1, 99), "a message of 99 parameters for a network of 100", 1},
		{change(2, 0, 0, 0, 0), "a threshold of 0", 2},
		{change(2, 0, 0, 0x80, 0x7f), "a threshold of +Inf", 2},
		{change(2, 0, 0, 0xc0, 0x7f), "a threshold of NaN", 2},
		{change(2, 0, 0, 0, 0xbf), "a threshold of -0.5", 2},
		{change(6, 101), "a message of 101 values for 100 parameters", 6},
		{change(6, 13), "a message of 13 values in 24 bits", 7},
		{change(6, 10), "a message ends among its values", 10},
		{change(9, 0xff), "the bits after a message's last value are not 0", 10},
		{change(7, 0xff, 0xff), "value 0 of a message is for parameter", 10},
		{cut(4), "ends in its threshold", 2},
		{cut(6), "values for 100 parameters", 6},
		{cut(8), "a message ends among its values", 8},
		{seal(append(bytes.Clone(good[:len(good)-checksumSize]), 0)), "a message goes on for 1 bytes after its end", 10},
		{seal([]byte{0x10, 100, 7}), "a message goes on for 1 bytes after its end", 2},
		{seal([]byte{0x10, 0xe4, 0}), "", 0}, // a second zero byte of the length: 0xe4 0x00 is 100 in two bytes
		{seal([]byte{0x1b, 100, 0, 0, 0x80, 0x3f, 50, 1, 0, 0, 0}), "a bitmap of 100 parameters in 4 bytes: must be 28", 7},
		// Below, the first word has the places. Six words without places follow.
		{dense(9, []byte{1, 0}), "a bitmap of 100 parameters and 9 values in 14 bytes", 7},
		{dense(9, []byte{0xff, 1}, 0), "a bitmap of 100 parameters and 9 values in 15 bytes", 7},
		{dense(3, []byte{3, 0}, 0), "a bitmap of 2 values says that it has 3", 7},
		{dense(2, []byte{7, 0}, 0), "a bitmap of 3 values says that it has 2", 7},
		{dense(2, []byte{3, 0}, 4), "the bits after a message's last value are not 0", 22}, // a sign without a value
		{dense(2, []byte{3, 0}, 3), "a message ends among its values", 22},
		{dense(2, []byte{3, 0}, 3, 4), "the bits after a message's last value are not 0", 23},
		{dense(2, []byte{3, 0}, 3, 0, 0), "a message goes on for 1 bytes after its end", 23},
		{dense(2, []byte{3, 0}, 0, 0), "a message goes on for 1 bytes after its end", 22},
		{scaled(2, 9, 13, []byte{1}), "a dense message of 100 parameters and 9 values in 13 bytes", 9},
		{scaled(2, 2, 13, []byte{1}, 0, 0), "a dense message of 2 values has other places than that", 9},
		{scaled(2, 1, 13, []byte{3}, 0, 0), "a dense message of 1 values has other places than that", 9},
		{scaled(2, 2, 13, []byte{3}, 4, 0), "the bits after a message's last value are not 0", 23}, // a sign without a value
		{scaled(2, 1, 13, []byte{12: 16}, 0, 0), "the bits after a message's last value are not 0", 23},
		{scaled(2, 2, 13, []byte{3}, 0, 0, 0), "a message goes on for 1 bytes after its end", 24},
		{scaled(3, 9, 27, []byte{1}), "a message of 9 values in 7 words and 27 bytes", 9},
		{scaled(3, 2, 28, []byte{1}), "the section up to parameter 100 has 1 values, and says that it has 2", 9},
		{scaled(3, 1, 28, []byte{1, 0, 2}), "the section up to parameter 100 has signs without values", 9},
		{scaled(3, 1, 28, []byte{24: 16}), "the section up to parameter 100 moves ones above", 9},
		{scaled(3, 1, 28, []byte{1}, 0), "a message goes on for 1 bytes after its end", 37},
		{dense(1, []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0}, 0), "a bitmap of 100 parameters moves ones above", 7},
	} {
		var m Message
		err := m.ReadWire(c.b, 100)
		var f *dl4j.FormatError
		if !errors.As(err, &f) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%x: %v, want %s at %d", c.b, err, c.want, c.at)
		} else if c.want != "" && f.Offset != c.at {
			t.Errorf("%x: %v, want byte %d", c.b, err, c.at)
		}
		if m.Form != Empty || m.Length != 100 || m.Validate() != nil {
			t.Errorf("%x: left %+v", c.b, m)
		}
	}
	for _, length := range []int{-1, MaxLength + 1} {
		var m Message
		if err := m.ReadWire(good, length); err == nil {
			t.Errorf("no error for a network of %d", length)
		}
	}
}

// hostile reads arbitrary bytes. An error must have its type, a message must be valid, and memory must be bounded.
func hostile(t *testing.T, b []byte, length int) bool {
	t.Helper()
	var m Message
	before := allocated()
	err := m.ReadWire(b, length)
	if used := allocated() - before; used > 1<<16+uint64(length/2+26*len(b)) {
		t.Errorf("%.80x: reading %d bytes took %d", b, len(b), used)
	}
	var f *dl4j.FormatError
	if err != nil {
		if !errors.As(err, &f) || f.Offset < 0 || f.Offset > int64(len(b)) {
			t.Errorf("%.80x: %T %v", b, err, err)
		}
		return false
	}
	if err := m.Validate(); err != nil {
		t.Errorf("%.80x: read as a message with %v", b, err)
	}
	var again Message
	if err := again.ReadWire(m.AppendWire(nil), length); err != nil {
		t.Errorf("%.80x: read and written: %v", b, err)
	}
	sameMessage(t, &again, &m)
	if dense := byte(m.Form<<2 | codeDense); b[0]&15 == dense && m.coding() == codeDense &&
		!bytes.Equal(m.AppendWire(nil), b) {
		t.Errorf("%.80x: a dense bitmap that is written in another way", b)
	}
	target := make([]float32, length)
	if err := NewCoder(1).Add(&m, target); err != nil {
		t.Error(err)
	}
	return true
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestMutatedMessages damages messages and corrects most checksums, because a wrong one hides other damage.
func TestMutatedMessages(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	seeds := []*Message{{Length: 1000}, sparseMessage(r, 1000, 0.05), sparseMessage(r, 1000, 0.7),
		scaledMessage(r, 1000, 0.05), scaledMessage(r, 1000, 0.7), scaledMessage(r, 1000, 0.3),
		bitmapMessage(r, 1000, 0.1, 0),
		bitmapMessage(r, 1000, 0.1, 0.8), bitmapMessage(r, 1000, 0.5, 0.2), bitmapMessage(r, 1000, 1, 0.3)}
	n, sound := campaign.Count(2_000, 20_000, 200_000), 0
	campaign.Record(t).Add(n)
	for i := range n {
		b := seeds[i%len(seeds)].AppendWire(nil)
		if i%3 == 0 {
			b = seeds[i%len(seeds)].AppendDense(nil)
		}
		if i%10 == 0 {
			b = mutate.Bytes(b, uint64(i))
		} else {
			b = seal(mutate.Bytes(b[:len(b)-checksumSize], uint64(i)))
		}
		if hostile(t, b, 1000) {
			sound++
		}
	}
	if t.Logf("%d of %d damaged messages are read", sound, n); sound > n/2 || sound == 0 {
		t.Errorf("%d of %d damaged messages are read: the damage does not test much", sound, n)
	}
}

// TestDamagedDense cuts dense messages at every byte and changes every bit.
func TestDamagedDense(t *testing.T) {
	const length = 333
	r := rand.New(rand.NewPCG(9, 10))
	for _, m := range []*Message{bitmapMessage(r, length, 0.12, 0.2), bitmapMessage(r, length, 0.3, 0.5),
		bitmapMessage(r, length, 0.8, 0.2), scaledMessage(r, length, 0.1), scaledMessage(r, length, 0.2),
		scaledMessage(r, length, 0.7), scaledMessage(r, length, 0.9)} {
		whole := m.AppendDense(nil)
		whole = whole[:len(whole)-checksumSize]
		for n := range whole {
			if hostile(t, seal(bytes.Clone(whole[:n])), length) {
				t.Fatalf("a message of %d values is read without its last %d bytes", m.Count, len(whole)-n)
			}
		}
		for i := range 8 * len(whole) {
			b := bytes.Clone(whole)
			b[i/8] ^= 1 << (i % 8)
			hostile(t, seal(b), length)
		}
	}
}

// TestWireAllocatesNothing checks that reading and writing allocate nothing once buffers have grown.
func TestWireAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, density := range []float64{0.01, 0.05, 0.12, 0.3, 0.6} {
		for _, m := range []*Message{bitmapMessage(r, 40_000, density, 0.2), scaledMessage(r, 40_000, density)} {
			var got Message
			wire := append(m.AppendDense(nil), m.AppendWire(nil)...)
			if n := allocs.PerRun(10, func() {
				for _, write := range []func([]byte) []byte{m.AppendDense, m.AppendWire} {
					wire = write(wire[:0])
					if err := got.ReadWire(wire, m.Length); err != nil {
						t.Fatal(err)
					}
				}
			}); n > 0 {
				t.Errorf("%v at %g: %g allocations", m.Form, density, n)
			}
		}
	}
}

func FuzzWire(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, m := range []*Message{{Length: 300}, sparseMessage(r, 300, 0.05), scaledMessage(r, 300, 0.2),
		scaledMessage(r, 300, 0.5), bitmapMessage(r, 300, 0.15, 0.8),
		bitmapMessage(r, 300, 1, 0.3)} {
		for _, b := range [][]byte{m.AppendWire(nil), m.AppendDense(nil)} {
			f.Add(b[:len(b)-checksumSize])
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		hostile(t, seal(bytes.Clone(b)), 300)
		hostile(t, b, 300)
	})
}

// TestGapCode checks that the parameter is the best for a geometric distribution of that mean, or next to it.
func TestGapCode(t *testing.T) {
	for _, mean := range []uint64{0, 1, 2, 5, 10, 100, 999, 5000, 1 << 20, MaxLength} {
		g := gaps{Sum: mean << kernels.Window}
		k := g.K()
		size := func(k uint) float64 { // bits for a gap, with P(gap = i) = (1-q) q^i
			q := float64(mean) / float64(mean+1)
			return float64(k) + 1/(1-math.Pow(q, math.Exp2(float64(k))))
		}
		for _, other := range []uint{k + 1, k - 1} {
			if int(other) >= 0 && size(k) > size(other)*1.01 {
				t.Errorf("mean %d: %d, %.2f bits; with %d it is %.2f", mean, k, size(k), other, size(other))
			}
		}
		if k > uint(bits.Len64(mean+1)) {
			t.Errorf("mean %d: %d", mean, k)
		}
	}
}

func BenchmarkWire(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, m := range map[string]*Message{"sparse 10M at 1e-3": sparseMessage(r, 10_000_000, 1e-3),
		"bitmap 400k at 0.12": bitmapMessage(r, 400_000, 0.12, 0.2),
		"bitmap 400k at 0.5":  bitmapMessage(r, 400_000, 0.5, 0.3)} {
		var wire []byte
		var got Message
		b.Run(name+"/write", func(b *testing.B) {
			for b.Loop() {
				wire = m.AppendWire(wire[:0])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*m.Count), "ns/value")
		})
		b.Run(name+"/read", func(b *testing.B) {
			for b.Loop() {
				if err := got.ReadWire(wire, m.Length); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*m.Count), "ns/value")
		})
	}
}
