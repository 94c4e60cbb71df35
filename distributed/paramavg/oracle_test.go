package paramavg

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
)

// recorded is a run of the real Deeplearning4j on Spark. It has the examples of each worker in each round.
type recorded struct {
	Config struct {
		BatchSizePerWorker, AveragingFrequency, Epochs, InitialPartitions int
		SaveUpdater                                                       bool
	}
	Minibatches    []string  `json:"worker_minibatches(in order of execution; ids = global example index; stage distinguishes averaging rounds)"`
	Scores         []float64 `json:"scores_after_each_fit"`
	IterationAfter int       `json:"iteration_count_after"`
	EpochAfter     int       `json:"epoch_count_after"`
}

// replay is a Splitter that returns the recorded rounds, fit by fit.
type replay struct{ fits []Rounds }

func (r *replay) Split(Layout) (Rounds, error) {
	next := r.fits[0]
	r.fits = r.fits[1:]
	return next, nil
}

func (r *recorded) fits(t *testing.T) []Rounds {
	var fits []Rounds
	stage := ""
	for _, line := range r.Minibatches {
		if strings.HasPrefix(line, "---") {
			fits = append(fits, nil)
			continue
		}
		var s string
		var worker int
		if _, err := fmt.Sscanf(line, "stage=%s partition=%d ids=", &s, &worker); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		f := &fits[len(fits)-1]
		if s != stage {
			*f = append(*f, make([][]int64, r.Config.InitialPartitions))
			stage = s
		}
		_, ids, _ := strings.Cut(line, "ids=")
		for _, id := range strings.Fields(ids) {
			var k int64
			fmt.Sscan(id, &k)
			(*f)[len(*f)-1][worker] = append((*f)[len(*f)-1][worker], k)
		}
	}
	return fits
}

func floats(t *testing.T, path string) []float32 {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float32, len(b)/4)
	tensor.FromBytes(x, b)
	return x
}

func open(t *testing.T, master string) engine.Engine {
	t.Helper()
	if strings.HasPrefix(master, "sc://") {
		return common.Open(t, master, engine.Options{})
	}
	e, err := engine.Open(context.Background(), master, engine.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// TestRealRunsOfDeeplearning4j repeats the training of the real cluster, with the same examples on the same workers in
// the same rounds.
func TestRealRunsOfDeeplearning4j(t *testing.T) {
	dirs, err := filepath.Glob("testdata/oracle/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
			if err != nil {
				t.Fatal(err)
			}
			var r recorded
			if err := json.Unmarshal(text, &r); err != nil {
				t.Fatal(err)
			}
			net, err := nn.Load(t.Context(), filepath.Join(dir, "model.zip"))
			if err != nil {
				t.Fatal(err)
			}
			e := open(t, "local[2]")
			files, _ := filepath.Glob(filepath.Join(dir, "rdd_object_*.bin"))
			d := distributed.FromFiles(e, files, r.Config.InitialPartitions)
			conf := Default()
			conf.BatchSizePerWorker, conf.AveragingFrequency = r.Config.BatchSizePerWorker, r.Config.AveragingFrequency
			conf.SaveUpdater, conf.RDDTrainingApproach = r.Config.SaveUpdater, Direct
			master, err := New(conf, Options{Splitter: &replay{r.fits(t)}})
			if err != nil {
				t.Fatal(err)
			}
			defer master.Close()
			for epoch := range r.Config.Epochs {
				if err := master.Fit(context.Background(), net, d, nil); err != nil {
					t.Fatal(err)
				}
				compare(t, fmt.Sprintf("parameters after epoch %d", epoch+1), net.Params(),
					floats(t, filepath.Join(dir, fmt.Sprintf("params_after_epoch_%d.f32", epoch+1))))
				if want := r.Scores[epoch]; !near.Equal(net.LastScore(), want, 0, 1e-4) {
					t.Errorf("score after epoch %d is %v, want %v", epoch+1, net.LastScore(), want)
				}
			}
			compare(t, "updater state", net.UpdaterState(), floats(t, filepath.Join(dir, "updater_state_after.f32")))
			if net.Iteration() != r.IterationAfter || net.Epoch() != r.EpochAfter {
				t.Errorf("iteration %d and epoch %d, want %d and %d", net.Iteration(), net.Epoch(), r.IterationAfter, r.EpochAfter)
			}
		})
	}
}

func compare(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if err := near.All(got, want, 1e-5, 1e-3); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// examples returns n examples of a task that a small network can learn.
func examples(t *testing.T, n int) *data.MultiDataSet {
	t.Helper()
	x, y := tensor.New(n, 6), tensor.New(n, 3)
	for i := range n {
		for k := range 6 {
			x.Data[i*6+k] = float32((i*7+k*k*3)%11)/11 - 0.5
		}
		y.Data[i*3+(i*7)%11%3] = 1
	}
	return (&data.DataSet{Features: x, Labels: y}).Multi()
}
