package threshold

import (
	"slices"

	"github.com/dl4go/dl4go/program"
)

// Mover moves the parameters of a network on a device by messages. It gives them the bits that Coder.SubtractAll gives
// those of this process, as each parameter gets the same numbers in the same order. Only the values go to the device,
// and a few bits for each parameter. Only one goroutine at a time may use it.
type Mover struct {
	device  Device
	length  int
	largest int                    // parameters of a run
	ends    []int                  // of the network's arrays of parameters
	by      [mostDigit + 1][]moves // for each size of digits: the pieces in which the parameters move
	readers []valueReader
	masks   []Mask
	found   []float32 // the values of a group
	at      []int32   // their digits
}

// mostMessages is the number of messages of one run: a digit of 4 bits counts the values of a parameter.
const mostMessages = 15

// largestMoves bounds the parameters of a run, so that its intermediate values take little of the device's memory. An
// array that is larger moves in a run of its own.
const largestMoves = 1 << 22

// NewMover makes a Mover for the parameters on a device, program.Params. ends has the ends of the network's arrays of
// parameters, in ascending order. Where the device holds each array by itself, no array is copied.
func NewMover(d Device, ends []int) *Mover {
	m := &Mover{device: d, largest: largestMoves}
	for _, end := range ends {
		if end > m.length {
			m.ends, m.length = append(m.ends, end), end
		}
	}
	return m
}

// Subtract subtracts messages one after the other, or as many as the device should: it returns their number. Where the
// values take as many bytes as the parameters, use Coder.SubtractAll for the others.
func (m *Mover) Subtract(all []*Message) (n int, err error) { return m.move(all, -1) }

// Add is Subtract for messages that are added.
func (m *Mover) Add(all []*Message) (n int, err error) { return m.move(all, 1) }

func (m *Mover) move(all []*Message, sign float32) (n int, err error) {
	for n < len(all) {
		some := all[n:min(n+mostMessages, len(all))]
		if !m.fill(some, sign) {
			return n, nil
		}
		if err := m.run(digitFor(len(some))); err != nil {
			return n, err
		}
		n += len(some)
	}
	return n, nil
}

// digitFor returns the bits that count the values of a parameter in a number of messages.
func digitFor(messages int) (digit int) {
	for 1<<digit <= messages {
		digit++
	}
	return digit
}

// pieces returns the pieces of the parameters for digits of this size.
func (m *Mover) pieces(digit int) []moves {
	if m.by[digit] != nil {
		return m.by[digit]
	}
	from := 0
	var list []moves
	var cuts []int
	for i, end := range m.ends {
		cuts = append(cuts, end)
		if last := i+1 == len(m.ends); last || m.ends[i+1]-from > m.largest>>digit {
			list = append(list, newMoves(from, cuts, digit))
			from, cuts = end, nil
		}
	}
	m.by[digit] = list
	return list
}

// fill writes the values of messages. It reports false if they take at least as many bytes as the parameters.
func (m *Mover) fill(all []*Message, sign float32) bool {
	for _, of := range all {
		if of.Length != m.length {
			return false // Coder.SubtractAll has the error
		}
	}
	m.readers = grow(m.readers, len(all))
	for i, of := range all {
		m.readers[i].begin(of, sign)
	}
	bytes := 0
	list := m.pieces(digitFor(len(all)))
	for i := range list {
		if !m.fillPiece(&list[i]) {
			return false
		}
		if bytes += list[i].bytes(); bytes >= 4*m.length {
			return false
		}
	}
	return true
}

// fillPiece writes the values of a piece, unless a float32 can't number them.
func (m *Mover) fillPiece(p *moves) bool {
	p.values = p.values[:0]
	for g := range p.starts {
		p.starts[g] = float32(len(p.values))
		m.fillGroup(p, g)
	}
	if len(p.values) >= lookupMost {
		return false
	}
	p.pad()
	return true
}

// fillGroup writes the values of a group of words: those of each parameter together, in the order of the messages.
func (m *Mover) fillGroup(p *moves, g int) {
	words := p.words[g*groupWords : (g+1)*groupWords]
	clear(words)
	from := p.from + g*groupWords*p.each
	to := min(from+groupWords*p.each, p.to)
	m.found, m.at = m.found[:0], m.at[:0]
	var counts [groupWords * 24]uint8
	for i := range m.readers {
		for r := &m.readers[i]; r.at < to; r.advance() {
			m.found, m.at = append(m.found, r.value), append(m.at, int32(r.at-from))
			counts[r.at-from]++
		}
	}
	if len(m.found) == 0 {
		return
	}
	start := len(p.values)
	p.values = slices.Grow(p.values, len(m.found))[:start+len(m.found)]
	if len(m.readers) == 1 {
		copy(p.values[start:], m.found)
	} else {
		place(p.values[start:], m.found, m.at, counts[:to-from])
	}
	for w := range words {
		word := uint32(0)
		for j, n := range counts[w*p.each : (w+1)*p.each] {
			word |= uint32(n) << (j * p.digit)
		}
		words[w] = float32(word)
	}
}

// place orders the values of a group by their parameters.
func place(to, found []float32, at []int32, counts []uint8) {
	var next [groupWords * 24]int32
	n := int32(0)
	for i, c := range counts {
		next[i] = n
		n += int32(c)
	}
	for k, v := range found {
		to[next[at[k]]] = v
		next[at[k]]++
	}
}

// run moves the parameters by the values of all pieces.
func (m *Mover) run(digit int) error {
	for i := range m.by[digit] {
		p := &m.by[digit][i]
		if len(p.values) == 0 {
			continue
		}
		x, err := p.compiled(m.device)
		if err != nil {
			return err
		}
		p.inputs = append(p.inputs[:0], p.words, p.starts, p.values)
		if err := m.device.Run(x, p.inputs...); err != nil {
			return err
		}
	}
	return nil
}

// compiled returns the program of a piece for its number of values.
func (p *moves) compiled(d Device) (program.Executable, error) {
	n := len(p.values)
	if x := p.programs[n]; x != nil {
		return x, nil
	}
	x, err := d.Compile(p.program(n))
	if err == nil {
		p.programs[n] = x
	}
	return x, err
}
