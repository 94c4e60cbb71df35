package threshold

import (
	"slices"

	"github.com/dl4go/dl4go/program"
)

// Mask is a range of parameters whose elements of the updater state are set to 0 where a message moves them. The
// elements begin at an offset of program.State.
type Mask struct{ From, To, State int }

// SetMasks sets the ranges for Mask. Each is one of the network's arrays of parameters.
func (m *Mover) SetMasks(masks []Mask) { m.masks = masks }

// Mask masks the updater state by a message.
func (m *Mover) Mask(by *Message) error {
	if len(m.masks) == 0 || by.Count == 0 {
		return nil
	}
	m.readers = grow(m.readers, 1)
	m.readers[0].begin(by, 1)
	list := m.pieces(1)
	for i := range list {
		p := &list[i]
		m.fillPiece(p)
		if len(p.values) == 0 || !p.masked(m.masks) {
			continue
		}
		if p.masking == nil {
			var err error
			if p.masking, err = m.device.Compile(p.masks(m.masks)); err != nil {
				return err
			}
		}
		p.inputs = append(p.inputs[:0], p.words)
		if err := m.device.Run(p.masking, p.inputs...); err != nil {
			return err
		}
	}
	return nil
}

// masked reports whether any of the masks is one of the piece's.
func (p *moves) masked(all []Mask) bool {
	return slices.ContainsFunc(all, func(s Mask) bool { return p.has(s) })
}

func (p *moves) has(s Mask) bool { return s.From >= p.from && s.To <= p.to }

// masks returns the program that masks the updater state of the piece's parameters. They have digits of one bit.
func (p *moves) masks(all []Mask) *program.Program {
	b := program.NewBuilder()
	digits := b.Reshape(p.digits(b, b.Input("words", len(p.words), 1)), len(p.words)*p.each)
	for _, s := range all {
		if !p.has(s) {
			continue
		}
		n := s.To - s.From
		moved := b.Slice(digits, 0, s.From-p.from, s.To-p.from)
		b.Store(program.State, s.State, b.Select(moved, b.Fill(0, n), b.View(program.State, s.State, n)))
	}
	return b.Build()
}
