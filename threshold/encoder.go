package threshold

import (
	"errors"
	"fmt"
	"math"
)

// Encoder makes a worker's messages (Deeplearning4j: EncodingHandler). It holds the residual, the message format, and
// the state of the algorithm. Only one goroutine at a time may use it.
//
// With n parameters, and integer division as in Deeplearning4j: a worker begins with bitmaps, and changes to sparse
// messages after a bitmap of fewer than (n/16+5)/2 values. In place of a sparse message of 4 + values ≥ n/16 words it
// sends a bitmap, and continues with bitmaps until there are few values again. With fewer than two values it sends an
// empty message, and neither changes nor post-processes the residual.
//
// Deeplearning4j differs: if a sparse message turns out too long, its values are missing from the bitmap, and lost.
// With Options.Compatible they are lost here too, and counted.
type Encoder struct {
	coder     *Coder
	algorithm Algorithm
	post      PostProcessor
	options   Options

	residual []float32
	state    EncoderState
	step     Step
	message  Message
	outliers Message // the second one of a step
	lost     Message // the sparse message that Options.Compatible discards
	before   []float32
	product  []float32 // an update, times a factor
	passed   Message   // the entries of a layer
	totals   Totals
	recent   outflow
	largest  int     // the largest layer's parameters
	layers   []layer // each has a threshold of its own; nil: one threshold, and no scaled messages
	ledger   *Ledger
	device   *onDevice // nil: the residual is in this process
}

// Options has the settings of an [Encoder]. The zero value sends what Deeplearning4j sends: ± one threshold.
type Options struct {
	// Mean sends the mean magnitude of the values that pass, with their signs, in place of ± the threshold. A step then
	// has a second message, [Encoder.Outliers]. Fewer steps empty the residual. Messages are scaled ones, never
	// bitmaps.
	Mean bool
	// Powers rounds the numbers that are sent to powers of two, so that a [Sum] of messages is exact. The residual
	// keeps the difference. Messages are scaled ones.
	Powers bool
	// Layers gives each layer a threshold of its own. It has the ends of the layers' parameters, in ascending order up
	// to the number of parameters. An algorithm then has a state, and a Step, for each layer. Sparsities count the
	// layer's parameters. Nil means one threshold for all parameters. Messages are scaled ones, never bitmaps.
	Layers []int

	// Compatible loses the values that Deeplearning4j loses when it changes from sparse messages to bitmaps. Tests use
	// it to compare with Deeplearning4j.
	Compatible bool
	// Ledger keeps accounts of every parameter. It takes 6 vectors of float64 and makes steps slower. It is for tests.
	Ledger bool
}

// EncoderState is the state of an Encoder without its residual, for checkpoints. Package dl4j reads and writes it as
// JSON.
type EncoderState struct {
	Algorithm     State   `dl4j:"algorithm"`
	Bitmaps       bool    `dl4j:"bitmaps"`       // the next message is a bitmap
	LastThreshold float64 `dl4j:"lastThreshold"` // of this fit; NaN before the first step
	LastDense     bool    `dl4j:"lastDense"`
	LastSparsity  float64 `dl4j:"lastSparsity"` // NaN after a bitmap and before the first step
	LastCount     float64 `dl4j:"lastCount"`    // as in Step; NaN before the first step
	// Layers has the states of the layers, of an encoder whose messages are scaled. The fields above are unused then.
	Layers []LayerState `dl4j:"layers"`
}

// Totals has the counts of an Encoder since it was made.
type Totals struct {
	Empty, Sparse, Bitmap, Scaled int64   // messages
	Values                        int64   // in them
	Sent                          float64 // Σ |value|
	Clipped                       Removed
	Lost                          Removed // by Options.Compatible
	Dropped                       Removed // by Drop
}

// NewEncoder returns the encoder of a worker, with a residual of 0 for length parameters. p may be nil.
func NewEncoder(c *Coder, length int, a Algorithm, p PostProcessor, o Options) (*Encoder, error) {
	if length < 1 || length > MaxLength {
		return nil, fmt.Errorf("an encoder of %d parameters: must be from 1 to %d", length, MaxLength)
	}
	if a == nil {
		return nil, fmt.Errorf("an encoder without a threshold algorithm: threshold.Default() is the usual one")
	}
	if err := a.Validate(); err != nil {
		return nil, err
	}
	if p != nil {
		if err := p.Validate(); err != nil {
			return nil, err
		}
	}
	e := &Encoder{coder: c, algorithm: a, post: p, options: o, residual: make([]float32, length),
		state: EncoderState{Algorithm: a.Start().Clone(), Bitmaps: true, LastThreshold: math.NaN(),
			LastSparsity: math.NaN(), LastCount: math.NaN()}}
	if o.Mean || o.Powers || o.Layers != nil {
		if err := e.cut(o.Layers); err != nil {
			return nil, err
		}
	}
	e.outliers.Reset(length)
	if o.Ledger {
		e.ledger = newLedger(length)
		e.before = make([]float32, length)
	}
	return e, nil
}

