package paramavg

import (
	"encoding/binary"
	"slices"
	"time"
)

// Pace is a choice of Options.AutoFrequency, for the next pass.
type Pace struct {
	Frequency int           // minibatches of a worker between two averagings
	Step      time.Duration // time that a worker needs for a minibatch
	Exchange  time.Duration // time of a round in which the slowest worker does not compute
}

// exchangeShare bounds the time of the exchange, as a fraction of the computing time, if a round may be long enough for
// it. A higher share would waste the workers, and a longer round lets their replicas drift apart.
const exchangeShare = 0.25

// longestRound bounds the minibatches of a worker between two averagings that choose picks. An outer optimiser is made
// for longer rounds.
const longestRound, longestOuterRound = 20, 100

// roundsOfPass is the minimum of rounds in a pass that choose picks.
const roundsOfPass = 4

// pacer measures the rounds of a pass, and chooses the averaging frequency of the next one.
type pacer struct {
	frequency int // the chosen one; 0: Config's
	most      int
	measured  func(round, computing time.Duration) (time.Duration, time.Duration) // for tests; otherwise nil

	computing   time.Duration
	minibatches int // in the time of computing
	exchanges   []time.Duration
}

func newPacer(outer bool) *pacer {
	if outer {
		return &pacer{most: longestOuterRound}
	}
	return &pacer{most: longestRound}
}

// round records the time of a round, and the time in which the slowest worker computed its minibatches.
func (p *pacer) round(whole, computing time.Duration, minibatches int) {
	if p.measured != nil {
		whole, computing = p.measured(whole, computing)
	}
	p.computing += computing
	p.minibatches += minibatches
	p.exchanges = append(p.exchanges, max(0, whole-computing))
}

// choose ends a pass whose rounds had the frequency before. Without a measurement, the frequency stays. It uses the
// median of the exchanges, since the first round starts the workers.
func (p *pacer) choose(before int) (Pace, bool) {
	defer func() { p.computing, p.minibatches, p.exchanges = 0, 0, nil }()
	if p.minibatches == 0 || p.computing <= 0 {
		return Pace{}, false
	}
	slices.Sort(p.exchanges)
	c := Pace{Step: p.computing / time.Duration(p.minibatches), Exchange: p.exchanges[len(p.exchanges)/2]}
	longest := max(1, min(p.most, p.minibatches/roundsOfPass))
	c.Frequency = longest
	if enough := float64(c.Exchange) / (exchangeShare * float64(max(1, c.Step))); enough < float64(longest) {
		c.Frequency = max(1, int(enough+0.999))
	}
	// A similar result keeps the frequency, so that the clock's noise does not change it.
	if before <= longest && 4*max(c.Frequency, before) <= 5*min(c.Frequency, before) {
		c.Frequency = before
	}
	p.frequency = c.Frequency
	return c, true
}

// pacedMark begins the checkpoint state of a master that chooses the frequency.
const pacedMark = "paced\x00\x01\x00"

// wrap puts the frequency before the state of a checkpoint. unwrap removes it again.
func (p *pacer) wrap(state []byte) []byte {
	return append(binary.LittleEndian.AppendUint64([]byte(pacedMark), uint64(p.frequency)), state...)
}

// unwrap returns the state without the frequency, and the frequency; 0 if there is none.
func unwrap(state []byte) (rest []byte, frequency int) {
	const n = len(pacedMark)
	if len(state) < n+8 || string(state[:n]) != pacedMark {
		return state, 0
	}
	return state[n+8:], int(min(binary.LittleEndian.Uint64(state[n:]), longestOuterRound))
}
