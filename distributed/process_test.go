package distributed_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	_ "github.com/dl4go/dl4go/engine/process"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/dropout"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// fatal kills the worker's process before some iterations, each once.
type fatal struct{ conf fatalConfig }

type fatalConfig struct {
	Dir   string // of marks
	Every int
}

func (f fatal) PreUpdate(net nn.Network, _ *data.MultiDataSet) error {
	if net.Iteration()%f.conf.Every != 0 {
		return nil
	}
	mark, err := os.OpenFile(filepath.Join(f.conf.Dir, fmt.Sprint(net.Iteration())), os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	mark.Close()
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	return err
}

func (fatal) PostUpdate(nn.Network, *data.MultiDataSet) error { return nil }

var fatalHook = paramavg.RegisterHook("distributed_test.fatal", func(c fatalConfig) (paramavg.Hook, error) { return fatal{c}, nil })

// TestProcesses holds training on processes, whose workers are killed between minibatches, to training on goroutines, bit
// for bit; and evaluation, scores and predictions.
func TestProcesses(t *testing.T) {
	ctx := context.Background()
	train, test := digits(t, "train"), digits(t, "test")
	run := func(master string, approach paramavg.Approach, kills string) (params []float32, scores []float64, outputs []float32, stats string) {
		net, err := nn.New(nn.Configuration{Updater: updater.NewAdam(), Activation: activation.TanH{}, Layers: []layer.Layer{
			layer.Dense{NIn: 64, NOut: 20},
			layer.Output{Base: layer.Base{Dropout: dropout.New(0.8)}, NIn: 20, NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
		}})
		if err != nil {
			t.Fatal(err)
		}
		net.Init(5)
		c := paramavg.Default()
		c.BatchSizePerWorker, c.AveragingFrequency, c.RNGSeed, c.RDDTrainingApproach = 16, 4, 11, approach
		tm, err := paramavg.New(c, paramavg.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer tm.Close()
		if kills != "" {
			hook, err := fatalHook.With(fatalConfig{kills, 4})
			if err != nil {
				t.Fatal(err)
			}
			tm.AddHook(hook)
		}
		e, err := engine.Open(ctx, master, engine.Options{TempDir: t.TempDir(), Threads: 1, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		d, err := distributed.FromDataSets(e, []*data.MultiDataSet{train.Range(0, 700)}, 3)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := tm.Fit(ctx, net, d, nil); err != nil {
				t.Fatal(err)
			}
		}
		m := distributed.New(e, net, nil, distributed.Options{})
		if d, err = distributed.FromSource(e, test, 3); err != nil {
			t.Fatal(err)
		}
		evaluation, err := m.Evaluate(ctx, d, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		err = m.ScoreExamples(ctx, d, true, 0, func(s float64) error {
			scores = append(scores, s)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = m.Predict(ctx, d, 0, func(out []*tensor.Dense) error {
			outputs = append(outputs, out[0].Data...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return append(slices.Clone(net.Params()), net.UpdaterState()...), scores, outputs, evaluation.Stats()
	}
	for _, approach := range []paramavg.Approach{paramavg.Direct, paramavg.Export} {
		params, scores, outputs, stats := run("local[2]", approach, "")
		for _, kills := range []string{"", t.TempDir()} {
			p, s, o, st := run("processes[2]", approach, kills)
			if !slices.Equal(p, params) || !slices.Equal(s, scores) || !slices.Equal(o, outputs) || st != stats {
				t.Errorf("%s, kills %v: equal to local[2]: parameters and updater state %v, scores %v, outputs %v, evaluation %v", approach,
					kills != "", slices.Equal(p, params), slices.Equal(s, scores), slices.Equal(o, outputs), st == stats)
			}
			if kills != "" {
				if killed, err := os.ReadDir(kills); err != nil || len(killed) < 10 {
					t.Errorf("%s: %d kills, wanted 10; error %v", approach, len(killed), err)
				}
			}
		}
	}
}
