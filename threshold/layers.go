package threshold

import (
	"fmt"
	"math"
)

// layer is a range of parameters that has a threshold of its own.
type layer struct {
	from, to int
	recent   outflow
}

// LayerState is the state of a layer of an Encoder, for checkpoints.
type LayerState struct {
	Algorithm     State   `dl4j:"algorithm"`
	LastThreshold float64 `dl4j:"lastThreshold"` // of this fit; NaN before the first step
	LastCount     float64 `dl4j:"lastCount"`     // values/parameters; NaN before the first step
}

// clone returns a copy with memory of its own.
func (s EncoderState) clone() EncoderState {
	s.Algorithm = s.Algorithm.Clone()
	layers := s.Layers
	s.Layers = nil
	for _, l := range layers {
		l.Algorithm = l.Algorithm.Clone()
		s.Layers = append(s.Layers, l)
	}
	return s
}

// Algorithms returns the states of the encoder's algorithm: one for each layer that has a threshold of its own.
func (s EncoderState) Algorithms() (all []State) {
	for _, l := range s.Layers {
		all = append(all, l.Algorithm)
	}
	if all == nil {
		all = []State{s.Algorithm}
	}
	return all
}

// cut divides the parameters into layers. Without ends, all are one.
func (e *Encoder) cut(ends []int) error {
	from := 0
	if ends == nil {
		ends = []int{len(e.residual)}
	}
	for _, to := range ends {
		if to <= from || to > len(e.residual) {
			return fmt.Errorf("a layer from parameter %d to %d of %d: ends must ascend", from, to, len(e.residual))
		}
		e.layers = append(e.layers, layer{from: from, to: to})
		e.state.Layers = append(e.state.Layers, LayerState{Algorithm: e.algorithm.Start().Clone(),
			LastThreshold: math.NaN(), LastCount: math.NaN()})
		from = to
	}
	if from != len(e.residual) {
		return fmt.Errorf("the last layer ends at parameter %d of %d", from, len(e.residual))
	}
	return nil
}

// scaled makes a scaled message, or an empty one.
func (e *Encoder) scaled(iteration, epoch int, update []float32) (*Message, error) {
	e.accumulate(update)
	if e.coder.overflowed.Swap(false) {
		return nil, e.overflow(iteration)
	}
	m := &e.message
	m.Reset(len(e.residual))
	m.Form = Scaled
	for i := range e.layers {
		if err := e.section(i, iteration, epoch); err != nil {
			m.Reset(len(e.residual))
			return nil, err
		}
	}
	if m.Count == 0 {
		m.Reset(len(e.residual))
	}
	e.count()
	return m, nil
}

// section appends the section of a layer to the message, and takes its values out of the residual.
func (e *Encoder) section(i, iteration, epoch int) error {
	l, s, m := &e.layers[i], &e.state.Layers[i], &e.message
	x := e.residual[l.from:l.to]
	e.step = Step{Iteration: iteration, Epoch: epoch, LastThreshold: s.LastThreshold, LastSparsity: s.LastCount,
		LastCount: s.LastCount, encoder: e, residual: x, recent: &l.recent}
	threshold := e.algorithm.Threshold(&s.Algorithm, &e.step)
	t := float32(threshold)
	if !usable(t) {
		return e.unusable(iteration, threshold)
	}
	e.state.LastThreshold, s.LastThreshold = threshold, threshold
	hits := e.coder.find(x, nil, t, l.from)
	s.LastCount = float64(hits) / float64(len(x))
	if hits == 0 {
		m.Sections = append(m.Sections, Section{End: l.to})
		l.recent.add(0, 0)
		return nil
	}
	entries := e.coder.collect(m, x, t, l.from)
	if e.options.Mean {
		t = meanMagnitude(e.residual, entries)
	}
	if e.options.Powers {
		t = power(t)
	}
	m.Sections = append(m.Sections, Section{End: l.to, Count: hits, Magnitude: t})
	m.Count += hits
	e.coder.addEntries(e.residual, entries, -t)
	var removed Removed
	if e.post != nil {
		removed = e.process(iteration, epoch, threshold, l.from, l.to)
	}
	l.recent.add(removed.Magnitude, float64(hits)*float64(t))
	return nil
}

// power returns the power of two that is nearest by ratio, and that a float32 can hold.
func power(t float32) float32 {
	return float32(math.Exp2(min(127, math.Round(math.Log2(float64(t))))))
}

// meanMagnitude returns the mean magnitude of the elements of x that entries name. It adds in their order.
func meanMagnitude(x []float32, entries []int32) float32 {
	sum := 0.0
	for _, e := range entries {
		sum += math.Abs(float64(x[abs(e)-1]))
	}
	return float32(sum / float64(len(entries)))
}
