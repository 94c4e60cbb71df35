package sharing

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/threshold"
)

// moved returns a network's parameters after some steps, all with the gradient at the starting point.
func moved(t *testing.T, net *nn.MultiLayer, m *data.MultiDataSet, rate float32, steps int) []float32 {
	t.Helper()
	to := net.Clone()
	defer to.Close()
	_, gradient, err := to.Gradient(m, nn.Key{})
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range gradient {
		to.Params()[i] -= float32(steps) * rate * g / float32(m.Examples())
	}
	if masters.Constrained(to.Base()) {
		if err := to.Constrain(); err != nil {
			t.Fatal(err)
		}
	}
	return slices.Clone(to.Params())
}

func compare(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if err := near.All(got, want, 1e-5, 0); err != nil {
		t.Fatalf("%s: the parameters are not what the updates make them: %v", what, err)
	}
}

// TestResumeConserves interrupts an epoch at a checkpoint. The threshold lets nothing pass and all examples are alike,
// so every step adds the same update to a residual. The checkpoint must have all of them, and the residual that the fit
// began with. The resumed run must add the rest, at the rate of the same epoch.
func TestResumeConserves(t *testing.T) {
	for name, o := range map[string]Options{"lockstep": {}, "lag": {Lag: 8}, "in flight": {Lag: 8, InFlight: 3}} {
		t.Run(name, func(t *testing.T) { resumeConserves(t, o) })
	}
}

func resumeConserves(t *testing.T, o Options) {
	const rate, batch, minibatches, epoch, before = 0.01, 16, 40, 2, 0.25
	rates := updater.MapSchedule{Type: updater.Epoch, Values: updater.ScheduleValues{0: 10, epoch: rate, epoch + 1: 10}}
	one := classes(1, 1)[0]
	all, err := data.Merge(slices.Repeat([]*data.MultiDataSet{one}, batch))
	if err != nil {
		t.Fatal(err)
	}
	for _, on := range []string{"local[2]", "processes[2]"} {
		for _, held := range [][]regularization.Constraint{nil, {regularization.NewNonNegative()}} {
			net := built(t, nn.Configuration{Updater: updater.Sgd{LearningRateSchedule: rates}, BiasConstraints: held,
				Layers: []layer.Layer{
					layer.Dense{NIn: 3, NOut: 4, Activation: activation.TanH{}},
					layer.Output{NIn: 4, NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
				}})
			net.SetEpoch(epoch)
			d, err := distributed.FromDataSets(open(t, on), slices.Repeat([]*data.MultiDataSet{one}, batch*minibatches), 2)
			if err != nil {
				t.Fatal(err)
			}
			start := slices.Clone(net.Params())
			c := config()
			// Checkpoints then come long before the epoch ends, even on a busy machine.
			c.ThresholdAlgorithm, c.DebugLongerIterations = threshold.Fixed{T: 1e6}, 250
			ctx, stop := context.WithCancelCause(t.Context())
			s := &stopping{after: 2, stop: stop}
			o.MinWorkers, o.Checkpoints = 2, s
			m := master(t, c, o)
			m.carried = carriedBy(start, slices.Repeat([]float32{before}, len(start)))
			if err := m.Fit(ctx, net.Copy(), d, nil); !errors.Is(err, errStopped) {
				t.Fatalf("%s: the fit ended with %v before two checkpoints", on, err)
			}
			stop(nil)
			if s.last.Done == 0 || s.last.Done >= minibatches || o.Lag == 0 && s.last.Done%2 != 0 {
				t.Fatalf("%s: the checkpoint is at %d minibatches", on, s.last.Done)
			}
			whole := func(what string, params []float32, c carried, steps int) {
				t.Helper()
				if !slices.Equal(params, start) || !c.belongs(params) {
					t.Errorf("%s, %s: the network has moved, or the residual is another one's", on, what)
				}
				to := net.Clone()
				defer to.Close()
				copy(to.Params(), lacking(params, c.residual))
				for i := range to.Params() {
					to.Params()[i] += before
				}
				if held != nil {
					if err := to.Constrain(); err != nil {
						t.Fatal(err)
					}
				}
				compare(t, on+", "+what, to.Params(), moved(t, net, all, rate, steps))
			}
			var of TrainingMaster
			if err := of.Restore(s.last.State); err != nil {
				t.Fatal(err)
			}
			whole("the checkpoint", s.last.Params, of.carried, s.last.Done)
			net.SetIteration(s.last.Iteration)
			net.SetEpoch(s.last.Epoch)
			c.DebugLongerIterations = 0
			o.Checkpoints = nil
			m = master(t, c, o)
			m.Resume(s.last.Place)
			if err := m.Restore(s.last.State); err != nil {
				t.Fatal(err)
			}
			if err := m.Fit(t.Context(), net, d, nil); err != nil {
				t.Fatal(err)
			}
			whole("the end", net.Params(), m.carried, minibatches)
			if l := m.Last().Losses; l.Residuals != 0 || l.Dropped.Count != 0 || l.Clipped.Count != 0 {
				t.Errorf("%s: lost is %+v", on, l)
			}
		}
	}
}

// always asks for checkpoints and drops them.
type always struct{ kept int }

func (a *always) Due() bool                   { return true }
func (a *always) Keep(distributed.Checkpoint) { a.kept++ }

// TestCheckpointsChangeNothing checks that a fit that makes checkpoints all the time has the same bits as one without.
func TestCheckpointsChangeNothing(t *testing.T) {
	want := usual(t)
	for _, on := range []string{"local[2]", "processes[2]"} {
		net, all := network(t, "mlp", 3), &always{}
		m := master(t, config(), Options{MinWorkers: 2, Checkpoints: all})
		if err := m.FitEpochs(t.Context(), net, spread(t, open(t, on), 0), 6, nil); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(net.Params(), want) {
			t.Errorf("%s: %d checkpoints have changed the network", on, all.kept)
		}
	}
}
