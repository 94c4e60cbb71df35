package eval

import (
	"iter"
	"math"
	"slices"

	"github.com/dl4go/dl4go/tensor"
)

// examples are the examples of an exact ROC, in the order of arrival: 4 bytes each for the probability, and a bit for
// the label. They are stored in parts, so that adding more copies nothing, and merged or received parts are taken over
// unchanged.
type examples struct {
	parts []part
	open  bool // the last part can grow; the other parts never change, and may be shared with other evaluations
	count int
}

type part struct {
	probabilities []float32
	positive      []byte // a bit each, from the lowest
}

// partSize is the number of examples of a full part. Parts smaller than half of it are copied when evaluations are
// merged, to limit the number of parts.
const partSize = 1 << 14

func (x *examples) add(probability float32, positive bool) {
	if !x.open {
		room := min(x.count, partSize)
		x.parts, x.open = append(x.parts, part{make([]float32, 0, room), make([]byte, 0, (room+7)/8)}), true
	}
	p := &x.parts[len(x.parts)-1]
	i := len(p.probabilities)
	p.probabilities = append(p.probabilities, probability)
	if i%8 == 0 {
		p.positive = append(p.positive, 0)
	}
	if positive {
		p.positive[i/8] |= 1 << (i % 8)
	}
	x.open = i+1 < partSize
	x.count++
}

// merge adds others after the existing examples.
func (x *examples) merge(o *examples) {
	for i, p := range o.parts {
		if still := o.open && i == len(o.parts)-1; still || len(p.probabilities) < partSize/2 {
			for j, probability := range p.probabilities {
				x.add(probability, p.isPositive(j))
			}
			continue
		}
		x.close()
		x.parts = append(x.parts, p)
		x.count += len(p.probabilities)
	}
}

// close ends the growth of the last part.
func (x *examples) close() {
	if x.open {
		p := &x.parts[len(x.parts)-1]
		p.probabilities, p.positive, x.open = slices.Clip(p.probabilities), slices.Clip(p.positive), false
	}
}

func (p *part) isPositive(i int) bool { return p.positive[i/8]>>(i%8)&1 == 1 }

// positives counts the positive examples.
func (p *part) positives() (n int) {
	for i := range p.probabilities {
		if p.isPositive(i) {
			n++
		}
	}
	return n
}

// bytes returns the number of bytes that append adds.
func (x *examples) bytes() int { return 4*x.count + (x.count+31)/32*4 }

// append adds the probabilities, and then the labels, in whole words of 4 bytes.
func (x *examples) append(b []byte) []byte {
	for _, p := range x.parts {
		b = tensor.AppendBytes(b, p.probabilities)
	}
	at, i := len(b), 0
	b = append(b, make([]byte, (x.count+31)/32*4)...)
	for _, p := range x.parts {
		for j := range p.probabilities {
			if p.isPositive(j) {
				b[at+i/8] |= 1 << (i % 8)
			}
			i++
		}
	}
	return b
}

// readExamples returns count examples from the bytes that append wrote. They may share b, which is not changed.
func readExamples(b []byte, count int) examples {
	x := examples{count: count}
	if count > 0 {
		x.parts = []part{{tensor.Floats(b[:4*count]), b[4*count:]}}
	}
	return x
}

// all returns the examples in their order.
func (x *examples) all() iter.Seq2[float32, bool] {
	return func(yield func(float32, bool) bool) {
		for _, p := range x.parts {
			for i, probability := range p.probabilities {
				if !yield(probability, p.isPositive(i)) {
					return
				}
			}
		}
	}
}

// ranking is examples by descending probability, in Java's order with 0 before −0; equal ones are in the order of
// arrival.
type ranking struct {
	keys     []uint32 // above the label bit: the probability's bits without the sign, inverted if it has no sign
	negative int      // the index of the first with a sign
}

// sorted ranks the examples.
func (x *examples) sorted() ranking {
	r := ranking{negative: x.count}
	for _, p := range x.parts {
		for _, probability := range p.probabilities {
			r.negative -= int(math.Float32bits(probability) >> 31)
		}
	}
	keys, spare := make([]uint32, x.count), make([]uint32, x.count)
	next := [2]int{0, r.negative}
	for probability, positive := range x.all() {
		bits := math.Float32bits(probability)
		sign := bits >> 31
		key := bits << 1
		if sign == 0 { // of positive numbers the larger has the larger bits, of negative ones the smaller
			key = ^bits << 1
		}
		if positive {
			key |= 1
		}
		keys[next[sign]] = key
		next[sign]++
	}
	radixSort(keys[:r.negative], spare[:r.negative])
	radixSort(keys[r.negative:], spare[r.negative:])
	r.keys = spare
	return r
}

// at returns an example by its place.
func (r *ranking) at(place int) (probability float32, positive bool) {
	key := r.keys[place]
	bits := ^key >> 1
	if place >= r.negative {
		bits = key>>1 | 1<<31
	}
	return math.Float32frombits(bits), key&1 == 1
}

// radixSort sorts keys by all but their lowest bit into sorted, and keeps the order of equal ones. It changes both
// slices.
func radixSort(keys, sorted []uint32) {
	const digits = 1 << 11
	shifts := [...]uint{1, 12, 22}
	var counts [len(shifts)][digits]int
	for _, k := range keys {
		for i, s := range shifts {
			counts[i][k>>s&(digits-1)]++
		}
	}
	for i, s := range shifts {
		at := 0
		for d, n := range counts[i] {
			counts[i][d] = at
			at += n
		}
		for _, k := range keys {
			d := k >> s & (digits - 1)
			sorted[counts[i][d]] = k
			counts[i][d]++
		}
		keys, sorted = sorted, keys
	}
}
