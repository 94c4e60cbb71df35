package nn

import (
	"math"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

// TestScaleLearningRate: the rates of all layers are scaled, with any schedule; nothing else changes.
func TestScaleLearningRate(t *testing.T) {
	adam := func(s updater.Schedule) updater.Updater {
		u := updater.NewAdam()
		u.LearningRate, u.LearningRateSchedule = math.NaN(), s
		return u
	}
	for name, u := range map[string]updater.Updater{"fixed": updater.NewSgd(),
		"exponential": adam(updater.ExponentialSchedule{Type: updater.Iteration, InitialValue: 0.1, Gamma: 0.9}),
		"inverse":     adam(updater.InverseSchedule{Type: updater.Iteration, InitialValue: 0.1, Gamma: 0.9, Power: 2}),
		"poly":        adam(updater.PolySchedule{Type: updater.Iteration, InitialValue: 0.1, Power: 2, MaxIter: 100}),
		"sigmoid":     adam(updater.SigmoidSchedule{Type: updater.Iteration, InitialValue: 0.1, Gamma: 0.9, StepSize: 3}),
		"step":        adam(updater.StepSchedule{Type: updater.Iteration, InitialValue: 0.1, DecayRate: 0.5, Step: 3}),
		"map": adam(updater.MapSchedule{Type: updater.Iteration,
			Values: updater.ScheduleValues{0: 0.1, 2: 0.05}}),
		"ramp": adam(updater.RampSchedule{Base: updater.FixedSchedule{V: 0.1}, NumIter: 4}),
		"cycle": adam(updater.CycleSchedule{Type: updater.Iteration, InitialLearningRate: 0.01, MaxLearningRate: 0.1,
			CycleLength: 10, AnnealingLength: 2, AnnealingDecay: 0.1})} {
		m, err := New(Configuration{Updater: u, Layers: []layer.Layer{
			layer.Dense{NIn: 3, NOut: 2, Activation: activation.TanH{}},
			layer.Output{NIn: 2, NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		params := slices.Clone(m.Params())
		var before []float64
		for i := range 12 {
			rate, _ := m.LearningRate(i, 0)
			before = append(before, rate)
		}
		if err := ScaleLearningRate(m, 0.25); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		again, err := Replica(must(m.Configuration()))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range before {
			rate, _ := m.LearningRate(i, 0)
			kept, _ := again.LearningRate(i, 0)
			if !near.Equal(rate, want/4, 1e-12, 0) || rate != kept {
				t.Errorf("%s, iteration %d: %v and in the configuration %v, a quarter of %v is wanted", name, i, rate, kept, want)
			}
		}
		if !slices.Equal(params, m.Params()) {
			t.Errorf("%s: parameters changed", name)
		}
	}
	none, err := New(Configuration{Updater: updater.NewAdaDelta(), Layers: []layer.Layer{
		layer.Output{NIn: 2, NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []float64{0.5, 0, math.NaN()} {
		if ScaleLearningRate(none, by) != nil {
			continue
		}
		t.Error("no error of an updater without a rate, or of a factor that is none")
	}
}

// TestHoldLearningRate: a rate that falls stays at its beginning, and one that rises goes on to rise.
func TestHoldLearningRate(t *testing.T) {
	for name, c := range map[string]struct {
		schedule updater.Schedule
		later    float64 // after 1000 iterations of 20 epochs
	}{"falls": {updater.ExponentialSchedule{Type: updater.Epoch, InitialValue: 0.1, Gamma: 0.5}, 0.1},
		"rises": {updater.RampSchedule{Base: updater.FixedSchedule{V: 0.5}, NumIter: 4}, 0.5}} {
		u := updater.NewSgd()
		u.LearningRate, u.LearningRateSchedule = math.NaN(), c.schedule
		m := newNet(t, Configuration{Updater: u, Layers: []layer.Layer{layer.Output{NIn: 2, NOut: 2, Loss: loss.MSE{}}}})
		if err := HoldLearningRate(m); err != nil {
			t.Fatal(err)
		}
		if rate, ok := m.LearningRate(1000, 20); !ok || !near.Equal(rate, c.later, 0, 1e-6) {
			t.Errorf("%s: the rate is %v, want %v", name, rate, c.later)
		}
	}
}
