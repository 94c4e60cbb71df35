package sharing

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/threshold"
)

// classes returns examples of two classes. Their features are ±size.
func classes(n int, size float32) []*data.MultiDataSet {
	var all []*data.MultiDataSet
	for i := range n {
		x := size * float32(2*(i%2)-1)
		label := []float32{0, 0}
		label[i%2] = 1
		all = append(all, &data.MultiDataSet{Features: []*tensor.Dense{tensor.MustOf([]float32{x, -x, x / 2}, 1, 3)},
			Labels: []*tensor.Dense{tensor.MustOf(label, 1, 2)}})
	}
	return all
}

// small returns a network with two layers, the first of which saturates.
func small(t *testing.T, u updater.Updater) *nn.MultiLayer {
	t.Helper()
	net, err := nn.New(nn.Configuration{Updater: u, Layers: []layer.Layer{
		layer.Dense{Base: layer.Base{Name: "hidden"}, NIn: 3, NOut: 4, Activation: activation.Identity{}},
		layer.Output{Base: layer.Base{Name: "out"}, NIn: 4, NOut: 2, Activation: activation.Softmax{},
			Loss: loss.NewMCXENT()},
	}})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(5)
	t.Cleanup(net.Close)
	return net
}

// TestStatesAreChecked checks that a worker gives no updater state that is not finite: neither to another worker, nor
// to a checkpoint, nor to the network.
func TestStatesAreChecked(t *testing.T) {
	r := newLockstep(t, small(t, updater.NewAdam()), classes(32, 1), 2, config(), threshold.Options{}).replicas[1]
	r.net.UpdaterState()[3] = float32(math.Inf(1))
	for name, of := range map[string]func() ([]byte, error){"state": r.State,
		"checkpoint": func() ([]byte, error) { return r.Report(true, nil) },
		"report":     func() ([]byte, error) { return r.Report(false, nil) },
	} {
		_, err := of()
		if diverged := (*nn.DivergedError)(nil); !errors.As(err, &diverged) || diverged.Layer == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDiverged checks that updates and updater states that are not finite end a fit at once with an error that names
// the layer, on each engine, even if they never reach a parameter.
func TestDiverged(t *testing.T) {
	for _, c := range []struct {
		name    string
		updater updater.Updater
		size    float32 // of the features
		want    string
	}{
		{"rate 1e38", updater.Sgd{LearningRate: 1e38}, 1, "the update of its parameter"},
		{"rate 1e308", updater.Sgd{LearningRate: 1e308}, 1, "the update of its parameter"},
		{"momentum", updater.Nesterovs{LearningRate: 1e38, Momentum: 0.9}, 1, "the update of its parameter"},
		{"features 1e38", updater.Sgd{LearningRate: 0.1}, 1e38, ""},
		// The second moment is g², which is infinite. After that, Adam's updates are 0.
		{"updater state", updater.NewAdam(), 1e25, "layer 0 (hidden): the updater state of its parameter W holds +Inf"},
	} {
		for _, on := range []string{"local[2]", "processes[2]"} {
			net := small(t, c.updater)
			before, state := slices.Clone(net.Params()), slices.Clone(net.UpdaterState())
			d, err := distributed.FromDataSets(open(t, on), classes(64, c.size), 2)
			if err != nil {
				t.Fatal(err)
			}
			err = master(t, config(), Options{}).FitEpochs(t.Context(), net, d, 3, nil)
			var diverged *nn.DivergedError
			if !errors.As(err, &diverged) || diverged.Layer == "" || !strings.Contains(err.Error(), c.want) ||
				strings.Contains(err.Error(), "json") {
				t.Errorf("%s on %s: %v, want a DivergedError with %q", c.name, on, err, c.want)
			}
			if err := net.CheckParams(); err != nil {
				t.Errorf("%s on %s: the network was left with %v", c.name, on, err)
			}
			if !slices.Equal(net.UpdaterState(), state) || math.IsNaN(float64(net.Params()[0]-before[0])) {
				t.Errorf("%s on %s: the updater state was changed", c.name, on)
			}
		}
	}
}

// TestDivergedTellsAll: listeners hear of all steps before the one that ends the fit, however soon the error comes.
func TestDivergedTellsAll(t *testing.T) {
	const last = 11
	rates := updater.MapSchedule{Type: updater.Iteration, Values: updater.ScheduleValues{0: 0.1, last: 1e38}}
	for _, on := range []string{"local[2]", "processes[2]"} {
		d, err := distributed.FromDataSets(open(t, on), classes(1024, 1), 2)
		if err != nil {
			t.Fatal(err)
		}
		told := map[[2]int]int{}
		net := small(t, updater.Sgd{LearningRateSchedule: rates})
		err = master(t, config(), Options{MinWorkers: 2}).FitEpochs(t.Context(), net, d, 1, func(r distributed.Round) {
			for _, m := range r.Iterations {
				told[[2]int{m.Index, m.Worker}]++
			}
		})
		if diverged := (*nn.DivergedError)(nil); !errors.As(err, &diverged) {
			t.Fatalf("%s: %v", on, err)
		}
		for step := range last {
			for worker := range 2 {
				if n := told[[2]int{step, worker}]; n != 1 {
					t.Errorf("%s: step %d of worker %d was told %d times", on, step, worker, n)
				}
			}
		}
	}
}
