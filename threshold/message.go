// Package threshold is the codec of gradient sharing (Strom, "Scalable Distributed DNN Training Using Commodity GPU
// Cloud Computing", Interspeech 2015, section 3). A worker adds the update of each step to its residual. For each
// element that has reached the threshold t, it sends +t or -t and subtracts that from the residual. The rest stays for
// later steps. The sender and the receivers apply the message instead of the update.
//
// An [Encoder] holds a worker's residual, threshold and message format. It makes a [Message], which has a compact wire
// format and Deeplearning4j's. An [Algorithm] chooses the thresholds, and a [PostProcessor] clips the residual. A
// [Coder] has the threads and kernels for all of them.
//
// A step allocates nothing once the buffers have grown. Results depend neither on the number of threads nor on the
// instruction set.
package threshold

import (
	"fmt"
	"iter"
	"math"
	"math/bits"

	"github.com/dl4go/dl4go/dl4j"
	kernels "github.com/dl4go/dl4go/internal/kernel/threshold"
)

// MaxLength is the largest number of parameters of a message. Entries are int32.
const MaxLength = math.MaxInt32 - 1

// Form is the format of a message.
type Form uint8

const (
	// Empty messages move nothing. A worker sends one if no element of its residual reaches the threshold.
	Empty Form = iota
	// Sparse messages list the parameters that move.
	Sparse
	// Bitmap messages have two bits for each parameter.
	Bitmap
	// Scaled messages list the parameters that move, and how far those of each section move.
	Scaled
)

func (f Form) String() string {
	switch f {
	case Empty:
		return "empty"
	case Sparse:
		return "sparse"
	case Bitmap:
		return "bitmap"
	case Scaled:
		return "scaled"
	}
	return fmt.Sprintf("form %d", uint8(f))
}

// Message is an update in multiples of a threshold, or of a magnitude for each section. The zero value is a message of
// no parameters. Functions that fill a Message (Encoder, ReadWire, ReadJava, Set) reuse its slices.
type Message struct {
	Form      Form
	Length    int     // parameters of the network
	Threshold float32 // above 0, finite; 0 in an empty or scaled message
	Count     int     // parameters that move

	// Entries are, in a sparse message and in a scaled one without Words, ±(i+1) for each parameter i that moves by
	// ±Threshold or by the magnitude of its section, in ascending order of i.
	Entries []int32
	// Multiples are, in a scaled message that is a sum, how many magnitudes each entry's parameter moves: at least 1.
	// In others there are none, and each moves by one.
	Multiples []int32
	// Sections cut the parameters of a scaled message, in ascending order and without gaps.
	Sections []Section
	// Words of a bitmap hold 16 parameters each, ⌈Length/16⌉ words in all. Bit j%16 of word j/16 means that parameter j
	// moves by Threshold; the bit 16 places above it, that it moves down. The upper bit alone means half a Threshold
	// down. A scaled message without Entries has words, too: those of each section that has values, one after the
	// other. There, no upper bit is alone.
	Words []uint32
}

// Reset makes the message empty, of length parameters. It keeps the slices' memory.
func (m *Message) Reset(length int) {
	*m = Message{Length: length, Entries: m.Entries[:0], Multiples: m.Multiples[:0], Sections: m.Sections[:0],
		Words: m.Words[:0]}
}

// Set makes m a copy of other, in memory of its own.
func (m *Message) Set(other *Message) {
	entries, words := append(m.Entries[:0], other.Entries...), append(m.Words[:0], other.Words...)
	multiples, sections := append(m.Multiples[:0], other.Multiples...), append(m.Sections[:0], other.Sections...)
	*m = *other
	m.Entries, m.Multiples, m.Sections, m.Words = entries, multiples, sections, words
}

// Sparsity returns the fraction of parameters that move: 0 to 1.
func (m *Message) Sparsity() float64 {
	if m.Length == 0 {
		return 0
	}
	return float64(m.Count) / float64(m.Length)
}

