// Package serve answers questions with a trained network: one [Predictor] serves any number of goroutines. It takes
// arrays, rows of numbers, or rows of raw values by the names of their columns, and answers with classes,
// probabilities and numbers in the unit of the training data.
package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Options are settings of a [Predictor]. The zero value has the defaults.
type Options struct {
	// Concurrency is the number of minibatches that are computed at a time; below 1 it is the number of processors.
	// On a device it is 1.
	Concurrency int
	// Threads work on each minibatch; below 1 it is 1.
	Threads int
	// Executor, if not nil, makes an executor for each minibatch that is computed at a time, instead of Threads. The
	// predictor closes them. That of a device goes with a Concurrency of 1.
	Executor func() (Executor, error)
	// MaxBatch is the number of examples that go through the network at a time: a power of two up to 1024. 0 is 256.
	MaxBatch int
	// MaxDelay is how long a call waits for others to share its minibatch, if there is room in it. 0 is the default:
	// a call begins at once if nothing else is computed, and the calls that come meanwhile share the next minibatch.
	MaxDelay time.Duration
	// MaxQueue is the number of examples of waiting calls beyond which further calls are [ErrOverloaded]; 0 is 16384.
	MaxQueue int
	// MaxMemory is the bytes that the intermediate values of one minibatch may take; 0 is 512 MiB. Minibatches have
	// fewer examples where more would take more, and where fewer go faster through a processor's caches. One example
	// may always take the memory that it needs.
	MaxMemory int64
	// NoNormalizer leaves the network's normalizer aside: the features are normalized already, and outputs stay on
	// the scale of normalized labels.
	NoNormalizer bool
	// AllowNaN lets features and outputs that are NaN or infinite pass, which are errors otherwise.
	AllowNaN bool
	// Observe, if not nil, is called with each minibatch when it is computed. It must return soon.
	Observe func(Batch)
}

// Executor runs programs until it is closed.
type Executor interface {
	program.Executor
	Close()
}

// Batch is a minibatch that a predictor has computed.
type Batch struct {
	Examples int           // without padding
	Calls    int           // that it was made of
	Waited   time.Duration // by the call that came first
	Took     time.Duration
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

// Predictor serves a network's outputs to any number of goroutines at a time, as dl4go predict writes them: features go
// through the network's normalizer, and outputs of a network that was trained on normalized labels are brought back to
// the labels' scale. Calls that come while others are computed share minibatches. An example's outputs do not depend on
// the examples beside it, to the bit. Those of networks with convolutions differ from [nn.Network.Output] in the last
// digits. All calls share the network's parameters, which must not change while the predictor is in use: train a Copy.
// (Deeplearning4j: ParallelInference; InferenceMode.BATCHED.)
type Predictor struct {
	net    *nn.Network
	owned  bool             // Close closes the network too
	rows   *source.RowMaker // of raw columns; nil: the model has no pipeline
	answer *source.Answer   // likewise
	calls  sync.Pool
	answering
}

// ErrClosed is the error of a call after [Predictor.Close], and of a second Close.
var ErrClosed = errors.New("the predictor is closed; use it before Close, or open the model again")

// ErrOverloaded is the error of a call that finds too many examples waiting.
var ErrOverloaded = errors.New("too many examples are waiting for the predictor; ask again later, or raise MaxQueue")

// New makes a predictor of a network, with the normalizer, the pipeline and the names that it carries. Close it after
// use; the network stays open. It must not be trained meanwhile.
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

// BatchSize rounds n down to a size that MaxBatch may be.
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
		o.Concurrency = runtime.GOMAXPROCS(0)
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
		return fmt.Errorf("serve: MaxBatch is %d; it is a power of two from 1 to %d", o.MaxBatch, largestBatch)
	case o.MaxDelay < 0:
		return fmt.Errorf("serve: MaxDelay is %v; it is 0 or more", o.MaxDelay)
	case o.MaxQueue < 0 || o.MaxMemory < 0:
		return fmt.Errorf("serve: MaxQueue is %d and MaxMemory %d; both are 0, for the default, or more",
			o.MaxQueue, o.MaxMemory)
	}
	return nil
}

// Open makes a predictor of a model file: of dl4go train, of dl4go.Model.Save, or of Deeplearning4j. The path may be
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

// Network is the network. It must not be trained while the predictor is in use.
func (p *Predictor) Network() *nn.Network { return p.net }

// Predict returns the output of each output layer for the examples of the features, with one array for each input of
// the network. Errors name the layer whose shape does not fit, or the example whose features or outputs are NaN or
// infinite: a [data.ValueError]. Padded sequences need masks: see [Predictor.PredictData]. A context that ends ends
// the wait for other calls, and ends this one between minibatches. The features are read until Predict returns.
func (p *Predictor) Predict(ctx context.Context, features ...*tensor.Dense) ([]*tensor.Dense, error) {
	c := p.calls.Get().(*call)
	c.own.Features = append(c.own.Features[:0], features...)
	c.in = &c.own
	return p.ask(ctx, c)
}

// PredictData is [Predictor.Predict] with the masks of a data set. A padded and masked sequence has the outputs that
// it has alone. A mask of labels multiplies the outputs, as in [nn.Network.Output]; labels are ignored. The data set
// is not changed.
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

// Close refuses further calls, waits for those under way and those that wait, and frees the predictor's threads and
// memory. A second Close gives ErrClosed.
func (p *Predictor) Close() error {
	if err := p.shut(); err != nil {
		return err
	}
	if p.owned {
		p.net.Close()
	}
	return nil
}
