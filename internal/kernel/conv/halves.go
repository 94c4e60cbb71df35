package conv

import "github.com/dl4go/dl4go/internal/kernel/vector"

// halves says where the columns of a row of the input are in its staged row, for a horizontal stride of 2. Each staged
// half has every second column: pairs of columns are unzipped to both halves, and the others are moved one by one.
type halves struct {
	vec   *vector.Set
	first [2]int // staged place of the even and of the odd columns
	pairs int    // columns 2i and 2i+1 that are both staged, from the first ones on
}

// newHalves returns the places in a stage whose other fields are set. Without pairs, every column is moved alone.
func newHalves(s *stage, vec *vector.Set) halves {
	h := halves{vec: vec}
	if s.StrideW != 2 || !s.copied || s.PadLeft < 0 {
		return h
	}
	h.pairs = s.InW / 2
	for i := range h.first {
		remainder, at := (s.PadLeft+i)%2, (s.PadLeft+i)/2
		h.first[i] = remainder*s.phase + at
		h.pairs = min(h.pairs, max(0, s.phase-at))
	}
	return h
}

// of returns the places of the pairs in a staged row.
func (h *halves) of(staged []float32) (even, odd []float32) {
	return staged[h.first[0]:][:h.pairs], staged[h.first[1]:][:h.pairs]
}
