package threshold

import (
	"math"
	"slices"

	"github.com/dl4go/dl4go/program"
)

// moves are a piece of the parameters, from one to another, and the values that move them. A parameter has a digit: the
// number of its values. A word has the digits of neighbours. It is a float32, which holds 24 bits. The values of a
// piece lie one after the other, in the order of their parameters.
type moves struct {
	from, to int
	cuts     []int // the ends of the arrays of parameters
	digit    int   // bits
	each     int   // digits of a word

	words    []float32
	starts   []float32 // for each group of words: the values before it
	values   []float32
	inputs   [][]float32
	programs map[int]program.Executable // by the number of values
	masking  program.Executable         // nil until it is needed
}

// mostDigit is the most bits of a digit, and groupWords the words that have a start in common.
const (
	mostDigit  = 4
	groupWords = 16
)

func newMoves(from int, cuts []int, digit int) moves {
	p := moves{from: from, to: cuts[len(cuts)-1], cuts: cuts, digit: digit, each: 24 / digit,
		programs: map[int]program.Executable{}}
	groups := (p.to - from + groupWords*p.each - 1) / (groupWords * p.each)
	p.starts, p.words = make([]float32, groups), make([]float32, groups*groupWords)
	return p
}

// bytes is the size of the inputs; 0 if there are no values, as nothing moves then.
func (p *moves) bytes() int {
	if len(p.values) == 0 {
		return 0
	}
	return 4 * (len(p.words) + len(p.starts) + len(p.values))
}

// pad appends zeros to the values. Programs have a fixed number of values, so few numbers are in use: two for each
// power of two.
func (p *moves) pad() {
	if len(p.values) == 0 {
		return
	}
	const least = 16
	n := least
	for n < len(p.values) {
		if n&(n-1) == 0 {
			n += n / 2
		} else {
			n += n / 3
		}
	}
	if n > p.to-p.from && len(p.values) <= p.to-p.from {
		n = max(least, p.to-p.from)
	}
	used := len(p.values)
	p.values = slices.Grow(p.values, n-used)[:n]
	clear(p.values[used:])
}

// program returns the program that adds a number of values to the piece's parameters.
func (p *moves) program(values int) *program.Program {
	b := program.NewBuilder()
	words, starts := b.Input("words", len(p.words), 1), b.Input("starts", len(p.starts), 1)
	table := b.Reshape(b.Input("values", values), 1, values)
	digits := p.digits(b, words)
	totals := b.Reshape(b.Sum(digits, 1), len(p.starts), groupWords)
	first := b.Reshape(b.Add(before(b, totals), starts), len(p.words), 1)
	size := p.to - p.from
	flat := func(x *program.Value) *program.Value {
		return b.Slice(b.Reshape(x, len(p.words)*p.each), 0, 0, size)
	}
	places, counts := flat(b.Add(before(b, digits), first)), flat(digits)
	most := 1<<p.digit - 1
	found := make([]*program.Value, most)
	for k := range found {
		found[k] = b.Reshape(b.Apply(program.Lookup{}, table, b.Add(places, b.Scalar(float64(k)))), size)
	}
	from := p.from
	for _, end := range p.cuts {
		x := b.View(program.Params, from, end-from)
		for k, v := range found {
			moved := b.Add(x, b.Slice(v, 0, from-p.from, end-p.from))
			count := b.Slice(counts, 0, from-p.from, end-p.from)
			x = b.Select(b.Binary(program.Greater, count, b.Scalar(float64(k))), moved, x)
		}
		b.Store(program.Params, from, x)
		from = end
	}
	return b.Build()
}

// digits emits the digits of words, a row for each.
func (p *moves) digits(b *program.Builder, words *program.Value) *program.Value {
	base := math.Exp2(float64(p.digit))
	var low, high []float64 // the inverse of a digit's unit, and of the next one's
	for j := range p.each {
		low, high = append(low, math.Pow(base, -float64(j))), append(high, math.Pow(base, -float64(j+1)))
	}
	from := b.Unary(program.Floor, b.Mul(words, b.Const(low, p.each)))
	above := b.Unary(program.Floor, b.Mul(words, b.Const(high, p.each)))
	return b.Sub(from, b.Mul(above, b.Scalar(base)))
}

// before emits, for each element of a row, the sum of those before it. The elements are small integers, so that
// products of any precision are exact.
func before(b *program.Builder, rows *program.Value) *program.Value {
	n := rows.Shape[1]
	earlier := make([]float64, n*n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			earlier[i*n+j] = 1
		}
	}
	return b.Apply(program.MatMul{}, rows, b.Const(earlier, n, n))
}
