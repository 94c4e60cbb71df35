package distributed_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/tensor"
)

func onEngine(t *testing.T, master string) engine.Engine {
	t.Helper()
	e, err := engine.Open(context.Background(), master, engine.Options{TempDir: t.TempDir(), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func digits(t *testing.T, part string) source.Table {
	t.Helper()
	s, err := source.Open(t.Context(), "digits:"+part)
	if err != nil {
		t.Fatal(err)
	}
	return s.(source.Table)
}

func digitsNet(t *testing.T, name string) *nn.MultiLayer {
	t.Helper()
	c, err := nn.BuiltIn(name, nn.BuiltInData{Input: inputtype.ConvolutionalFlat(8, 8, 1), Classes: 10}, 3)
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

// TestWorkersAgreeWithOneProcess checks that evaluation, scores and predictions on any number of workers and partitions
// are those of the network alone.
func TestWorkersAgreeWithOneProcess(t *testing.T) {
	ctx := context.Background()
	test := digits(t, "test")
	net := digitsNet(t, "lenet")
	all := test.Range(0, test.Info().Examples)
	want := eval.NewEvaluation(0)
	wantOut, err := net.Output(all, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := want.Eval(all.Labels[0], wantOut[0], nil); err != nil {
		t.Fatal(err)
	}
	wantScores, err := net.ScoreExamples(all, true)
	if err != nil {
		t.Fatal(err)
	}
	wantScore, err := net.Score(all, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ workers, partitions, batch int }{{1, 1, 300}, {2, 3, 64}, {3, 7, 1}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			e := onEngine(t, fmt.Sprintf("local[%d]", c.workers))
			d, err := distributed.FromSource(e, test, c.partitions)
			if err != nil {
				t.Fatal(err)
			}
			m := distributed.New(e, net, nil, distributed.Options{Batch: c.batch})
			got, err := m.Evaluate(ctx, d, nil, 1)
			if err != nil {
				t.Fatal(err)
			}
			if got.Stats() != want.Stats() {
				t.Errorf("evaluated\n%s\nwant\n%s", got.Stats(), want.Stats())
			}
			var outputs []float32
			predictions, err := m.Predict(ctx, d, distributed.PredictOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer predictions.Release()
			if err := predictions.Each(ctx, func(_ string, out []*tensor.Dense) error {
				outputs = append(outputs, out[0].Data...)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(outputs, wantOut[0].Data) {
				t.Error("predictions differ from the network's own, bit for bit")
			}
			var scores []float64
			losses, err := m.ScoreExamples(ctx, d, true, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer losses.Release()
			if err := losses.Each(ctx, func(_ string, s float64) error {
				scores = append(scores, s)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(scores, wantScores) {
				t.Error("the examples' scores differ from the network's own")
			}
			score, n, err := m.Score(ctx, d, true, true, 0)
			if err != nil || n != test.Info().Examples || !near.Equal(score, wantScore, 0, 1e-9) {
				t.Errorf("score %v of %d (%v), want %v", score, n, err, wantScore)
			}
		})
	}
}

func TestFitLearnsDigits(t *testing.T) {
	ctx := context.Background()
	e := onEngine(t, "local[2]")
	train, err := distributed.FromSource(e, digits(t, "train"), 0)
	if err != nil {
		t.Fatal(err)
	}
	test, err := distributed.FromSource(e, digits(t, "test"), 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := paramavg.Default()
	conf.ExportDirectory = t.TempDir()
	master, err := paramavg.New(conf, paramavg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	rounds, trained := 0, 0
	m := distributed.New(e, digitsNet(t, "mlp"), master, distributed.Options{Listen: func(r distributed.Round) {
		rounds++
		trained += r.Examples
	}})
	for range 3 {
		if err := m.Fit(ctx, train); err != nil {
			t.Fatal(err)
		}
	}
	n, _ := train.Count(ctx)
	if trained != 3*n || rounds != 3*((n+159)/160) {
		t.Errorf("trained %d examples in %d rounds", trained, rounds)
	}
	got, err := m.Evaluate(ctx, test, nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got.Accuracy() < 0.9 || got.TopNAccuracy() < got.Accuracy() {
		t.Errorf("accuracy %v, among the top 3 %v", got.Accuracy(), got.TopNAccuracy())
	}
}

// TestFitFromDirectoryAndPaths trains the same examples from memory and from files, with the same result.
func TestFitFromDirectoryAndPaths(t *testing.T) {
	ctx := context.Background()
	e := onEngine(t, "local[2]")
	train := digits(t, "train")
	dir := t.TempDir()
	var paths []string
	var sets []*data.MultiDataSet
	for i := range 8 {
		m := train.Range(i*20, i*20+20)
		sets = append(sets, m)
		paths = append(paths, fmt.Sprintf("%s/part%d.bin", dir, i))
		if err := m.SaveFile(t.Context(), paths[i]); err != nil {
			t.Fatal(err)
		}
	}
	inMemory, err := distributed.FromDataSets(e, sets, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []float32
	for name, fit := range map[string]func(*distributed.MultiLayer) error{
		"memory":    func(m *distributed.MultiLayer) error { return m.Fit(ctx, inMemory) },
		"directory": func(m *distributed.MultiLayer) error { return m.FitDirectory(ctx, dir, 3) },
		"paths":     func(m *distributed.MultiLayer) error { return m.FitPaths(ctx, paths, distributed.SavedDataSets) },
	} {
		conf := paramavg.Default()
		conf.RDDTrainingApproach = paramavg.Direct
		master, err := paramavg.New(conf, paramavg.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := distributed.New(e, digitsNet(t, "softmax"), master, distributed.Options{})
		if err := fit(m); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		master.Close()
		if want == nil {
			want = m.Net().Params()
		} else if !slices.Equal(m.Net().Params(), want) {
			t.Errorf("%s: other parameters", name)
		}
	}
}

func TestWhatCannotBeTrained(t *testing.T) {
	ctx := context.Background()
	e := onEngine(t, "local[2]")
	conf := paramavg.Default()
	conf.RDDTrainingApproach, conf.NumWorkers = paramavg.Direct, 2
	master, err := paramavg.New(conf, paramavg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	m := distributed.New(e, digitsNet(t, "mlp"), master, distributed.Options{})
	of := func(x *tensor.Dense) *distributed.Data {
		d, err := distributed.FromDataSets(e,
			[]*data.MultiDataSet{{Features: []*tensor.Dense{x}, Labels: []*tensor.Dense{tensor.New(x.Shape[0], 10)}}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	nan := tensor.New(4, 64)
	nan.Data[70] = float32(math.NaN())
	for want, d := range map[string]*distributed.Data{
		"layer 0 (layer0)": of(tensor.New(4, 63)),
		"NaN":              of(nan),
		"empty":            of(tensor.New(0, 64)),
		"2 workers were":   of(tensor.New(1, 64)),
	} {
		if err := m.Fit(ctx, d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("wanted an error with %q, got %v", want, err)
		}
	}
	if err := distributed.New(e, m.Net(), nil, distributed.Options{}).Fit(ctx, of(tensor.New(4, 64))); err == nil {
		t.Error("trained without a training master")
	}
}
