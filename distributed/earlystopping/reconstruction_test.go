package earlystopping_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

const oracle = "../../testdata/oracle"

// asGraph returns a network as a graph with the same parameters.
func asGraph(t *testing.T, m *nn.MultiLayer) *nn.Graph {
	t.Helper()
	c := m.Config()
	g := nn.GraphConfiguration{Defaults: c, Inputs: []string{"in"}}
	g.Defaults.Layers = nil
	before := "in"
	for i, l := range c.Layers {
		name := fmt.Sprintf("l%d", i)
		g.Vertices = append(g.Vertices, nn.GraphVertex{Name: name, Layer: l, Inputs: []string{before}})
		before = name
	}
	g.Outputs = []string{before}
	net, err := nn.NewGraph(g)
	if err != nil {
		t.Fatal(err)
	}
	net.Init(1)
	if err := net.SetParams(m.Params()); err != nil {
		t.Fatal(err)
	}
	return net
}

// TestReconstructionOracle compares the scores with Deeplearning4j's, for networks of both kinds and any partitions.
// Estimates must agree up to the spread of random draws.
func TestReconstructionOracle(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(oracle, "reconstruction.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]map[string]float64
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	e := on(t, "local[2]")
	for name, scores := range want {
		net, err := nn.Load(t.Context(), filepath.Join(oracle, "nets", name, "model.zip"))
		if err != nil {
			t.Fatal(err)
		}
		for kind, m := range map[string]earlystopping.Network{"layers": distributed.New(e, net, nil, distributed.Options{}),
			"graph": distributed.New(e, asGraph(t, net), nil, distributed.Options{})} {
			s, err := source.Open(t.Context(), "dl4j:"+filepath.Join(oracle, "nets", name, "dataset.bin"))
			if err != nil {
				t.Fatal(err)
			}
			all := map[string]bool{}
			for _, partitions := range []int{1, 3} {
				d, err := distributed.FromSource(e, s, partitions)
				if err != nil {
					t.Fatal(err)
				}
				calculators := map[string]earlystopping.Calculator{}
				for _, metric := range []earlystopping.RegressionMetric{earlystopping.MSE, earlystopping.MAE, earlystopping.RMSE,
					earlystopping.RSE, earlystopping.PC, earlystopping.R2} {
					calculators[string(metric)] = earlystopping.Reconstruction{Data: d, Metric: metric, Batch: 2}
				}
				if scores["samples"] > 0 {
					p := earlystopping.ReconstructionProbability{Data: d, Samples: int(scores["samples"]), Seed: 5}
					total, log, both := p, p, p
					total.Total, log.LogProb, both.Total, both.LogProb = true, true, true, true
					calculators["prob"], calculators["probTotal"], calculators["logProb"],
						calculators["logProbTotal"] = p, total, log, both
				}
				for what, c := range calculators {
					if err := c.(earlystopping.Fitter).Fits(m); err != nil {
						t.Fatal(err)
					}
					got, err := c.Score(t.Context(), m)
					within := 1e-4 // a correlation near 0 comes from small differences
					if p, ok := c.(earlystopping.ReconstructionProbability); ok {
						within = 5 * spread(t, p, m)
					}
					if err != nil || !near.Equal(got, scores[what], within, 0) {
						t.Errorf("%s, %s of %s, %d partitions: %v, not %v, %v", name, kind, what, partitions, got, scores[what], err)
					}
					if minimize := what != "PC" && what != "R2" && !strings.HasPrefix(what, "prob"); c.Minimize() != minimize {
						t.Errorf("%s: lower is better: %t", what, !minimize)
					}
					if strings.Contains(what, "rob") {
						all[fmt.Sprint(what, got)] = true
					}
				}
			}
			if scores["samples"] > 0 && len(all) != 4 {
				t.Errorf("%s, %s: estimates that differ with the partitions: %v", name, kind, all)
			}
		}
	}
}

// spread returns the standard deviation of estimates with different draws.
func spread(t *testing.T, c earlystopping.ReconstructionProbability, m earlystopping.Network) float64 {
	t.Helper()
	n, sum, squares := 6., 0., 0.
	for seed := range int(n) {
		c.Seed = uint64(100 + seed)
		x, err := c.Score(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		sum += x
		squares += x * x
	}
	return math.Sqrt((squares - sum*sum/n) / (n - 1))
}

func variational(t *testing.T, output layer.Reconstruction) *nn.MultiLayer {
	t.Helper()
	net, err := nn.New(nn.Configuration{Seed: 1,
		Updater: updater.Adam{LearningRate: 0.01, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, Activation: activation.TanH{},
		Layers: []layer.Layer{
			layer.Dense{NIn: 64, NOut: 40},
			layer.VariationalAutoencoder{NIn: 40, NOut: 8, Encoder: []int{32}, Decoder: []int{32}, Output: output},
			layer.Output{NIn: 8, NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(1)
	return net
}

// TestPretrainingUntilBest checks that pretraining ends by the reconstruction of held-out data, with the same scores on
// either engine.
func TestPretrainingUntilBest(t *testing.T) {
	s, err := source.Open(t.Context(), "digits:train")
	if err != nil {
		t.Fatal(err)
	}
	var before []earlystopping.Score
	for _, master := range []string{"local[2]", "processes[2]"} {
		e := on(t, master)
		net := variational(t, layer.GaussianReconstruction{})
		p, err := net.Pretraining("1", 1)
		if err != nil {
			t.Fatal(err)
		}
		train := earlystopping.Pretrain(p, func() data.Iterator { return source.Batches(s, 64) })
		r, err := earlystopping.FitBy(t.Context(),
			earlystopping.Config{Epoch: []earlystopping.EpochCondition{earlystopping.MaxEpochs{Epochs: 4}},
				Calculator: earlystopping.ReconstructionProbability{Data: digits(t, e, "test"), Layer: "1",
					Samples: 4, LogProb: true}},
			distributed.New(e, net, nil, distributed.Options{}), train)
		if err != nil {
			t.Fatal(err)
		}
		if r.BestEpoch != 3 || !(r.Scores[3].Score < r.Scores[0].Score-1) {
			t.Errorf("pretraining does not find the data more probable: %v", r.Scores)
		}
		if before != nil && fmt.Sprint(before) != fmt.Sprint(r.Scores) {
			t.Errorf("%v on one engine, %v on the other", before, r.Scores)
		}
		before = r.Scores
		whole := variational(t, layer.GaussianReconstruction{}) // without early stopping
		if _, err := whole.PretrainLayer(1, func() data.Iterator { return source.Batches(s, 64) }, 4, 1); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(whole.Params(), net.Params()) || net.Epoch() != 0 || net.Iteration() != 0 {
			t.Errorf("epoch by epoch, pretraining differs from all epochs at once, or counts: epoch %d, iteration %d",
				net.Epoch(), net.Iteration())
		}
	}
}

// TestPretrainingEndsByItsSteps checks that a condition on steps gets each minibatch's score and can end the epoch
// there. A cancelled context ends it too.
func TestPretrainingEndsByItsSteps(t *testing.T) {
	s, err := source.Open(t.Context(), "digits:train")
	if err != nil {
		t.Fatal(err)
	}
	e := on(t, "local[1]")
	net := variational(t, layer.GaussianReconstruction{})
	p, err := net.Pretraining("1", 1)
	if err != nil {
		t.Fatal(err)
	}
	train, steps := earlystopping.Pretrain(p, func() data.Iterator { return source.Batches(s, 64) }), 0
	conf := earlystopping.Config{Epoch: []earlystopping.EpochCondition{earlystopping.MaxEpochs{Epochs: 4}},
		Iteration:  []earlystopping.IterationCondition{earlystopping.MaxScore{Score: 0}},
		Calculator: earlystopping.Reconstruction{Data: digits(t, e, "test"), Layer: "1", Metric: earlystopping.MSE}}
	r, err := earlystopping.FitBy(t.Context(), conf, distributed.New(e, net, nil, distributed.Options{}),
		func(ctx context.Context, step func(float64)) error {
			return train(ctx, func(score float64) { steps++; step(score) })
		})
	if err != nil || r.Reason != earlystopping.ByIteration || steps != 1 || r.Epochs != 0 {
		t.Errorf("ended after %d steps, %+v, %v", steps, r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = train(ctx, func(float64) { steps++; cancel() })
	if steps != 2 || !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled epoch: %d steps, %v", steps, err)
	}
}

// TestReconstructionMistakes checks that impossible calculators are refused before training.
func TestReconstructionMistakes(t *testing.T) {
	e := on(t, "local[1]")
	d := digits(t, e, "test")
	for want, c := range map[string]earlystopping.Calculator{
		`Metric: "ACCURACY" is none`:          earlystopping.Reconstruction{Data: d, Metric: "ACCURACY", Layer: "1"},
		"Reconstruction.Data: there is none":  earlystopping.Reconstruction{Metric: earlystopping.MSE, Layer: "1"},
		"is not an autoencoder":               earlystopping.Reconstruction{Data: d, Metric: earlystopping.MSE},
		`no layer "vae"`:                      earlystopping.Reconstruction{Data: d, Metric: earlystopping.MSE, Layer: "vae"},
		"Samples: 0":                          earlystopping.ReconstructionProbability{Data: d, Layer: "1"},
		"a loss, which is not a probability":  earlystopping.ReconstructionProbability{Data: d, Layer: "1", Samples: 1},
		"ReconstructionProbability.Data: the": earlystopping.ReconstructionProbability{Layer: "1", Samples: 1},
	} {
		m := distributed.New(e, variational(t, layer.LossReconstruction{Loss: loss.MSE{}}), averaging(t),
			distributed.Options{})
		_, err := earlystopping.Fit(t.Context(),
			earlystopping.Config{Epoch: []earlystopping.EpochCondition{earlystopping.MaxEpochs{Epochs: 1}}, Calculator: c}, m, d)
		var bad *earlystopping.ConfigError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) || m.Net().Iteration() != 0 {
			t.Errorf("%s: %v, after %d iterations", want, err, m.Net().Iteration())
		}
	}
	m := distributed.New(e, variational(t, nil), nil, distributed.Options{})
	none, err := distributed.FromDataSets(e, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (earlystopping.Reconstruction{Data: none, Metric: earlystopping.MSE, Layer: "1"}).Score(t.Context(),
		m); err == nil || !strings.Contains(err.Error(), "is empty") {
		t.Errorf("without examples: %v", err)
	}
}
