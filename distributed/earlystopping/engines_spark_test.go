//go:build spark

package earlystopping_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/engine"
	_ "github.com/dl4go/dl4go/internal/spark"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
)

func spark(t *testing.T) string {
	t.Helper()
	master := os.Getenv("DL4GO_SPARK")
	if master == "" {
		t.Fatal("DL4GO_SPARK names no Spark Connect server: run make test-spark, or tools/spark.sh with go test -tags " +
			"spark …")
	}
	return master
}

// TestSparkAveraging checks that with parameter averaging, a run on Spark is the same to the bit as on local[2]: its
// scores, its files, and the best network, which the saver returns.
func TestSparkAveraging(t *testing.T) {
	type outcome struct {
		scores        []earlystopping.Score
		best, latest  []float32
		epochs, bestE int
	}
	var all []outcome
	for _, master := range []string{"local[2]", spark(t)} {
		e := on(t, master)
		dir := t.TempDir()
		saver, err := earlystopping.NewDirectory(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		m := distributed.New(e, digitsNet(t), averaging(t), distributed.Options{})
		r, err := earlystopping.Fit(t.Context(), earlystopping.Config{
			Epoch: []earlystopping.EpochCondition{earlystopping.MaxEpochs{Epochs: 4},
				earlystopping.ScoreImprovement{Patience: 1, MinImprovement: 0.02}},
			Calculator: earlystopping.Classification{Data: digits(t, e, "test"), Metric: earlystopping.F1}, Saver: saver,
			SaveLast: true}, m, digits(t, e, "train"))
		if err != nil {
			t.Fatal(err)
		}
		best, err := nn.Load(t.Context(), filepath.Join(dir, "bestModel.bin"))
		if err != nil {
			t.Fatal(err)
		}
		latest, err := nn.Load(t.Context(), filepath.Join(dir, "latestModel.bin"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(best.Params(), r.Best.Params()) || !slices.Equal(latest.Params(), m.Net().Params()) {
			t.Errorf("%s: the files are not the result's networks", master)
		}
		again, err := distributed.New(e, best, nil, distributed.Options{}).Evaluate(t.Context(), digits(t, e, "test"), nil, 1)
		if err != nil || again.F1() != r.BestScore {
			t.Errorf("%s: the best network scores %v, not %v, %v", master, again.F1(), r.BestScore, err)
		}
		all = append(all, outcome{r.Scores, best.Params(), latest.Params(), r.Epochs, r.BestEpoch})
	}
	here, there := all[0], all[1]
	if !slices.Equal(here.scores, there.scores) || !slices.Equal(here.best, there.best) ||
		!slices.Equal(here.latest, there.latest) ||
		here.epochs != there.epochs || here.bestE != there.bestE || here.epochs < 2 {
		t.Errorf("here %v, best %d of %d; there %v, best %d of %d", here.scores, here.bestE, here.epochs, there.scores,
			there.bestE, there.epochs)
	}
}

// TestSparkCalculators checks that every calculator gives the same score on Spark and here.
func TestSparkCalculators(t *testing.T) {
	scores := map[string][]float64{}
	for _, master := range []string{"local[2]", spark(t)} {
		e := on(t, master)
		test := digits(t, e, "test")
		net := distributed.New(e, variational(t, layer.GaussianReconstruction{}), nil, distributed.Options{})
		for name, c := range map[string]earlystopping.Calculator{
			"Loss":           earlystopping.Loss{Data: test},
			"Classification": earlystopping.Classification{Data: test, Metric: earlystopping.Accuracy},
			"Regression":     earlystopping.Regression{Data: test, Metric: earlystopping.RMSE},
			"ROC": earlystopping.ROC{Data: test, Type: earlystopping.ROCMultiClass,
				Metric: earlystopping.AUPRC},
			"Reconstruction": earlystopping.Reconstruction{Data: test, Metric: earlystopping.MAE, Layer: "1"},
			"ReconstructionProbability": earlystopping.ReconstructionProbability{Data: test, Samples: 3,
				LogProb: true, Layer: "1"},
		} {
			s, err := c.Score(t.Context(), net)
			if err != nil {
				t.Fatalf("%s on %s: %v", name, master, err)
			}
			scores[name] = append(scores[name], s)
		}
	}
	for name, s := range scores {
		if s[0] != s[1] {
			t.Errorf("%s: %v here, %v there", name, s[0], s[1])
		}
	}
}

// TestSparkConditions checks that on Spark a condition on iterations ends an epoch under either master. With gradient
// sharing, the best network is the one with the best score, and the scores are those of local[2].
func TestSparkConditions(t *testing.T) {
	e := on(t, spark(t))
	train, test := digits(t, e, "train"), digits(t, e, "test")
	gradients := func() distributed.TrainingMaster {
		c := sharing.Default()
		c.BatchSizePerWorker = 16
		// Two workers that begin together, and are waited for, come to the same result each time.
		o := sharing.Options{MinWorkers: 2, Timing: distributed.DefaultTiming()}
		for _, d := range []*time.Duration{&o.Timing.Quiet, &o.Timing.Silence, &o.Timing.State, &o.Timing.Join,
			&o.Timing.Orphan} {
			*d = time.Hour
		}
		m, err := sharing.New(c, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		})
		return m
	}
	for name, master := range map[string]distributed.TrainingMaster{"averaging": averaging(t), "sharing": gradients()} {
		m := distributed.New(e, digitsNet(t), master, distributed.Options{})
		r, err := earlystopping.Fit(t.Context(),
			earlystopping.Config{Iteration: []earlystopping.IterationCondition{earlystopping.MaxScore{Score: 0}},
				Calculator: earlystopping.Loss{Data: test}}, m, train)
		if err != nil || r.Reason != earlystopping.ByIteration || r.Epochs != 0 || m.Net().Iteration() == 0 {
			t.Errorf("%s: %v, at iteration %d, %v", name, r, m.Net().Iteration(), err)
		}
	}
	var all [][]earlystopping.Score
	for _, e := range []engine.Engine{on(t, "local[2]"), e} {
		train, test := digits(t, e, "train"), digits(t, e, "test")
		m := distributed.New(e, digitsNet(t), gradients(), distributed.Options{})
		r, err := earlystopping.Fit(t.Context(),
			earlystopping.Config{Epoch: []earlystopping.EpochCondition{earlystopping.MaxEpochs{Epochs: 2}},
				Calculator: earlystopping.Classification{Data: test, Metric: earlystopping.Accuracy}}, m, train)
		if err != nil {
			t.Fatal(err)
		}
		again, err := distributed.New(e, r.Best, nil, distributed.Options{}).Evaluate(t.Context(), test, nil, 1)
		if err != nil || again.Accuracy() != r.BestScore || len(r.Scores) != 2 {
			t.Errorf("%s: %v; the best network's accuracy is %v, %v", e.Master(), r, again.Accuracy(), err)
		}
		all = append(all, r.Scores)
	}
	if !slices.Equal(all[0], all[1]) {
		t.Errorf("the scores are %v on Spark, and %v on local[2]", all[1], all[0])
	}
}
