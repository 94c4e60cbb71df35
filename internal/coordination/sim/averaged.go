package sim

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/random"
)

// averaged is a replica's numbers in rounds of averaging. A result is a few numbers for which the order of additions
// matters.
type averaged struct{ start, kept []float64 }

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
	sum, err := a.Add(cut)
	return append(sum, 'f'), err
}

func (a *averaged) Cut(result []byte, n int) (slices [][]byte, report []byte, err error) {
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
	sum := readNumbers(pieces[0])
	for _, p := range pieces[1:] {
		for i, x := range readNumbers(p) {
			sum[i] += x
		}
	}
	return numberBytes(sum), nil
}

func (a *averaged) Keep(sums [][]byte) {
	a.kept = nil
	for _, s := range sums {
		a.kept = append(a.kept, readNumbers(s)...)
	}
}

func (a *averaged) Continue([]byte) error {
	if len(a.kept) != resultNumbers {
		return errors.New("a round is to go on from a sum that was not kept")
	}
	a.start = a.kept
	return nil
}

func (a *averaged) Whole([]byte) ([]byte, error) { return append(numberBytes(a.kept), 'f'), nil }

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
