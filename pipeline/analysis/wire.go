package analysis

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The format of a Profiler between workers, which run the same program: numbers as varints or 8 bytes, texts after
// their lengths, counts in the order of their values, and the words of wide sums that are not zero. It does not
// contain the columns and options.

// AppendBinary appends the Profiler's counts. The same rows give the same bytes.
func (p *Profiler) AppendBinary(to []byte) ([]byte, error) {
	w := &wireWriter{to}
	w.int(p.rows)
	w.int(int64(len(p.columns)))
	for _, c := range p.columns {
		w.profile(c)
	}
	return w.b, nil
}

// UnmarshalBinary reads the bytes of AppendBinary into a Profiler with the same columns and options and without rows.
func (p *Profiler) UnmarshalBinary(b []byte) (err error) {
	defer func() {
		if v := recover(); v != nil {
			if v != errWire {
				panic(v)
			}
			err = errWire
		}
	}()
	r := &wireReader{b}
	p.rows = r.int()
	if n := r.int(); n != int64(len(p.columns)) {
		return fmt.Errorf("counts of %d columns, of a table that has %d", n, len(p.columns))
	}
	for _, c := range p.columns {
		r.profile(c)
	}
	if len(r.b) > 0 {
		return errWire
	}
	return nil
}

// errWire means that the bytes are not from AppendBinary.
var errWire = errors.New("the bytes hold no counts of a table: driver and workers must be the same build")

// whole returns the counts of a column.
func (p *profile) whole() []*int64 {
	all := []*int64{&p.rows, &p.gaps, &p.zeros, &p.negative, &p.infinite, &p.count, &p.integers, &p.wide, &p.padded,
		&p.arrays, &p.runes, &p.spaces}
	for i := range p.words {
		all = append(all, &p.words[i])
	}
	return all
}

type wireWriter struct{ b []byte }

func (w *wireWriter) int(n int64)     { w.b = binary.AppendVarint(w.b, n) }
func (w *wireWriter) bits(x uint64)   { w.b = binary.LittleEndian.AppendUint64(w.b, x) }
func (w *wireWriter) float(x float64) { w.bits(math.Float64bits(x)) }

func (w *wireWriter) text(s string) {
	w.int(int64(len(s)))
	w.b = append(w.b, s...)
}

func (w *wireWriter) bool(yes bool) {
	n := int64(0)
	if yes {
		n = 1
	}
	w.int(n)
}

func (w *wireWriter) profile(p *profile) {
	p.settle()
	for _, n := range p.whole() {
		w.int(*n)
	}
	w.int(int64(p.shortest))
	w.int(int64(p.longest))
	w.float(p.min)
	w.float(p.max)
	for _, list := range [][]string{p.oddTexts, p.gapTexts} {
		w.int(int64(len(list)))
		for _, s := range list {
			w.text(s)
		}
	}
	for _, odd := range p.odd {
		w.text(odd.text)
		w.text(odd.place)
	}
	w.texts(p.texts)
	w.numbers(p.numbers)
	w.moments(&p.moments)
	w.dates(p.dates)
	w.measures(&p.measures)
	w.forms(&p.forms)
	for i := range p.pairs {
		w.moments(&p.pairs[i].x)
		w.moments(&p.pairs[i].y)
		w.sum(&p.pairs[i].xy)
	}
}

func (w *wireWriter) texts(t *texts) {
	w.distinct(t.many)
	all := slices.SortedFunc(t.counts.each, func(a, b *textCount) int { return strings.Compare(a.text, b.text) })
	w.int(int64(len(all)))
	for _, c := range all {
		w.text(c.text)
		w.count(c.count)
	}
}

func (w *wireWriter) numbers(n *numbers) {
	keys := n.keys()
	w.int(int64(n.shift))
	w.distinct(n.many)
	w.int(int64(len(keys)))
	last := uint64(0)
	for _, k := range keys {
		w.b = binary.AppendUvarint(w.b, k-last)
		w.count(n.counts.get(k))
		last = k
	}
}

func (w *wireWriter) count(c count) {
	w.int(c.n)
	w.bits(c.label)
}

func (w *wireWriter) distinct(d *distinct) {
	if w.bool(d != nil); d != nil {
		w.b = append(w.b, d.registers[:]...)
	}
}

func (w *wireWriter) moments(m *moments) {
	w.int(m.n)
	w.sum(&m.x)
	w.sum(&m.xx)
}

