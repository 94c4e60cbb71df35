package sim

import (
	"bytes"
	"fmt"

	"github.com/dl4go/dl4go/internal/coordination"
)

// roundShares lists a round's partitions. It leaves one out of some rounds, unless the workers keep sums.
func (w driver) roundShares() []uint32 {
	var all []uint32
	for p := range w.s.Config.Partitions {
		if w.unchecked || w.s.Sliced || w.s.Config.Partitions == 1 || (w.want.round+p)%5 != 4 {
			all = append(all, uint32(p))
		}
	}
	return all
}

// nextRound returns the command for the next round.
func (w driver) nextRound() coordination.Round {
	t := &w.want
	r := coordination.Round{Round: uint32(t.round), Shares: w.roundShares(), Group: w.group(len(w.roundShares())),
		Start: t.start, Sliced: w.s.Sliced}
	if r.Sliced {
		r.Whole = t.round == w.s.Rounds-1 || w.s.Every > 0 && (t.round+1)%w.s.Every == 0
		if r.Kept = t.kept; r.Kept {
			r.Start = floatBytes(0)
		}
	}
	return r
}

// repeat goes back to the last round whose start the driver has.
func (t *task) repeat() { t.round, t.start, t.kept = t.whole, t.from, false }

// roundDone checks a round's result, and goes on to the next one.
func (w driver) roundDone(a coordination.RoundDone) {
	t := &w.want
	round := w.nextRound()
	result := a.Payload
	if !w.unchecked {
		result = w.expected(a.Round, round)
		want := result
		if round.Sliced && !round.Whole {
			want = floatBytes(float64(len(round.Shares)))
		}
		if !bytes.Equal(a.Payload, want) {
			w.failed(fmt.Errorf("round %d gave %x, not %x", a.Round, a.Payload, want))
		}
	}
	t.round++
	t.start, t.kept = result, round.Sliced
	if !round.Sliced || round.Whole {
		t.whole, t.from = t.round, t.start
	}
}

// expected computes a round's result in a plain way.
func (w driver) expected(number uint32, round coordination.Round) []byte {
	start := w.want.start
	var values [][]float64
	for _, p := range round.Shares {
		result := roundResult(readNumbers(start[:len(start)-1]), number, p)
		values = append(values, readNumbers(result[:len(result)-1]))
	}
	var sums []float64
	for i := range resultNumbers {
		var of []float64
		for _, v := range values {
			of = append(of, v[i])
		}
		sums = append(sums, levelled(of, round.Group))
	}
	return append(numberBytes(sums), 'f')
}
