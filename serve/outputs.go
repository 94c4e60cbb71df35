package serve

import "github.com/dl4go/dl4go/tensor"

// collect copies a span's outputs into the answer. Networks may make several rows of each example: first those of all
// examples, then the second ones.
func (s *seat) collect(sp span, out []*tensor.Dense, size int) {
	c := sp.of
	if c.out == nil {
		c.out = s.answerFor(out, size, c.rows)
	}
	for i, o := range out {
		w := o.RowSize()
		for k := range o.Rows() / size {
			first := (k*size + sp.at) * w
			copy(c.out[i].Data[(k*c.rows+sp.from)*w:], o.Data[first:first+(sp.to-sp.from)*w])
		}
	}
}

// answerFor allocates the arrays of an answer for this many rows.
func (s *seat) answerFor(out []*tensor.Dense, size, rows int) []*tensor.Dense {
	if len(out) == 1 && len(out[0].Shape) == 2 {
		return s.usualAnswer(out[0].Rows()/size*rows, out[0].Shape[1])
	}
	list := make([]*tensor.Dense, len(out))
	for i, o := range out {
		shape := o.Shape.Clone()
		shape[0] = o.Rows() / size * rows
		list[i] = tensor.New(shape...)
	}
	return list
}

// Short answers are allocated together: the numbers of one, and how many at a time.
const (
	shortAnswer  = 16
	shortAnswers = 8
)

// oneArray is an answer without its numbers.
type oneArray struct {
	list  [1]*tensor.Dense
	dense tensor.Dense
	shape [2]int
}

// oneShort is a short answer.
type oneShort struct {
	oneArray
	numbers [shortAnswer]float32
}

// usualAnswer allocates an answer of one matrix.
func (s *seat) usualAnswer(rows, columns int) []*tensor.Dense {
	var a *oneArray
	if n := rows * columns; n <= shortAnswer {
		if len(s.spare) == 0 {
			s.spare = make([]oneShort, shortAnswers)
		}
		short := &s.spare[0]
		s.spare = s.spare[1:]
		a = &short.oneArray
		a.dense.Data = short.numbers[:n:n]
	} else {
		a = &oneArray{}
		a.dense.Data = make([]float32, n)
	}
	a.list[0], a.shape = &a.dense, [2]int{rows, columns}
	a.dense.Shape = a.shape[:]
	return a.list[:]
}
