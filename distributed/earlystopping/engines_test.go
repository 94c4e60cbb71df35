package earlystopping_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/enginetest"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(common.Run(m))
}

// common has the engines on clusters.
var common enginetest.Common

func digitsNet(t *testing.T) *nn.MultiLayer {
	t.Helper()
	c, err := nn.BuiltIn("mlp", nn.BuiltInData{Input: inputtype.ConvolutionalFlat(8, 8, 1), Classes: 10}, 3)
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

func on(t *testing.T, master string) engine.Engine {
	t.Helper()
	if strings.HasPrefix(master, "sc://") {
		return common.Open(t, master, engine.Options{Threads: 1})
	}
	e, err := engine.Open(t.Context(), master, engine.Options{TempDir: t.TempDir(), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func digits(t *testing.T, e engine.Engine, part string) *distributed.Data {
	t.Helper()
	s, err := source.Open(t.Context(), "digits:"+part)
	if err != nil {
		t.Fatal(err)
	}
	d, err := distributed.FromSource(e, s, 2)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func averaging(t *testing.T) *paramavg.TrainingMaster {
	t.Helper()
	c := paramavg.Default()
	c.BatchSizePerWorker, c.AveragingFrequency = 32, 5
	m, err := paramavg.New(c, paramavg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// TestEngines checks that on both engines training ends like a loop over Fit and Score, with the same network, bit for
// bit.
func TestEngines(t *testing.T) {
	for _, master := range []string{"local[2]", "processes[2]"} {
		t.Run(master, func(t *testing.T) {
			e := on(t, master)
			train, test := digits(t, e, "train"), digits(t, e, "test")
			want := distributed.New(e, digitsNet(t), averaging(t), distributed.Options{})
			var scores []earlystopping.Score
			var best []float32
			lowest, since := 0., 0
			for epoch := 0; epoch == 0 || since < 2; epoch++ { // until the loss was not 0.05 lower for 2 epochs
				if err := want.Fit(t.Context(), train); err != nil {
					t.Fatal(err)
				}
				mean, _, err := want.Score(t.Context(), test, true, true, 0)
				if err != nil {
					t.Fatal(err)
				}
				if scores = append(scores, earlystopping.Score{Epoch: epoch, Score: mean}); epoch == 0 || lowest-mean > 0.05 {
					lowest, since = mean, -1
				}
				if epoch == 0 || mean < slices.MinFunc(scores[:epoch],
					func(a, b earlystopping.Score) int { return sign(a.Score - b.Score) }).Score {
					best = slices.Clone(want.Net().Params())
				}
				since++
			}
			dir := t.TempDir()
			saver, err := earlystopping.NewDirectory(t.Context(), filepath.Join(dir, "models"))
			if err != nil {
				t.Fatal(err)
			}
			rounds := 0
			m := distributed.New(e, digitsNet(t), averaging(t),
				distributed.Options{Listen: func(distributed.Round) { rounds++ }})
			r, err := earlystopping.Fit(t.Context(), earlystopping.Config{
				Epoch: []earlystopping.EpochCondition{earlystopping.MaxEpochs{Epochs: 30},
					earlystopping.ScoreImprovement{Patience: 2, MinImprovement: 0.05}},
				Calculator: earlystopping.Loss{Data: test}, Saver: saver, SaveLast: true}, m, train)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(r.Scores, scores) || r.Reason != earlystopping.ByEpoch ||
				r.Epochs != len(scores) || len(scores) < 4 {
				t.Errorf("%v, of scores %v; the loop has %v", r, r.Scores, scores)
			}
			if !slices.Equal(r.Best.Params(), best) || !slices.Equal(m.Net().Params(), want.Net().Params()) {
				t.Error("the networks are not those of the loop")
			}
			if rounds != 5*r.Epochs { // 1497 examples, 320 per round
				t.Errorf("Options.Listen was told of %d rounds in %d epochs", rounds, r.Epochs)
			}
			latest, err := nn.Load(t.Context(), filepath.Join(dir, "models", "latestModel.bin"))
			if err != nil || !slices.Equal(latest.Params(), m.Net().Params()) ||
				!slices.Equal(latest.UpdaterState(), m.Net().UpdaterState()) {
				t.Errorf("latestModel.bin is not the latest network: %v", err)
			}
		})
	}
}

func sign(x float64) int {
	if x < 0 {
		return -1
	}
	return 1
}

// TestEndsInEpoch checks that a condition on iterations ends an epoch of either master early. The network is then as
// after a complete step.
func TestEndsInEpoch(t *testing.T) {
	c := sharing.Default()
	c.BatchSizePerWorker = 4
	shared, err := sharing.New(c, sharing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shared.Close() })
	for name, master := range map[string]distributed.TrainingMaster{"averaging": averaging(t), "sharing": shared} {
		t.Run(name, func(t *testing.T) {
			e := on(t, "local[2]")
			var last distributed.Round
			m := distributed.New(e, digitsNet(t), master, distributed.Options{Listen: func(r distributed.Round) { last = r }})
			saver := &earlystopping.InMemory{}
			r, err := earlystopping.Fit(t.Context(), earlystopping.Config{
				Iteration:  []earlystopping.IterationCondition{earlystopping.MaxScore{Score: 0}},
				Calculator: earlystopping.Classification{Data: digits(t, e, "test"), Metric: earlystopping.Accuracy},
				Saver:      saver, SaveLast: true},
				m, digits(t, e, "train"))
			if err != nil {
				t.Fatal(err)
			}
			if r.Reason != earlystopping.ByIteration || r.Epochs != 0 || r.Best != nil || m.Net().Iteration() == 0 ||
				m.Net().CheckParams() != nil {
				t.Errorf("%v; iteration %d, last round %+v", r, m.Net().Iteration(), last)
			}
			if name == "averaging" && m.Net().Iteration() != 5 {
				t.Errorf("iteration %d, not that of one round", m.Net().Iteration())
			}
			latest, err := saver.Latest()
			if err != nil || !slices.Equal(latest.Params(), m.Net().Params()) ||
				slices.Equal(latest.Params(), digitsNet(t).Params()) {
				t.Errorf("the latest network is not the trained one: %v", err)
			}
		})
	}
}

func tinyGraph(t *testing.T) *nn.Graph {
	t.Helper()
	graph, err := nn.NewGraph(nn.GraphConfiguration{Defaults: nn.Configuration{Seed: 1,
		Updater: updater.Sgd{LearningRate: 0.1}}, Inputs: []string{"in"},
		Vertices: []nn.GraphVertex{{Name: "out", Inputs: []string{"in"},
			Layer: layer.Output{NIn: 64, NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}},
		Outputs: []string{"out"}})
	if err != nil {
		t.Fatal(err)
	}
	graph.Init(1)
	return graph
}

// TestGraph checks that graphs are trained and returned as graphs.
func TestGraph(t *testing.T) {
	e := on(t, "local[2]")
	m := distributed.New(e, tinyGraph(t), averaging(t), distributed.Options{})
	r, err := earlystopping.Fit(t.Context(),
		earlystopping.Config{Epoch: []earlystopping.EpochCondition{earlystopping.BestScore{Score: 0.8}},
			Calculator: earlystopping.Classification{Data: digits(t, e, "test"), Metric: earlystopping.Accuracy}}, m,
		digits(t, e, "train"))
	if err != nil {
		t.Fatal(err)
	}
	evaluation, err := distributed.New(e, r.Best, nil, distributed.Options{}).Evaluate(t.Context(),
		digits(t, e, "test"), nil, 1)
	if err != nil || r.BestScore <= 0.8 || evaluation.Accuracy() != r.BestScore {
		t.Errorf("%v; the best graph's accuracy is %v, %v", r, evaluation.Accuracy(), err)
	}
}

// TestDirectory checks that files of both kinds of networks have Deeplearning4j's names, and that old files are not
// taken for new ones.
func TestDirectory(t *testing.T) {
	for kind, net := range map[string]*nn.Network{"Model": digitsNet(t).Base(), "Graph": tinyGraph(t).Base()} {
		dir := t.TempDir()
		for range 2 { // the second time, the first saver's files exist
			s, err := earlystopping.NewDirectory(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			if best, err := s.Best(); best != nil || err != nil {
				t.Errorf("%s: a best network before one was saved: %v", kind, err)
			}
			net.Params()[0] = 1
			if err := s.SaveBest(net, 1); err != nil {
				t.Fatal(err)
			}
			net.Params()[0] = 2
			if err := s.SaveLatest(net, 2); err != nil {
				t.Fatal(err)
			}
			best, err := s.Best()
			if err != nil || best.Params()[0] != 1 {
				t.Errorf("%s: the best network: %v", kind, err)
			}
			latest, err := s.Latest()
			if err != nil || latest.Params()[0] != 2 {
				t.Errorf("%s: the latest network: %v", kind, err)
			}
		}
		again, err := earlystopping.OpenDirectory(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if best, err := again.Best(); err != nil || best.Params()[0] != 1 {
			t.Errorf("%s: opened again, the best network: %v", kind, err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || !slices.Equal(files, []string{filepath.Join(dir, "best"+kind+".bin"),
			filepath.Join(dir, "latest"+kind+".bin")}) {
			t.Errorf("%v, %v", files, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := earlystopping.NewDirectory(t.Context(), file); err == nil {
		t.Error("a file is a directory")
	}
}