// Encode adds the update of a step (nil for none) to the residual. It takes the values that reach the threshold out of
// the residual and returns them as a message, which may be empty. The message belongs to the encoder and is valid until
// the next Encode. The update is only read. After an error, the update is in the residual, and nothing was sent.
//
// The error is an *OverflowError if the residual has NaN, an infinity, or numbers so large that the norm of 32,768
// neighbours is not finite. No message could reduce them, and the encoder is unusable until Drop.
//
// With Options.Mean, [Encoder.Outliers] has the rest of what the step sends.
func (e *Encoder) Encode(iteration, epoch int, update []float32) (*Message, error) {
	return e.EncodeTimes(iteration, epoch, update, 1)
}

// EncodeTimes is Encode for an update times a factor.
func (e *Encoder) EncodeTimes(iteration, epoch int, update []float32, times float32) (*Message, error) {
	if e.device != nil {
		return nil, errors.New("the residual is on a device: call EncodeOnDevice")
	}
	if update != nil && len(update) != len(e.residual) {
		return nil, fmt.Errorf("an update of %d parameters for a network of %d", len(update), len(e.residual))
	}
	if e.ledger != nil {
		e.ledger.update(update, times)
	}
	return addition{update: update, times: times}.encode(e, iteration, epoch)
}

// EncodeAdded is Encode for an update that the caller has added to [Encoder.Residual]. An encoder with a ledger can't
// do that: it counts the updates.
func (e *Encoder) EncodeAdded(iteration, epoch int) (*Message, error) {
	switch {
	case e.device != nil:
		return nil, errors.New("the residual is on a device: call EncodeOnDevice")
	case e.ledger != nil:
		return nil, errors.New("the encoder has a ledger: call Encode")
	}
	return addition{unchecked: true}.encode(e, iteration, epoch)
}

// addition is what a step adds to the residual.
type addition struct {
	update    []float32 // times the factor; nil: nothing, or it is in the residual already
	times     float32
	unchecked bool // the caller has added the update, and nobody has looked for an overflow yet
}

// of returns the part of a layer.
func (a addition) of(l *layer) addition {
	if a.update != nil {
		a.update = a.update[l.from:l.to]
	}
	return a
}

// encode makes the message of a step.
func (a addition) encode(e *Encoder, iteration, epoch int) (*Message, error) {
	if e.layers != nil {
		return e.scaled(iteration, epoch, a)
	}
	return e.plain(iteration, epoch, a)
}

// plain makes a message of one threshold, which is no scaled one.
func (e *Encoder) plain(iteration, epoch int, a addition) (*Message, error) {
	if a.update != nil && a.times != 1 {
		e.product = grow(e.product, len(a.update))
		e.coder.vec.MulScalar(e.product, a.update, a.times)
		a.update, a.times = e.product, 1
	}
	s := &e.step
	*s = Step{Iteration: iteration, Epoch: epoch, LastThreshold: e.state.LastThreshold, LastDense: e.state.LastDense,
		LastSparsity: e.state.LastSparsity, LastCount: e.state.LastCount,
		encoder: e, addition: a, residual: e.residual, recent: &e.recent, header: javaHeader}
	if e.device != nil {
		s.drawn = e.device.samples
	}
	threshold := e.algorithm.Threshold(&e.state.Algorithm, s)
	if s.unchecked {
		s.Residual()
	}
	update := s.update
	s.update = nil
	t := float32(threshold)
	if !usable(t) {
		if update != nil {
			e.coder.accumulate(e.residual, update, 1)
		}
		return nil, unusable(e.algorithm, iteration, threshold)
	}
	e.state.LastThreshold = threshold
	take := e.sparse
	if e.state.Bitmaps {
		take = e.bitmap
	}
	if err := take(t, update); err != nil {
		return nil, err
	}
	if e.coder.overflowed.Swap(false) {
		return nil, overflowed(e.residual, iteration)
	}
	e.count()
	var removed Removed
	if e.message.Form != Empty && e.post != nil {
		removed = e.process(iteration, epoch, threshold, 0)
	}
	e.recent.add(removed.Magnitude, e.message.Moved())
	return &e.message, nil
}

func unusable(a Algorithm, iteration int, threshold float64) error {
	return fmt.Errorf("iteration %d: threshold algorithm %T gave %g: must be a number above 0", iteration, a, threshold)
}

// bitmap makes a bitmap message.
func (e *Encoder) bitmap(t float32, update []float32) error {
	if e.device == nil {
		e.coder.bitmap(&e.message, e.residual, update, t)
	} else if err := e.device.bitmap(&e.message, t); err != nil {
		return err
	}
	e.state.Bitmaps = e.message.Count >= (len(e.residual)/16+5)/2
	e.state.LastDense, e.state.LastSparsity = true, math.NaN()
	return nil
}

