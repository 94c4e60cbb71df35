// Package serve predicts with a trained network. One [Predictor] serves any number of goroutines. It takes arrays, rows
// of numbers, or rows of raw values by the names of their columns. It returns classes, probabilities, and numbers in
// the unit of the training data.
package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/cores"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Options are settings of a [Predictor]. The zero value has the defaults.
type Options struct {
	// Concurrency is the number of minibatches that are computed at the same time. Below 1, it is the number of cores
	// that the process may use, and at most GOMAXPROCS. On a device it is always 1.
	Concurrency int
	// Threads is the number of threads for each minibatch. Below 1, it is 1.
	Threads int
	// Executor, unless nil, makes the executors, instead of Threads: one for each minibatch that is computed at the same
	// time. The predictor closes them. Set Concurrency to 1 for the executor of a device.
	Executor func() (Executor, error)
	// MaxBatch is the maximum number of examples of a minibatch: a power of two up to 1024. 0 means 256.
	MaxBatch int
	// MaxDelay is how long a call waits for others to share its minibatch. With 0, the default, a call does not wait while
	// fewer than Concurrency minibatches are computed. Calls that arrive during a computation share the next minibatch.
	MaxDelay time.Duration
	// MaxQueue is the maximum number of examples that wait. Calls beyond that fail with [ErrOverloaded]. 0 means 16,384.
	MaxQueue int
	// MaxMemory is the maximum number of bytes for the intermediate values of one minibatch. 0 means 512 MiB. Minibatches
	// have fewer examples if they would need more, or if fewer are faster because they fit into the processor's caches. A
	// single example may always use the memory that it needs.
	MaxMemory int64
	// NoNormalizer switches the network's normalizer off. Features must be normalized already, and outputs are on the
	// scale of normalized labels.
	NoNormalizer bool
	// AllowNaN accepts features and outputs that are NaN or infinite. Otherwise they are errors.
	AllowNaN bool
	// Observe, unless nil, is called after each minibatch, possibly by several goroutines. The next minibatch may wait for
	// it, so it must return soon.
	Observe func(Batch)
}

// Executor is a [program.Executor] that is closed after use.
type Executor interface {
	program.Executor
	Close()
}

// Batch is a minibatch that a predictor has computed.
type Batch struct {
	Examples int           // not counting padding
	Calls    int           // number of calls that share it
	Waited   time.Duration // time that the first of these calls waited
	Took     time.Duration // time of the computation
}

// The defaults of Options, and what they may be.
const (
	defaultBatch  = 256
	largestBatch  = 1024 // a network keeps the programs of twelve sizes
	defaultQueue  = 16 << 10
	defaultMemory = 512 << 20
)

// mostPacked is the bytes of parameters of which a predictor keeps a copy in the order in which kernels read them.
const mostPacked = 256 << 20

// Predictor predicts with a network, for any number of goroutines at a time (Deeplearning4j: ParallelInference with
// InferenceMode.BATCHED). Its results are those of dl4go predict: features go through the network's normalizer, and
// outputs are converted back to the scale of the labels.
//
// Calls that arrive while others are computed share minibatches. The outputs of an example do not depend on the
// examples beside it, to the bit. They equal those of [nn.Network.Output]; with convolutions, the last digits differ.
//
// All calls share the network's parameters. These must not change while the predictor is in use. To train the network
// meanwhile, train a copy: see [nn.Network.Copy].
type Predictor struct {
	net    *nn.Network
	owned  bool             // Close closes the network too
	rows   *source.RowMaker // of raw columns; nil: the model has no pipeline
	answer *source.Answer   // likewise
	calls  sync.Pool
	answering
}

// ErrClosed is the error of calls after [Predictor.Close], including a second Close.
var ErrClosed = errors.New("the predictor is closed; use it before Close, or open the model again")

// ErrOverloaded is the error of a call when too many examples are waiting: see Options.MaxQueue.
var ErrOverloaded = errors.New("too many examples are waiting for the predictor; ask again later, or raise MaxQueue")

// New returns a predictor for a network, with the network's normalizer, pipeline and names. Close it after use. The
// network stays open, and must not be trained until then.
func New(net nn.AnyNetwork, o Options) (*Predictor, error) {
	if net == nil {
		return nil, errors.New("serve.New: there is no network: it is nil")
	}
	n := net.Base()
	if err := o.complete(n.OnDevice()); err != nil {
		return nil, err
	}
	p := &Predictor{net: n, answering: answering{computer{allowNaN: o.AllowNaN, observe: o.Observe},
		dispatcher{o: o, drained: make(chan struct{})}}}
	p.parting.d, p.work = &p.dispatcher, p.follow
	p.calls.New = func() any { return new(call) }
	if b := n.Normalizer(); b != nil && !o.NoNormalizer {
		var err error
		if p.normalize, err = data.ReadNormalizer(bytes.NewReader(b), int64(len(b))); err != nil {
			return nil, fmt.Errorf("the network's normalizer: %w; set it again, or set NoNormalizer", err)
		}
		p.revert, _ = p.normalize.(*data.Scaler)
	}
	if steps, labels := n.Pipeline(); steps != nil {
		prepared, err := source.DecodePreparation(steps, labels)
		if err != nil {
			return nil, fmt.Errorf("the model's pipeline: %w", err)
		}
		if p.rows, err = prepared.RowMaker(); err != nil {
			return nil, fmt.Errorf("the model's pipeline: %w", err)
		}
		answer := prepared.Answer()
		p.answer = &answer
	}
	shared := n.Share()
	shared.PackWeights(mostPacked)
	for range o.Concurrency {
		p.free = append(p.free, newSeat(shared, o))
	}
	return p, nil
}

