package pipeline

import (
	"fmt"
	"slices"
)

// Trim removes the first or the last steps of sequences (sequence.trim.SequenceTrimTransform). Short sequences become
// empty.
type Trim struct {
	Steps     int  `dl4j:"numStepsToTrim"`
	FromStart bool `dl4j:"trimFromStart"`
}

// TrimToLength keeps the first steps of sequences, and may pad short ones
// (sequence.trim.SequenceTrimToLengthTransform).
type TrimToLength struct {
	Length int     `dl4j:"maxLength"`
	Mode   string  `dl4j:"mode,omitnull,zeronull"` // TRIM, or TRIM_OR_PAD
	Pad    []Value `dl4j:"pad,omitnull"`           // the values of the added steps; one value for each column
}

func init() {
	const pkg = "org.datavec.api.transform.sequence.trim."
	RegisterTransform(pkg+"SequenceTrimTransform", func() Transform { return Trim{} })
	RegisterTransform(pkg+"SequenceTrimToLengthTransform", func() Transform { return TrimToLength{} })
}

// Bind checks the number of steps.
func (s Trim) Bind(in *Schema) (Bound, error) {
	if err := wantSequences(in); err != nil {
		return Bound{}, err
	}
	if s.Steps < 0 {
		return Bound{}, fmt.Errorf("numStepsToTrim is %d; it has to be at least 0", s.Steps)
	}
	return Bound{in, SequenceMap(func(rows []Row) ([]Row, error) {
		n := min(s.Steps, len(rows))
		if s.FromStart {
			return rows[n:], nil
		}
		return rows[:len(rows)-n], nil
	})}, nil
}

// maxPadded bounds the steps that a number in a file can ask for.
const maxPadded = 1 << 20

// Bind checks the length and the pad.
func (s TrimToLength) Bind(in *Schema) (Bound, error) {
	if err := wantSequences(in); err != nil {
		return Bound{}, err
	}
	pads := s.Mode == "TRIM_OR_PAD"
	switch {
	case s.Length < 1:
		return Bound{}, fmt.Errorf("maxLength is %d; it has to be at least 1", s.Length)
	case pads && s.Length > maxPadded:
		return Bound{}, fmt.Errorf("maxLength is %d; sequences are padded to at most %d steps", s.Length, maxPadded)
	case !pads && s.Mode != "" && s.Mode != "TRIM":
		return Bound{}, fmt.Errorf("there is no mode %q: there are TRIM and TRIM_OR_PAD", s.Mode)
	case pads && len(s.Pad) != len(in.Columns):
		return Bound{}, fmt.Errorf("pad has %d values; it has to have one for each of the %d columns", len(s.Pad),
			len(in.Columns))
	}
	return Bound{in, SequenceMap(func(rows []Row) ([]Row, error) {
		rows = rows[:min(s.Length, len(rows))]
		for pads && len(rows) < s.Length {
			rows = append(rows, slices.Clone(Row(s.Pad)))
		}
		return rows, nil
	})}, nil
}