func (w *wireWriter) sum(s *sum) {
	for _, part := range []*wide{&s.above, &s.below} {
		from, to := 0, len(part)
		for from < to && part[from] == 0 {
			from++
		}
		for from < to && part[to-1] == 0 {
			to--
		}
		w.int(int64(from))
		w.int(int64(to - from))
		for _, x := range part[from:to] {
			w.bits(x)
		}
	}
}

func (w *wireWriter) dates(d *dates) {
	w.int(d.tried)
	for i, s := range d.spans {
		w.bool(d.dead[i])
		if !d.dead[i] {
			w.int(s.min)
			w.int(s.max)
			w.bool(s.clock)
		}
	}
}

// wireReader panics with errWire if the bytes end too early.
type wireReader struct{ b []byte }

func (r *wireReader) take(n int64) []byte {
	if n < 0 || n > int64(len(r.b)) {
		panic(errWire)
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *wireReader) int() int64 {
	n, used := binary.Varint(r.b)
	if used <= 0 {
		panic(errWire)
	}
	r.b = r.b[used:]
	return n
}

func (r *wireReader) uint() uint64 {
	n, used := binary.Uvarint(r.b)
	if used <= 0 {
		panic(errWire)
	}
	r.b = r.b[used:]
	return n
}

func (r *wireReader) bits() uint64   { return binary.LittleEndian.Uint64(r.take(8)) }
func (r *wireReader) float() float64 { return math.Float64frombits(r.bits()) }
func (r *wireReader) text() string   { return string(r.take(r.int())) }
func (r *wireReader) bool() bool     { return r.int() != 0 }

// length reads a number of things that take at least a byte each.
func (r *wireReader) length() int {
	n := r.int()
	if n < 0 || n > int64(len(r.b)) {
		panic(errWire)
	}
	return int(n)
}

func (r *wireReader) profile(p *profile) {
	for _, n := range p.whole() {
		*n = r.int()
	}
	p.shortest, p.longest = int(r.int()), int(r.int())
	p.min, p.max = r.float(), r.float()
	for _, list := range []*[]string{&p.oddTexts, &p.gapTexts} {
		for range r.length() {
			*list = append(*list, r.text())
		}
	}
	for i := range p.odd {
		p.odd[i] = oddity{r.text(), r.text()}
	}
	r.texts(p.texts)
	r.numbers(p.numbers)
	r.moments(&p.moments)
	r.dates(p.dates)
	r.measures(&p.measures, p.numbers.limit)
	r.forms(&p.forms)
	for i := range p.pairs {
		r.moments(&p.pairs[i].x)
		r.moments(&p.pairs[i].y)
		r.sum(&p.pairs[i].xy)
	}
}

func (r *wireReader) texts(t *texts) {
	t.many = r.distinct()
	for range r.length() {
		s := r.text()
		c := r.count()
		at := t.counts.at(s)
		at.count, at.seen = c, true
	}
	if t.many != nil {
		t.counts = textTable{}
	}
}

func (r *wireReader) numbers(n *numbers) {
	shift := r.int()
	if shift < 0 || shift > 64 {
		panic(errWire)
	}
	n.shift, n.many = uint(shift), r.distinct()
	last := uint64(0)
	for range r.length() {
		last += r.uint()
		*n.counts.at(last) = r.count()
	}
}

func (r *wireReader) count() count {
	c := count{r.int(), r.bits()}
	if c.n <= 0 {
		panic(errWire)
	}
	return c
}

func (r *wireReader) distinct() *distinct {
	if !r.bool() {
		return nil
	}
	d := newDistinct()
	copy(d.registers[:], r.take(int64(len(d.registers))))
	if slices.Max(d.registers[:]) > 64 {
		panic(errWire)
	}
	return d
}

func (r *wireReader) moments(m *moments) {
	m.n = r.int()
	r.sum(&m.x)
	r.sum(&m.xx)
}

func (r *wireReader) sum(s *sum) {
	for _, part := range []*wide{&s.above, &s.below} {
		from, n := r.int(), r.int()
		if from < 0 || n < 0 || from+n > int64(len(part)) {
			panic(errWire)
		}
		for i := range n {
			part[from+i] = r.bits()
		}
	}
}

func (r *wireReader) dates(d *dates) {
	d.tried, d.left = r.int(), 0
	for i := range d.spans {
		if d.dead[i] = r.bool(); !d.dead[i] {
			d.left++
			d.spans[i] = span{r.int(), r.int(), r.bool()}
		}
	}
}

var _ interface {
	AppendBinary([]byte) ([]byte, error)
	UnmarshalBinary([]byte) error
} = (*Profiler)(nil)