// sparse makes a sparse or empty message, or a bitmap if there are too many values.
func (e *Encoder) sparse(t float32, update []float32) error {
	n, hits := len(e.residual), 0
	var err error
	if e.device != nil {
		hits, err = e.device.find(t)
	} else {
		hits = e.coder.find(e.residual, update, t, 0)
	}
	switch {
	case err != nil:
		return err
	case hits < 2:
		e.message.Reset(n)
		e.state.LastDense, e.state.LastSparsity = false, 0
	case javaHeader+hits >= n/16:
		if e.options.Compatible {
			e.lose(t)
		}
		err = e.bitmap(t, nil)
		e.state.Bitmaps = true
	default:
		if e.device != nil {
			err = e.device.take(&e.message, t, hits)
		} else {
			e.coder.take(&e.message, e.residual, t, hits)
		}
		e.state.LastDense, e.state.LastSparsity = false, float64(javaHeader+hits)/float64(n)
	}
	return err
}

// lose takes the values of a sparse message out of the residual without sending it.
func (e *Encoder) lose(t float32) {
	e.coder.take(&e.lost, e.residual, t, len(e.residual)/16)
	for i, v := range e.lost.All() {
		e.totals.Lost.Add(Removed{1, float64(v), math.Abs(float64(v))})
		if e.ledger != nil {
			e.ledger.Lost[i] += float64(v)
		}
	}
}

func (e *Encoder) count() {
	switch e.message.Form {
	case Empty:
		e.totals.Empty++
	case Sparse:
		e.totals.Sparse++
	case Bitmap:
		e.totals.Bitmap++
	case Scaled:
		e.totals.Scaled++
	}
	e.totals.Values += int64(e.message.Count)
	e.totals.Sent += e.message.Moved() + e.outliers.Moved()
	e.state.LastCount = float64(javaHeader+e.message.Count) / float64(len(e.residual))
	if e.ledger != nil {
		e.ledger.sent(&e.message)
		e.ledger.sent(&e.outliers)
	}
}

// process gives the residual of a layer to the post-processor, or the whole residual if there is one threshold.
func (e *Encoder) process(iteration, epoch int, threshold float64, layer int) Removed {
	if p, clips := e.post.(ResidualClipping); clips && e.device != nil {
		return e.device.process(e, p, iteration, threshold, layer)
	}
	from, to := 0, len(e.residual)
	if e.layers != nil {
		from, to = e.layers[layer].from, e.layers[layer].to
	}
	x := e.Residual()[from:to]
	if e.ledger != nil {
		copy(e.before[from:to], x)
	}
	removed := e.post.Process(e.coder, iteration, epoch, threshold, x)
	e.totals.Clipped.Add(removed)
	if e.ledger != nil {
		for i, v := range e.before[from:to] {
			e.ledger.Clipped[from+i] += float64(v) - float64(x[i])
		}
	}
	return removed
}

// Residual returns the values not sent yet. It is the encoder's own memory, which a checkpoint reads or fills. With a
// device, it is valid until the next step.
func (e *Encoder) Residual() []float32 {
	if e.device != nil {
		e.device.note(e.device.Take())
	}
	return e.residual
}

// Add adds values times a factor to the residual: what other encoders have left unsent.
func (e *Encoder) Add(values []float32, times float32) error {
	if len(values) != len(e.residual) {
		return fmt.Errorf("%d values for a residual of %d parameters", len(values), len(e.residual))
	}
	if e.ledger != nil {
		e.ledger.update(values, times)
	}
	e.coder.accumulate(e.Residual(), values, times)
	return nil
}

// Drop sets the residual to 0, as at the beginning of a fit, and returns the amount dropped. NaN is not counted.
func (e *Encoder) Drop() Removed {
	x := e.Residual()
	if e.ledger != nil {
		e.ledger.add(e.ledger.Dropped, x)
	}
	r := e.coder.Clip(x, 0)
	clear(x) // Clip leaves NaN
	e.totals.Dropped.Add(r)
	return r
}

// State returns the state of the encoder without its residual.
func (e *Encoder) State() EncoderState {
	return e.state.clone()
}

// SetState restores a state that State returned. If the layers are others than those of the state, each layer begins as
// in a new encoder.
func (e *Encoder) SetState(s EncoderState) {
	layers := e.state.Layers
	if e.state = s.clone(); len(s.Layers) != len(layers) {
		e.state.Layers = layers
	}
}

// Totals returns the counts so far.
func (e *Encoder) Totals() Totals { return e.totals }

// Ledger returns the account of each parameter, or nil without Options.Ledger.
func (e *Encoder) Ledger() *Ledger { return e.ledger }
