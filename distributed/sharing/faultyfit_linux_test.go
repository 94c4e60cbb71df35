package sharing

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/faulttest"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/weights"
)

// The training under faults: the digits, with four workers. The learning rate falls, so the accuracy depends little on
// the order of commits.
const (
	faultyWorkers = 4
	faultyEpochs  = 10
	perEpoch      = 24 // of each worker
)

func faultyNetwork(t *testing.T) *nn.MultiLayer {
	t.Helper()
	c, err := nn.Configuration{
		Seed: 3, InputType: inputtype.ConvolutionalFlat(8, 8, 1), WeightInit: weights.Xavier{},
		Updater: updater.Nesterovs{Momentum: 0.9, LearningRateSchedule: updater.ExponentialSchedule{Type: updater.Epoch,
			InitialValue: 0.05, Gamma: 0.8}},
		Layers: []layer.Layer{layer.Dense{NOut: 128, Activation: activation.ReLU{}},
			layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewNegativeLogLikelihood()}},
	}.Complete()
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(c)
	if err != nil {
		t.Fatal(err)
	}
	net.Init(3)
	return net
}

// faultyFit is a fit under faults.
type faultyFit struct {
	*director
	net    *nn.MultiLayer
	engine engine.Engine
	master *TrainingMaster
	data   *distributed.Data
	log    bytes.Buffer // of what went on
	err    error
	ended  time.Time
}

// newFaultyFit prepares a fit. number tells apart the fits that run at the same time.
func newFaultyFit(t *testing.T, number int, mode MeshBuildMode, faults []fault) *faultyFit {
	t.Helper()
	f := &faultyFit{director: newDirector(t, faults), net: faultyNetwork(t)}
	faultyKinds[number].director = f.director
	log := slog.New(slog.NewTextHandler(&f.log, nil))
	var err error
	f.engine, err = engine.Open(t.Context(), fmt.Sprintf("processes[%d]", faultyWorkers),
		engine.Options{TempDir: t.TempDir(), Threads: 1, Attempts: 100, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	c := config()
	c.VoidConfiguration.MeshBuildMode = mode
	f.master = master(t, c, Options{MinWorkers: faultyWorkers, Fanout: 2, transport: faultyKinds[number].TransportKind,
		Timing: timing(), Log: log})
	f.data = spread(t, f.engine, 0)
	return f
}

// run trains, and closes everything that belongs to the fit.
func (f *faultyFit) run(ctx context.Context) {
	f.err = f.master.FitEpochs(ctx, f.net, f.data, faultyEpochs, nil)
	f.ended = time.Now()
	if err := f.engine.Close(); f.err == nil {
		f.err = err
	}
	f.close()
}

// want checks the result of the fit and returns true if all is right.
func (f *faultyFit) want(t *testing.T, k *faultKind) (right bool) {
	t.Helper()
	if faulttest.WantLeftGone(t, f.marks); f.err != nil {
		t.Error(f.err)
		return false
	}
	right = true
	wrong := func(format string, args ...any) {
		t.Helper()
		t.Errorf(format, args...)
		right = false
	}
	for _, err := range f.director.wrong {
		wrong("%v", err)
	}
	for i, h := range f.happened {
		if h == nil {
			wrong("it did not happen: %v", f.faults[i])
		}
	}
	last := f.master.Last()
	if n := faultyEpochs * faultyWorkers * perEpoch; last.Updates != n || last.Examples != faultyEpochs*1497 ||
		len(f.commits) != n {
		wrong("%d minibatches of %d are in the log, the fit was %+v", len(f.commits), n, last)
	}
	if last.Workers < k.workers || last.Workers > faultyWorkers {
		wrong("%d workers were there at the end", last.Workers)
	}
	switch n := len(f.faults); {
	case (k.deed == stopped || k.deed == silent) && last.Replaced > 0, k.deed == killed && k.workers == faultyWorkers &&
		last.Replaced != n, last.Replaced > n:
		wrong("%d workers were replaced, something happened to %d", last.Replaced, n)
	}
	return right
}