// All yields each parameter that moves, in ascending order, with its change: ±Threshold, -Threshold/2, or ± the
// magnitude of its section.
func (m *Message) All() iter.Seq2[int, float32] {
	if m.Form == Scaled {
		return scaled{m}.all
	}
	return func(yield func(int, float32) bool) {
		for _, e := range m.Entries {
			if e < 0 && !yield(int(-e-1), -m.Threshold) || e > 0 && !yield(int(e-1), m.Threshold) {
				return
			}
		}
		for w, word := range m.Words {
			for rest := (word | word>>16) & 0xffff; rest != 0; rest &= rest - 1 {
				j := bits.TrailingZeros32(rest)
				if !yield(16*w+j, m.quantum(word>>j)) {
					return
				}
			}
		}
	}
}

// quantum returns the change that the lowest bits of both halves of a bitmap's word stand for.
func (m *Message) quantum(bits uint32) float32 {
	switch bits & 0x10001 {
	case 1:
		return m.Threshold
	case 0x10001:
		return -m.Threshold
	}
	return -m.Threshold / 2
}

// Validate checks that the message is consistent. An error is a *dl4j.FormatError. Messages of Encoder, ReadWire and
// ReadJava are valid. Coder.Add and Coder.Subtract need a valid message.
func (m *Message) Validate() error {
	if m.Length < 0 || m.Length > MaxLength {
		return invalid("a message of %d parameters: must be from 0 to %d", m.Length, MaxLength)
	}
	if m.Form == Empty {
		if m.Count != 0 || len(m.Entries) != 0 || len(m.Words) != 0 || len(m.Sections) != 0 ||
			len(m.Multiples) != 0 || m.Threshold != 0 {
			return invalid("an empty message with contents")
		}
		return nil
	}
	if m.Form == Scaled {
		return scaled{m}.validate()
	}
	if len(m.Sections) != 0 || len(m.Multiples) != 0 {
		return invalid("a %v message with %d sections and %d multiples", m.Form, len(m.Sections), len(m.Multiples))
	}
	if !usable(m.Threshold) {
		return invalid("a threshold of %g: must be a number above 0", m.Threshold)
	}
	switch m.Form {
	case Sparse:
		return m.validateEntries()
	case Bitmap:
		return m.validateWords()
	}
	return invalid("a message of %v", m.Form)
}

func (m *Message) validateEntries() error {
	if m.Count != len(m.Entries) || len(m.Words) != 0 {
		return invalid("a %v message of %d values has %d entries and %d words", m.Form, m.Count, len(m.Entries),
			len(m.Words))
	}
	last := 0
	for _, e := range m.Entries {
		i := int(e)
		if i < 0 {
			i = -i
		}
		if i <= last || i > m.Length {
			return invalid("entry %d of a %v message stands after %d: must ascend up to %d", e, m.Form, last, m.Length)
		}
		last = i
	}
	return nil
}

func (m *Message) validateWords() error {
	if len(m.Words) != kernels.WordsOf(m.Length) || len(m.Entries) != 0 {
		return invalid("a bitmap of %d parameters has %d words and %d entries", m.Length, len(m.Words), len(m.Entries))
	}
	return m.validateValues(best.CountBitmap(m.Words))
}

// validateValues checks a bitmap of the right size whose words have count values.
func (m *Message) validateValues(count int) error {
	if tail := m.Length % 16; tail != 0 && m.Words[len(m.Words)-1]&^(0x10001*(1<<tail-1)) != 0 {
		return invalid("a bitmap of %d parameters moves ones above", m.Length)
	}
	if m.Count != count {
		return invalid("a bitmap of %d values says that it has %d", count, m.Count)
	}
	return nil
}

// usable reports whether t can be a threshold.
func usable(t float32) bool { return t > 0 && t <= math.MaxFloat32 }

func invalid(format string, args ...any) error {
	return &dl4j.FormatError{Offset: -1, Err: fmt.Errorf(format, args...)}
}
