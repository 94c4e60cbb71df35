package threshold

import (
	"fmt"
	"math"
	"slices"

	kernels "github.com/dl4go/dl4go/internal/kernel/threshold"
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
		e.largest = max(e.largest, to-from)
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
func (e *Encoder) scaled(iteration, epoch int, a addition) (*Message, error) {
	m := &e.message
	m.Reset(len(e.residual))
	m.Form = Scaled
	e.outliers.Reset(len(e.residual))
	e.outliers.Form = Scaled
	var failed error
	for i := range e.layers {
		l := &e.layers[i]
		if failed != nil {
			e.step = Step{encoder: e, addition: a.of(l), residual: e.residual[l.from:l.to]}
			e.step.Residual()
			continue
		}
		failed = a.of(l).section(e, i, iteration, epoch)
	}
	if e.coder.overflowed.Swap(false) {
		failed = overflowed(e.residual, iteration)
	}
	for _, m := range []*Message{&e.outliers, m} {
		if failed != nil {
			e.coder.apply(m, e.residual, 1)
		}
		if m.Count == 0 || failed != nil {
			m.Reset(len(e.residual))
		}
	}
	if failed != nil {
		return nil, failed
	}
	e.count()
	return m, nil
}

// section appends the section of a layer to the message, and takes its values out of the residual. a is the layer's
// part of the update.
func (a addition) section(e *Encoder, i, iteration, epoch int) error {
	l, m, step := &e.layers[i], &e.message, e.begin(i, iteration, epoch)
	step.addition = a
	if _, samples := e.algorithm.(Largest); !samples {
		step.Residual()
	}
	t, by, err := step.decide(&e.state.Layers[i])
	if err != nil {
		step.Residual()
		m.Sections = append(m.Sections, Section{End: l.to})
		e.outliers.Sections = append(e.outliers.Sections, Section{End: l.to})
		return err
	}
	from, n := len(m.Words), kernels.WordsOf(l.to-l.from)
	m.Words = slices.Grow(m.Words, n)[:from+n]
	above := float32(math.Inf(1))
	if e.options.Mean {
		above = outlying * by
	}
	hits := e.coder.encode(m.Words[from:], step.residual, marking{step.addition, t, by, above})
	if hits == 0 {
		m.Words = m.Words[:from]
	}
	e.end(i, hits, l.further(e, by, above), by)
	return nil
}

// begin sets the step of a layer.
func (e *Encoder) begin(i, iteration, epoch int) *Step {
	l, s := &e.layers[i], &e.state.Layers[i]
	e.step = Step{Iteration: iteration, Epoch: epoch, LastThreshold: s.LastThreshold, LastSparsity: s.LastCount,
		LastCount: s.LastCount, encoder: e, residual: e.residual[l.from:l.to], recent: &l.recent}
	return &e.step
}

// decide returns the threshold of the step's layer, and how far the values that pass move.
func (s *Step) decide(l *LayerState) (t, by float32, err error) {
	e := s.encoder
	threshold := e.algorithm.Threshold(&l.Algorithm, s)
	if t = float32(threshold); !usable(t) {
		return 0, 0, unusable(e.algorithm, s.Iteration, threshold)
	}
	e.state.LastThreshold, l.LastThreshold = threshold, threshold
	by = t
	if e.options.Mean {
		by = s.meanMagnitude(t)
	}
	if e.options.Powers {
		by = power(by)
	}
	return t, by, nil
}

// end appends the section of a layer whose values have moved, and post-processes its residual. multiples is the number
// of magnitudes by which its outliers have moved.
func (e *Encoder) end(i, hits, multiples int, by float32) {
	l, s, m := &e.layers[i], &e.state.Layers[i], &e.message
	s.LastCount = float64(hits) / float64(l.to-l.from)
	if hits == 0 {
		m.Sections = append(m.Sections, Section{End: l.to})
		l.recent.add(0, 0)
		return
	}
	m.Sections = append(m.Sections, Section{End: l.to, Count: hits, Magnitude: by})
	m.Count += hits
	var removed Removed
	if e.post != nil {
		removed = e.process(e.step.Iteration, e.step.Epoch, s.LastThreshold, i)
	}
	l.recent.add(removed.Magnitude, float64(hits+multiples)*float64(by))
}

// leastSample is the number of values that a sample needs, so that its mean is close enough to the mean of all values.
// The residual keeps the difference.
const leastSample = 64

// meanMagnitude returns the mean magnitude of the values that pass the threshold, or of those in the algorithm's
// sample.
func (s *Step) meanMagnitude(t float32) float32 {
	if s.mean > 0 {
		return s.mean
	}
	e := s.encoder
	x, m := s.Residual(), &e.passed
	m.Reset(len(x))
	if e.coder.find(x, nil, t, 0) == 0 {
		return t
	}
	return meanMagnitude(x, e.coder.collect(m, x, t, 0))
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
