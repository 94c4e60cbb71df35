package sim

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/random"
)

// averaged is a replica's numbers in rounds of averaging. A result is a few numbers for which the order of additions
// matters.
type averaged struct {
	start         []float64
	kept          [][]byte // sums of slices
	results, sums [][]byte // of the round
	before        [][]byte // the sums of the round before it
}

// resultNumbers is the length of a result. In bytes, no model has this length.
const resultNumbers = 12

// firstStart is the start of the first round.
func firstStart() []float64 {
	start := make([]float64, resultNumbers)
	for i := range start {
		start[i] = float64(i + 1)
	}
	return start
}

// install takes the start of a round. It returns false for a model.
func (a *averaged) install(params []byte) bool {
	if len(params) != 8*resultNumbers+1 {
		return false
	}
	a.start = readNumbers(params[:len(params)-1])
	return true
}

// roundResult is the result of training a share.
func roundResult(start []float64, round, partition uint32) []byte {
	var b []byte
	for i, x := range start {
		h := random.Mix(uint64(round)<<8|uint64(i), uint64(partition))
		x = x/3 + float64(h>>11)*(1.0/(1<<53))*math.Pow(2, float64(h%40))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return append(b, 'f')
}

// Sum adds up results, or the numbers of reports.
func (a *averaged) Sum(parts [][]byte) ([]byte, error) {
	var cut [][]byte
	for _, p := range parts {
		cut = append(cut, p[:len(p)-1])
	}
	return append(addNumbers(cut), 'f'), nil
}

// Begin destroys what nobody may read any more.
func (a *averaged) Begin(over bool) {
	if over {
		for _, b := range slices.Concat(a.results, a.before) {
			for i := range b {
				b[i] = 0xff // a number like this is NaN
			}
		}
		a.before = a.sums
	} else {
		a.before = nil
	}
	a.results, a.sums = nil, nil
}

func (a *averaged) Cut(result []byte, n int) (slices [][]byte, report []byte, err error) {
	if n > 1 { // otherwise the only slice may be the sum
		a.results = append(a.results, result)
	}
	result = result[:len(result)-1]
	from := 0
	for i := range n {
		to := (i + 1) * resultNumbers / n * 8
		slices = append(slices, result[from:to:to])
		from = to
	}
	return slices, floatBytes(1), nil
}

func (a *averaged) Add(pieces [][]byte) ([]byte, error) {
	sum := addNumbers(pieces)
	a.sums = append(a.sums, sum)
	return sum, nil
}

func addNumbers(pieces [][]byte) []byte {
	sum := readNumbers(pieces[0])
	for _, p := range pieces[1:] {
		for i, x := range readNumbers(p) {
			sum[i] += x
		}
	}
	return numberBytes(sum)
}

func (a *averaged) Keep(sums [][]byte) { a.kept = slices.Clone(sums) }

func (a *averaged) Continue([]byte) error {
	kept := slices.Concat(a.kept...)
	if len(kept) != 8*resultNumbers {
		return errors.New("a round is to go on from a sum that was not kept")
	}
	a.start = readNumbers(kept)
	return nil
}

func (a *averaged) Whole([]byte) ([]byte, error) { return append(slices.Concat(a.kept...), 'f'), nil }

var _ coordination.Slicer = (*averaged)(nil)

// levelled computes a round's result in a plain way: it adds the neighbours of each level in order.
func levelled(values []float64, group int) float64 {
	for len(values) > 1 {
		var up []float64
		for i := 0; i < len(values); i += group {
			s := values[i]
			for _, v := range values[i+1 : min(len(values), i+group)] {
				s += v
			}
			up = append(up, s)
		}
		values = up
	}
	return values[0]
}

func numberBytes(xs []float64) []byte {
	var b []byte
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

func readNumbers(b []byte) []float64 {
	xs := make([]float64, len(b)/8)
	for i := range xs {
		xs[i] = readFloat(b[8*i:])
	}
	return xs
}

// floatBytes encodes a number of a report.
func floatBytes(x float64) []byte { return append(numberBytes([]float64{x}), 'f') }

func readFloat(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
