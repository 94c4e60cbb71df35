package nn

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// TestUpdatesTo: UpdatesTo has the bits of Updates, whose update the caller adds to a residual.
func TestUpdatesTo(t *testing.T) {
	for _, u := range []updater.Updater{updater.NewSgd(), updater.NewNesterovs(), updater.NewAdam(), updater.NewAdaGrad(),
		updater.NewRmsProp(), updater.NewNadam(), updater.NewAdaDelta(), updater.NewMuon(), updater.NewLamb()} {
		for _, v := range cpu.AvailableKernels() {
			c := mixed()
			c.Updater = u
			nets := []*MultiLayer{newNet(t, c), newNet(t, c)}
			for _, net := range nets {
				e := cpu.New(cpu.Options{Threads: 2, Kernels: v})
				net.SetExecutor(e)
				t.Cleanup(e.Close)
			}
			compareResiduals(t, fmt.Sprintf("%T, %v", u, v), nets, func(i int) *data.MultiDataSet {
				return examples(5+i%2, 36, 3)
			})
		}
	}
}

// TestUpdatesToOfSegments: each segment of truncated back-propagation has its own factor.
func TestUpdatesToOfSegments(t *testing.T) {
	c := Configuration{BackpropType: TruncatedBPTT, TBPTTForwardLength: 2}
	nets := []*MultiLayer{charNet(t, c), charNet(t, c)}
	m := sequences(t, nets[0], inputtype.NCW)
	m.LabelMasks, m.FeatureMasks = []*tensor.Dense{stepMask()}, []*tensor.Dense{stepMask()}
	compareResiduals(t, "segments", nets, func(int) *data.MultiDataSet { return m })
}

func compareResiduals(t *testing.T, name string, nets []*MultiLayer, minibatch func(i int) *data.MultiDataSet) {
	t.Helper()
	factor := func(iteration int) float32 { return 1 / float32(1+iteration%3) }
	want, got := make([]float32, nets[0].NumParams()), make([]float32, nets[0].NumParams())
	for i := range 4 {
		m, key := minibatch(i), Key{Seed: 3, Example: uint64(i)}
		var after [][]float32 // the parameters after each step
		a, err := nets[0].Updates(m, key, func(update []float32) error {
			times := factor(nets[0].Iteration())
			for k, u := range update {
				want[k] += float32(times * u)
			}
			defer func() { after = append(after, slices.Clone(nets[0].Params())) }()
			return nets[0].Apply(update)
		})
		if err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(got)
		b, err := nets[1].UpdatesTo(got, factor, m, key, func() error {
			if equalBits(got, before) {
				return errors.New("nothing was added")
			}
			nets[1].SetIteration(nets[1].Iteration() + 1)
			next := after[0]
			after = after[1:]
			return nets[1].SetParams(next)
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if a != b || !equalBits(got, want) || !equalBits(nets[0].UpdaterState(), nets[1].UpdaterState()) {
			t.Fatalf("%s, step %d: UpdatesTo has other bits than Updates", name, i)
		}
	}
}

// TestUpdatesToRefuses: a residual of another length is an error, and so is a network on a device.
func TestUpdatesToRefuses(t *testing.T) {
	net := newNet(t, mixed())
	factor := func(int) float32 { return 1 }
	var length *LengthError
	if _, err := net.UpdatesTo(make([]float32, 3), factor, examples(5, 36, 3), Key{}, nil); !errors.As(err, &length) {
		t.Errorf("a residual of 3 elements: %v, want a LengthError", err)
	}
	net.SetExecutor(&listing{})
	_, err := net.UpdatesTo(make([]float32, net.NumParams()), factor, examples(5, 36, 3), Key{}, nil)
	if err == nil || !strings.Contains(err.Error(), "use Residual") {
		t.Errorf("on a device: %v", err)
	}
}
