package threshold

import "math"

// Ledger accounts for the updates of each parameter, so that a test can check that nothing is lost. Up to roundings of
// the residual, Updates = Sent + Clipped + Lost + Dropped + the residual.
type Ledger struct {
	Updates   []float64 // given to Encode and Add
	Sent      []float64 // in messages
	Clipped   []float64 // by the post-processor
	Lost      []float64 // by Options.Compatible
	Dropped   []float64 // by Drop
	Magnitude []float64 // Σ |update|, the scale of roundings
}

func newLedger(n int) *Ledger {
	all := make([]float64, 6*n)
	return &Ledger{all[:n], all[n : 2*n], all[2*n : 3*n], all[3*n : 4*n], all[4*n : 5*n], all[5*n:]}
}

func (l *Ledger) update(x []float32, times float32) {
	for i, v := range x {
		v *= times
		l.Updates[i] += float64(v)
		l.Magnitude[i] += math.Abs(float64(v))
	}
}

func (l *Ledger) add(to []float64, x []float32) {
	for i, v := range x {
		to[i] += float64(v)
	}
}

func (l *Ledger) sent(m *Message) {
	for i, v := range m.All() {
		l.Sent[i] += float64(v)
	}
}
