package threshold

import (
	"math/bits"
	"slices"

	kernels "github.com/dl4go/dl4go/internal/kernel/threshold"
)

// marks are the words of a section that has values.
type marks struct {
	from, to  int // parameters
	count     int // of values
	magnitude float32
	words     []uint32
}

// marked reports whether the message has words, not entries.
func (m scaled) marked() bool { return len(m.Words) > 0 }

// marks yields the sections of a message with words that have values.
func (m scaled) marks(yield func(marks) bool) {
	from, at := 0, 0
	for _, s := range m.Sections {
		if s.Count > 0 {
			end := at + kernels.WordsOf(s.End-from)
			if !yield(marks{from, s.End, s.Count, s.Magnitude, m.Words[at:end]}) {
				return
			}
			at = end
		}
		from = s.End
	}
}

// size returns the number of words that the sections with values have.
func (m scaled) size() (words int) {
	from := 0
	for _, s := range m.Sections {
		if s.Count > 0 {
			words += kernels.WordsOf(s.End - from)
		}
		from = s.End
	}
	return words
}

// allMarked yields the values of words.
func (m scaled) allMarked(yield func(int, float32) bool) {
	for s := range m.marks {
		for w, word := range s.words {
			for rest := word & 0xffff; rest != 0; rest &= rest - 1 {
				j, by := bits.TrailingZeros32(rest), s.magnitude
				if word>>j&0x10000 != 0 {
					by = -by
				}
				if !yield(s.from+16*w+j, by) {
					return
				}
			}
		}
	}
}

// validateMarked checks a message with words.
func (m scaled) validateMarked() error {
	if len(m.Entries) != 0 || len(m.Multiples) != 0 {
		return invalid("a scaled message with %d words, %d entries and %d multiples", len(m.Words), len(m.Entries),
			len(m.Multiples))
	}
	if err := m.validateSections(); err != nil {
		return err
	}
	if n := m.size(); len(m.Words) != n {
		return invalid("a scaled message of %d words, its sections have %d", len(m.Words), n)
	}
	return m.validateMarks()
}

// validateMarks checks the words of a message that has as many as its sections need.
func (m scaled) validateMarks() error {
	for s := range m.marks {
		count, alone := best.CountMarks(s.words)
		if alone {
			return invalid("the section up to parameter %d has signs without values", s.to)
		}
		tail, last := (s.to-s.from)%16, s.words[len(s.words)-1]
		if tail != 0 && last&^(0x10001*(1<<tail-1)) != 0 {
			return invalid("the section up to parameter %d moves ones above", s.to)
		}
		if count != s.count {
			return invalid("the section up to parameter %d has %d values, and says that it has %d", s.to, count, s.count)
		}
	}
	return nil
}

// appendMarked appends the body of a message with words in the dense coding.
func (m scaled) appendMarked(dst []byte) []byte {
	return kernels.AppendWords(slices.Grow(dst, 4*len(m.Words)+checksumSize), m.Words)
}

// readMarked reads the body that appendMarked has appended.
func (m scaled) readMarked(r *wireReader) error {
	n := m.size()
	if m.Count == 0 || 4*n > len(r.b)-r.at {
		return r.problem("a message of %d values in %d words and %d bytes", m.Count, n, len(r.b)-r.at)
	}
	m.Words = grow(m.Words, n)
	kernels.ReadWords(m.Words, r.b[r.at:r.at+4*n])
	if err := m.validateMarks(); err != nil {
		return r.problem("%w", err)
	}
	r.at += 4 * n
	return nil
}

// appendGaps appends the body of a message with words in the coding of its gaps.
func (m scaled) appendGaps(dst []byte) []byte {
	w, g, last := newBitWriter(dst), newGaps(m.Length, m.Count), int32(0)
	var entries [4 * batch]int32
	for s := range m.marks {
		for at := 0; at < len(s.words); {
			n, seen := unmark(entries[:], s.words[at:], s.from+16*at)
			if n > 0 {
				w.entries(&g, last, entries[:n], nil)
				last = int32(abs(entries[n-1]))
			}
			at += seen
		}
	}
	return w.end()
}

// unmark sets entries to those of words until there is no room for four words more. from is the first parameter. It
// returns how many entries there are, and in how many words.
func unmark(entries []int32, words []uint32, from int) (n, seen int) {
	for ; seen < len(words) && n+64 <= len(entries); seen += 4 {
		var places, downs uint64
		if four := words[seen:]; len(four) >= 4 {
			a, b, c, d := uint64(four[0]), uint64(four[1]), uint64(four[2]), uint64(four[3])
			places = a&0xffff | b&0xffff<<16 | c&0xffff<<32 | d<<48
			downs = a>>16 | b>>16<<16 | c>>16<<32 | d>>16<<48
		} else {
			for k, word := range four {
				places |= uint64(word) & 0xffff << (16 * k)
				downs |= uint64(word) >> 16 << (16 * k)
			}
		}
		own, first := entries[n:n+64], int32(from+16*seen+1)
		for i := 0; places != 0 && i < len(own); i++ {
			j := bits.TrailingZeros64(places)
			sign := -int32(downs >> j & 1)
			own[i] = ((first + int32(j)) ^ sign) - sign
			places &= places - 1
			n++
		}
	}
	return n, min(seen, len(words))
}
