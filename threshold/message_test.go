package threshold

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
)

func TestMessagesThatContradictThemselves(t *testing.T) {
	for want, m := range map[string]Message{
		"a message of -1 parameters":         {Length: -1},
		"a message of 2147483647 parameters": {Length: MaxLength + 1},
		"an empty message with contents":     {Length: 10, Count: 1},
		"a message of form 7":                {Form: 7, Length: 10, Threshold: 1},
		"a threshold of 0":                   {Form: Sparse, Length: 10},
		"a threshold of +Inf":                {Form: Sparse, Length: 10, Threshold: float32(math.Inf(1))},
		"a sparse message of 2 values has 1": {Form: Sparse, Length: 10, Threshold: 1, Count: 2, Entries: []int32{1}},
		"entry 3 of a sparse message stands": {Form: Sparse, Length: 10, Threshold: 1, Count: 2, Entries: []int32{3, 3}},
		"entry 2 of a sparse message stands": {Form: Sparse, Length: 10, Threshold: 1, Count: 2,
			Entries: []int32{-3, 2}},
		"entry 0 of a sparse message stands":   {Form: Sparse, Length: 10, Threshold: 1, Count: 1, Entries: []int32{0}},
		"entry -11 of a sparse message stands": {Form: Sparse, Length: 10, Threshold: 1, Count: 1, Entries: []int32{-11}},
		"entry -2147483648 of a sparse message": {Form: Sparse, Length: 10, Threshold: 1, Count: 1,
			Entries: []int32{math.MinInt32}},
		"a bitmap of 17 parameters has 1 words": {Form: Bitmap, Length: 17, Threshold: 1, Words: []uint32{0}},
		"a bitmap of 17 parameters moves ones": {Form: Bitmap, Length: 17, Threshold: 1, Count: 1,
			Words: []uint32{0, 1 << 17}},
		"a bitmap of 2 values says that it has 1": {Form: Bitmap, Length: 17, Threshold: 1, Count: 1,
			Words: []uint32{0x30001, 0}},
	} {
		err := m.Validate()
		var f *dl4j.FormatError
		if !errors.As(err, &f) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", m, err, want)
		}
	}
}

// TestAll checks that All yields the same values that Coder.Add adds.
func TestAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, m := range []*Message{{Length: 100}, sparseMessage(r, 1000, 0.1), bitmapMessage(r, 1000, 0.3, 0.5)} {
		want, got := make([]float32, m.Length), make([]float32, m.Length)
		if err := NewCoder(1).Add(m, want); err != nil {
			t.Fatal(err)
		}
		n := 0
		for i, v := range m.All() {
			got[i] += v
			n++
		}
		if !slices.Equal(got, want) || n != m.Count {
			t.Errorf("%v: %d values, want %d", m.Form, n, m.Count)
		}
		if err := NewCoder(1).Subtract(m, got); err != nil ||
			slices.ContainsFunc(got, func(x float32) bool { return x != 0 }) {
			t.Errorf("%v: what was added is not subtracted: %v", m.Form, err)
		}
		for range m.All() {
			break
		}
	}
	if err := NewCoder(1).Add(&Message{Length: 3}, make([]float32, 4)); err == nil {
		t.Error("a message for another network is applied")
	}
}

func TestSetCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var m Message
	for _, other := range []*Message{bitmapMessage(r, 100, 0.3, 0.5), sparseMessage(r, 100, 0.1), {Length: 7}} {
		m.Set(other)
		sameMessage(t, &m, other)
		if len(other.Words) > 0 && &m.Words[0] == &other.Words[0] || len(other.Entries) > 0 &&
			&m.Entries[0] == &other.Entries[0] {
			t.Error("memory is shared")
		}
	}
	if s := (&Message{}).Sparsity(); s != 0 {
		t.Errorf("sparsity %g of nothing", s)
	}
}

func TestJavaRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, m := range []*Message{{Length: 100}, sparseMessage(r, 1000, 0.1), bitmapMessage(r, 1000, 0.3, 0.5),
		bitmapMessage(r, 1600, 0.3, 0.5)} {
		words := m.AppendJava([]int32{5})
		var got Message
		if err := got.ReadJava(words[1:], m.Length); err != nil {
			t.Fatal(err)
		}
		sameMessage(t, &got, m)
		if m.Form == Sparse {
			r.Shuffle(len(words)-5, func(i, j int) { words[5+i], words[5+j] = words[5+j], words[5+i] })
			if err := got.ReadJava(words[1:], m.Length); err != nil {
				t.Fatal(err)
			}
			sameMessage(t, &got, m)
		}
	}
}

func TestBadJava(t *testing.T) {
	half := int32(math.Float32bits(0.5))
	for _, c := range []struct {
		words []int32
		want  string
		at    int64
	}{
		{[]int32{1, 20}, "a message of 2 words: must have at least 4", 0},
		{[]int32{2, 21, half, 0, 1, 2}, "a message of 21 parameters for a network of 20", 4},
		{[]int32{2, 20, -half, 0, 1, 2}, "a threshold of", 8},
		{[]int32{2, 20, half, 2, 1, 2}, "a message of kind 2: threshold is 0, bitmap 1", 12},
		{[]int32{3, 20, half, 0, 1, 2}, "a message of 3 values has 2 entries", 0},
		{[]int32{-1, 20, half, 0}, "a message of -1 values has 0 entries", 0},
		{[]int32{2, 20, half, 0, 2, -2}, "entry -2 of a sparse message stands after 2", -1},
		{[]int32{2, 20, half, 0, 21, 1}, "entry 21 of a sparse message stands after 1", -1},
		{[]int32{2, 20, half, 0, math.MinInt32, 1}, "entry -2147483648 of a sparse message", -1},
		{[]int32{20, 20, half, 1, 1}, "a bitmap of 20 parameters in 1 words: must be 20 in 2", 0},
		{[]int32{1, 20, half, 1, 1, 0}, "a bitmap of 1 parameters in 2 words: must be 20 in 2", 0},
		{[]int32{20, 20, half, 1, 1, 1 << 20}, "a bitmap of 20 parameters moves ones above", -1},
	} {
		var m Message
		err := m.ReadJava(c.words, 20)
		var f *dl4j.FormatError
		if !errors.As(err, &f) || !strings.Contains(err.Error(), c.want) || f.Offset != c.at || m.Form != Empty {
			t.Errorf("%v: %v, want %s at %d", c.words, err, c.want, c.at)
		}
	}
	var m Message
	if err := m.ReadJava([]int32{16, 16, half, 1, 1, 9}, 16); err == nil ||
		!strings.Contains(err.Error(), "the spare word") {
		t.Errorf("%v", err)
	}
	if err := m.ReadJava(nil, -1); err == nil {
		t.Error("a network of -1 parameters")
	}
}

// TestDamagedJavaMessages checks that words changed at random give an error of the right type or a valid message.
func TestDamagedJavaMessages(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	seeds := [][]int32{sparseMessage(r, 200, 0.1).AppendJava(nil), bitmapMessage(r, 200, 0.3, 0.5).AppendJava(nil)}
	for i := range 5000 {
		words := slices.Clone(seeds[i%2])
		for range 1 + r.IntN(3) {
			switch at := r.IntN(len(words)); r.IntN(4) {
			case 0:
				words[at] ^= 1 << r.IntN(32)
			case 1:
				words[at] = int32(r.Uint32())
			case 2:
				words[at] = []int32{0, -1, 1, math.MinInt32, math.MaxInt32, 200, 201}[r.IntN(7)]
			case 3:
				words = words[:max(at, 1)]
			}
		}
		var m Message
		err := m.ReadJava(words, 200)
		var f *dl4j.FormatError
		if err != nil && !errors.As(err, &f) {
			t.Fatalf("%T %v", err, err)
		}
		if err := m.Validate(); err != nil {
			t.Fatalf("%v: %v", words, err)
		}
		if err := NewCoder(1).Add(&m, make([]float32, 200)); err != nil {
			t.Fatal(err)
		}
	}
}
