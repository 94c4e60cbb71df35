package distributed

import (
	"context"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/nn"
)

// MultiLayer is a network on an engine: it is trained, evaluated and applied on distributed data (Deeplearning4j:
// SparkDl4jMultiLayer). The network inside stays an ordinary network. It is used by one goroutine at a time.
type MultiLayer struct {
	engine engine.Engine
	net    *nn.MultiLayer
	master TrainingMaster
	opts   Options
}

// Options are settings of a MultiLayer. The zero value has the defaults.
type Options struct {
	// Batch is the number of examples that evaluation, scoring and prediction put through the network at once: 64.
	Batch int
	// Kernels names the instruction set of the workers' kernels, which decides the last bits of results: avx512, avx2 or
	// portable. Empty means the best that the driver has.
	Kernels string
	// Listen, if not nil, is called after each round of training, by the goroutine that called Fit.
	Listen func(Round)
}

// New wraps a network. master may be nil where nothing is to be trained.
func New(e engine.Engine, net *nn.MultiLayer, master TrainingMaster, o Options) *MultiLayer {
	if o.Batch == 0 {
		o.Batch = 64
	}
	if o.Kernels == "" {
		o.Kernels = kernel.Best().String()
	}
	return &MultiLayer{engine: e, net: net, master: master, opts: o}
}

// FromConfiguration makes and initialises a network, and wraps it.
func FromConfiguration(e engine.Engine, c nn.Configuration, master TrainingMaster, o Options) (*MultiLayer, error) {
	net, err := nn.New(c)
	if err != nil {
		return nil, err
	}
	net.Init(uint64(c.Seed))
	return New(e, net, master, o), nil
}

// Engine is where the network is trained and applied.
func (m *MultiLayer) Engine() engine.Engine { return m.engine }

// Net is the network, with the result of the last fit.
func (m *MultiLayer) Net() *nn.MultiLayer { return m.net }

// SetNet replaces the network.
func (m *MultiLayer) SetNet(net *nn.MultiLayer) { m.net = net }

// Master is the training master; nil if there is none.
func (m *MultiLayer) Master() TrainingMaster { return m.master }

// LastScore is the score of the last round of training.
func (m *MultiLayer) LastScore() float64 { return m.net.LastScore() }

// Fit trains one epoch on the data: each example is used once. Where it fails, the network is as after the last
// complete round.
func (m *MultiLayer) Fit(ctx context.Context, d *Data) error {
	if m.master == nil {
		return errors.New("the network has no training master: it can be evaluated and applied, but not trained")
	}
	return m.master.Fit(ctx, m.net, d, m.opts.Listen)
}

// FitDirectory trains one epoch on all the saved DataSets of a directory, in at least minPartitions partitions where
// there are files enough.
func (m *MultiLayer) FitDirectory(ctx context.Context, dir string, minPartitions int) error {
	d, err := FromDirectory(ctx, m.engine, dir, minPartitions)
	if err != nil {
		return err
	}
	return m.Fit(ctx, d)
}

// FitPaths trains one epoch on files, which the loader reads (SavedDataSets for saved DataSets).
func (m *MultiLayer) FitPaths(ctx context.Context, paths []string, l Loader) error {
	if len(paths) == 0 {
		return fmt.Errorf("there are no paths to train on")
	}
	return m.Fit(ctx, FromPaths(m.engine, paths, l, 0))
}