// BatchSize rounds n down to a valid Options.MaxBatch: a power of two from 1 to 1024.
func BatchSize(n int) int {
	size := 1
	for 2*size <= min(n, largestBatch) {
		size *= 2
	}
	return size
}

// complete fills in the defaults.
func (o *Options) complete(onDevice bool) error {
	if o.Concurrency < 1 {
		o.Concurrency = cores.Count()
	}
	if onDevice {
		o.Concurrency = 1
	}
	o.Threads = max(o.Threads, 1)
	if o.MaxBatch == 0 {
		o.MaxBatch = defaultBatch
	}
	if o.MaxQueue == 0 {
		o.MaxQueue = defaultQueue
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = defaultMemory
	}
	switch {
	case o.MaxBatch < 1 || o.MaxBatch > largestBatch || o.MaxBatch&(o.MaxBatch-1) != 0:
		return fmt.Errorf("serve: MaxBatch is %d; it must be a power of two from 1 to %d", o.MaxBatch, largestBatch)
	case o.MaxDelay < 0:
		return fmt.Errorf("serve: MaxDelay is %v; it must be 0 or more", o.MaxDelay)
	case o.MaxQueue < 0 || o.MaxMemory < 0:
		return fmt.Errorf("serve: MaxQueue is %d and MaxMemory %d; both must be 0, for the default, or more",
			o.MaxQueue, o.MaxMemory)
	}
	return nil
}

// Open returns a predictor for a model file of dl4go train, of dl4go.Model.Save, or of Deeplearning4j. The path may be
// a URL. Close it after use.
func Open(ctx context.Context, path string, o Options) (*Predictor, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	net, err := nn.LoadNetwork(ctx, path)
	if err != nil {
		return nil, err
	}
	p, err := New(net, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p.owned = true
	return p, nil
}

// Network returns the network. It must not be trained while the predictor is in use.
func (p *Predictor) Network() *nn.Network { return p.net }

// Predict returns the activations of each output layer for a minibatch. features has one array for each input of the
// network, whose first dimension counts the examples. Padded sequences need masks: see [Predictor.PredictData]. Do not
// change the features until Predict returns.
//
// An error names the layer if a shape does not fit. If features or outputs are NaN or infinite, it is a
// *[data.ValueError], which names the example. When the context ends, Predict stops waiting, or stops between two
// minibatches.
func (p *Predictor) Predict(ctx context.Context, features ...*tensor.Dense) ([]*tensor.Dense, error) {
	c := p.calls.Get().(*call)
	c.own.Features = append(c.own.Features[:0], features...)
	c.in = &c.own
	return p.ask(ctx, c)
}

// PredictData is [Predictor.Predict] for a data set with masks. A padded sequence with a mask has the same outputs as
// without padding. A mask of the labels multiplies the outputs, as in [nn.Network.Output]; the labels are ignored. The
// data set does not change.
func (p *Predictor) PredictData(ctx context.Context, m *data.MultiDataSet) ([]*tensor.Dense, error) {
	if m == nil {
		return nil, errors.New("there is no data to predict: it is nil")
	}
	c := p.calls.Get().(*call)
	c.own = data.MultiDataSet{Features: append(c.own.Features[:0], m.Features...), FeatureMasks: m.FeatureMasks}
	if c.in = &c.own; m.LabelMasks != nil {
		c.own.Labels, c.own.LabelMasks = m.Labels, m.LabelMasks
	}
	return p.ask(ctx, c)
}

// ask has a call answered.
func (p *Predictor) ask(ctx context.Context, c *call) ([]*tensor.Dense, error) {
	c.ctx = ctx
	out, err := p.asked(c)
	p.recycle(c) // not if a computation panics
	return out, err
}

func (p *Predictor) asked(c *call) ([]*tensor.Dense, error) {
	if err := context.Cause(c.ctx); err != nil {
		return nil, err
	}
	if err := c.in.Validate(); err != nil {
		return nil, err
	}
	c.times, _ = c.ctx.Value(timesKey{}).(*Times)
	if p.observe != nil || c.times != nil || p.o.MaxDelay > 0 {
		c.came = time.Now()
	}
	if c.rows = c.in.Examples(); c.rows == 0 {
		return nil, &data.ShapeError{Array: "features", Shape: c.in.Features[0].Shape, Problem: "there are no examples"}
	}
	g, s, err := p.enter(c)
	if err != nil {
		return nil, err
	}
	if s != nil {
		p.lead(s, g, c)
	}
	return c.out, c.err
}

// recycle keeps a call for reuse, without its contents.
func (p *Predictor) recycle(c *call) {
	clear(c.own.Features)
	*c = call{own: data.MultiDataSet{Features: c.own.Features[:0]}}
	p.calls.Put(c)
}

// Close waits for all calls that have begun, and frees the predictor's threads and memory. Later calls, including a
// second Close, fail with [ErrClosed].
func (p *Predictor) Close() error {
	if err := p.shut(); err != nil {
		return err
	}
	if p.owned {
		p.net.Close()
	}
	return nil
}
