//go:build numa

package distributed_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/numa"
	"github.com/dl4go/dl4go/internal/numa/numatest"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// surveyor writes down, after each step, where its worker's memory lies.
type surveyor struct{ Dir string }

// survey is a worker's file: pages by node.
type survey struct {
	Several        []numa.Node // of the process
	Params, Update map[int]int
}

func (surveyor) PreUpdate(*nn.Network, *data.MultiDataSet) error { return nil }

func (s surveyor) PostUpdate(net *nn.Network, _ *data.MultiDataSet) error {
	t := new(testing.T)
	b, err := json.Marshal(survey{numa.Here(), numatest.Pages(t, net.Params()), numatest.Pages(t, net.UpdaterState())})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.Dir, fmt.Sprint(os.Getpid())), b, 0o600)
}

var surveyHook = paramavg.RegisterHook("distributed_test.surveyor",
	func(s surveyor) (paramavg.Hook, error) { return s, nil })

// averaged trains a network by parameter averaging, and returns its parameters and updater state.
func averaged(t *testing.T, master string, threads int, dir string) []float32 {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	e, err := engine.Open(t.Context(), master, engine.Options{Threads: threads, TempDir: t.TempDir()})
	must(err)
	defer e.Close()
	const inputs = 512
	net, err := nn.New(nn.Configuration{Updater: updater.NewAdam(), Activation: activation.ReLU{}, Layers: []layer.Layer{
		layer.Dense{NIn: inputs, NOut: 64},
		layer.Output{NIn: 64, NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
	}})
	must(err)
	net.Init(5)
	const n = 32
	x, y := tensor.New(n, inputs), tensor.New(n, 10)
	for i := range x.Data {
		x.Data[i] = float32((i*7+i/inputs*3)%11)/11 - 0.5
	}
	for i := range n {
		y.Data[i*10+i*7%10] = 1
	}
	c := paramavg.Default()
	c.NumWorkers, c.BatchSizePerWorker, c.AveragingFrequency, c.RNGSeed = 2, 8, 1, 11
	c.RDDTrainingApproach = paramavg.Direct
	tm, err := paramavg.New(c, paramavg.Options{Kernels: kernel.AVX2.String()})
	must(err)
	defer tm.Close()
	if dir != "" {
		hook, err := surveyHook.With(surveyor{dir})
		must(err)
		tm.AddHook(hook)
	}
	d, err := distributed.FromDataSets(e, []*data.MultiDataSet{(&data.DataSet{Features: x, Labels: y}).Multi()}, 2)
	must(err)
	must(tm.Fit(t.Context(), net, d, nil))
	return append(slices.Clone(net.Params()), net.UpdaterState()...)
}

// TestNodesBits prints the bits of training in this process and in two worker processes, which are the same. The script
// compares them with those of its own machine.
func TestNodesBits(t *testing.T) {
	want := averaged(t, "local[2]", 1, "")
	if got := averaged(t, "processes[2]", 2, ""); !slices.Equal(got, want) {
		t.Error("processes of two threads give other bits")
	}
	fmt.Printf("bits %x\n", sha256.Sum256(tensor.Bytes(want)))
}

// TestNodesOfWorkers: on a machine with two nodes of two processors, each of two worker processes with two threads
// stays on a node of its own, with its memory. Processes with three threads run on both.
func TestNodesOfWorkers(t *testing.T) {
	for threads, settled := range map[int]bool{2: true, 3: false} {
		dir := t.TempDir()
		averaged(t, "processes[2]", threads, dir)
		files, err := os.ReadDir(dir)
		if err != nil || len(files) != 2 {
			t.Fatalf("%d workers, %v", len(files), err)
		}
		seen := map[int]bool{}
		for _, f := range files {
			var s survey
			b, err := os.ReadFile(filepath.Join(dir, f.Name()))
			if err == nil {
				err = json.Unmarshal(b, &s)
			}
			if err != nil {
				t.Fatal(err)
			}
			if (s.Several == nil) != settled {
				t.Errorf("%d threads: the process is on %v", threads, s.Several)
			}
			for name, pages := range map[string]map[int]int{"parameters": s.Params, "updater state": s.Update} {
				for node := range pages {
					seen[node] = true
				}
				if settled && len(pages) != 1 {
					t.Errorf("%d threads: %s on nodes %v", threads, name, pages)
				}
			}
		}
		if settled && len(seen) != 2 {
			t.Errorf("both workers are on nodes %v", seen)
		}
	}
}
