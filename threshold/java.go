package threshold

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
	kernels "github.com/dl4go/dl4go/internal/kernel/threshold"
)

// javaHeader is the number of words before the values in a message of Deeplearning4j.
const javaHeader = 4

const (
	javaThreshold = iota // "FLEXIBLE"
	javaBitmap
)

// AppendJava appends the message as Deeplearning4j lays it out in an int32 array. For an empty message it appends
// nothing, because Deeplearning4j sends none. It appends nothing for a scaled message either, which Deeplearning4j does
// not have.
//
//	sparse: values, parameters, bits of the threshold, 0, entries…
//	bitmap: parameters, parameters, bits of the threshold, 1, words…, and one word 0 if parameters%16 is 0
func (m *Message) AppendJava(dst []int32) []int32 {
	t := int32(math.Float32bits(m.Threshold))
	switch m.Form {
	case Sparse:
		dst = append(dst, int32(m.Count), int32(m.Length), t, javaThreshold)
		return append(dst, m.Entries...)
	case Bitmap:
		dst = append(dst, int32(m.Length), int32(m.Length), t, javaBitmap)
		for _, w := range m.Words {
			dst = append(dst, int32(w))
		}
		if m.Length%16 == 0 {
			dst = append(dst, 0)
		}
	}
	return dst
}

// ReadJava sets the message to one that AppendJava or Deeplearning4j wrote, for a network of length parameters. No
// words are an empty message. Entries may have any order, because several threads of Deeplearning4j write them. Errors
// are *dl4j.FormatErrors with the byte offset. The message is then empty.
func (m *Message) ReadJava(words []int32, length int) error {
	m.Reset(length)
	if length < 0 || length > MaxLength {
		return invalid("a message for %d parameters: must be from 0 to %d", length, MaxLength)
	}
	if len(words) == 0 {
		return nil
	}
	if err := m.readJava(words, length); err != nil {
		m.Reset(length)
		return err
	}
	return nil
}

func (m *Message) readJava(words []int32, length int) error {
	if len(words) < javaHeader {
		return javaError(0, "a message of %d words: must have at least %d", len(words), javaHeader)
	}
	if int(words[1]) != length {
		return javaError(1, "a message of %d parameters for a network of %d", words[1], length)
	}
	m.Threshold = math.Float32frombits(uint32(words[2]))
	if !usable(m.Threshold) {
		return javaError(2, "a threshold of %g: must be a number above 0", m.Threshold)
	}
	body := words[javaHeader:]
	switch words[3] {
	case javaThreshold:
		if int(words[0]) != len(body) {
			return javaError(0, "a message of %d values has %d entries", words[0], len(body))
		}
		m.Form, m.Count = Sparse, len(body)
		m.Entries = append(m.Entries, body...)
		if err := m.Validate(); err == nil {
			return nil
		}
		slices.SortFunc(m.Entries, func(a, b int32) int { return cmp.Compare(abs(a), abs(b)) })
	case javaBitmap:
		want := length/16 + 1
		if int(words[0]) != length || len(body) != want {
			return javaError(0, "a bitmap of %d parameters in %d words: must be %d in %d", words[0], len(body), length, want)
		}
		if length%16 == 0 && body[want-1] != 0 {
			return javaError(javaHeader+want-1, "the spare word of a bitmap is %d, not 0", body[want-1])
		}
		m.Form = Bitmap
		for _, w := range body[:kernels.WordsOf(length)] {
			m.Words = append(m.Words, uint32(w))
		}
		m.Count = best.CountBitmap(m.Words)
	default:
		return javaError(3, "a message of kind %d: threshold is %d, bitmap %d", words[3], javaThreshold, javaBitmap)
	}
	return m.Validate()
}

func abs(e int32) uint32 {
	if e < 0 {
		return uint32(-int64(e))
	}
	return uint32(e)
}

func javaError(word int, format string, args ...any) error {
	return &dl4j.FormatError{Offset: int64(4 * word), Err: fmt.Errorf(format, args...)}
}
