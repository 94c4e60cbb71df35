package earlystopping

import (
	"context"
	"errors"
	"fmt"
	"io"
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
)

// fixed returns scores one after another.
type fixed struct {
	scores   []float64
	next     *int
	maximize bool
}

func script(maximize bool, scores ...float64) fixed { return fixed{scores, new(int), maximize} }

func (fixed) Validate() error  { return nil }
func (f fixed) Minimize() bool { return !f.maximize }
func (f fixed) Score(context.Context, Network) (float64, error) {
	if *f.next == len(f.scores) {
		return 0, errors.New("no score is left")
	}
	*f.next++
	return f.scores[*f.next-1], nil
}

func tiny(t *testing.T) *nn.MultiLayer {
	t.Helper()
	net, err := nn.New(nn.Configuration{Seed: 1, Updater: updater.Sgd{LearningRate: 0.1}, Layers: []layer.Layer{
		layer.Output{NIn: 2, NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(1)
	return net
}

// counting trains epochs of 10 steps. A step's score is the number of steps since training began. The network's first
// parameter counts its steps.
func counting(of nn.AnyNetwork) Train {
	net := of.Base()
	return func(ctx context.Context, step func(float64)) error {
		for range 10 {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			net.Params()[0]++
			step(float64(net.Params()[0]))
		}
		net.SetEpoch(net.Epoch() + 1)
		return nil
	}
}

// TestFitBy checks the results of trainings whose epochs have these scores.
func TestFitBy(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		Config
		reason          Reason
		details         string
		scored          []int
		best, epochs    int     // the best epoch; the number of epochs
		saved, atTheEnd float32 // steps of the best network; steps of the final network
	}{
		"epochs": {Config{Calculator: script(false, 5, 3, 4), Epoch: []EpochCondition{MaxEpochs{3}}}, ByEpoch,
			"MaxEpochs(3)", []int{0, 1, 2}, 1, 3, 20, 30},
		"highest": {Config{Calculator: script(true, 5, 3, 4), Epoch: []EpochCondition{MaxEpochs{3}}}, ByEpoch,
			"MaxEpochs(3)", []int{0, 1, 2}, 0, 3, 10, 30},
		"patience": {Config{Calculator: script(false, 5, 4, 4, 5),
			Epoch: []EpochCondition{MaxEpochs{9}, ScoreImprovement{2, 0}}},
			ByEpoch, "ScoreImprovement(patience 2, minImprovement 0)", []int{0, 1, 2, 3}, 1, 4, 20, 40},
		"few scores": {Config{Calculator: script(false, 5, 4, 3), Epoch: []EpochCondition{MaxEpochs{6}}, Every: 3},
			ByEpoch, "MaxEpochs(6)",
			[]int{0, 3, 5}, 5, 6, 60, 60},
		"no number first": {Config{Calculator: script(false, nan, inf, 7, nan), Epoch: []EpochCondition{MaxEpochs{4}}},
			ByEpoch, "MaxEpochs(4)",
			[]int{0, 1, 2, 3}, 2, 4, 30, 40},
		"in an epoch": {Config{Calculator: script(false, 5, 4), Epoch: []EpochCondition{MaxEpochs{9}},
			Iteration: []IterationCondition{InvalidScore{}, MaxScore{24}}},
			ByIteration, "MaxScore(24)", []int{0, 1}, 1, 2, 20, 25},
		"in the first": {Config{Calculator: script(false), Iteration: []IterationCondition{MaxScore{4}}}, ByIteration,
			"MaxScore(4)", nil, -1, 0, 0, 5},
	} {
		t.Run(name, func(t *testing.T) {
			net := tiny(t)
			net.Params()[0] = 0
			s := &InMemory{}
			c.Saver, c.SaveLast = s, true
			var told []string
			c.Listen = func(e Epoch) { told = append(told, fmt.Sprint(e.Number, e.Scored)) }
			r, err := FitBy(t.Context(), c.Config, distributed.New(nil, net, nil, distributed.Options{}), counting(net))
			if err != nil {
				t.Fatal(err)
			}
			var scored []int
			for i, x := range r.Scores {
				scored = append(scored, x.Epoch)
				if want := c.Calculator.(fixed).scores[i]; x.Score != want && !math.IsNaN(want) {
					t.Errorf("epoch %d has the score %v, not %v", x.Epoch, x.Score, want)
				}
			}
			if r.Reason != c.reason || r.Details != c.details || !slices.Equal(scored, c.scored) || r.BestEpoch != c.best ||
				r.Epochs != c.epochs {
				t.Errorf("%+v", r)
			}
			if len(told) != c.epochs || c.epochs > 1 && told[1] != fmt.Sprint(1, c.Every < 2) {
				t.Errorf("told of %q", told)
			}
			if net.Params()[0] != c.atTheEnd {
				t.Errorf("the network has %v steps, not %v", net.Params()[0], c.atTheEnd)
			}
			if latest, _ := s.Latest(); latest.Params()[0] != c.atTheEnd {
				t.Errorf("the latest network has %v steps, not %v", latest.Params()[0], c.atTheEnd)
			}
			if c.best < 0 {
				if r.Best != nil || !math.IsNaN(r.BestScore) {
					t.Errorf("a best network of score %v, and no epoch was scored", r.BestScore)
				}
				return
			}
			if want := r.Scores[slices.Index(scored, c.best)].Score; r.BestScore != want || r.Best.Params()[0] != c.saved {
				t.Errorf("the best network has %v steps and the score %v, not %v and %v", r.Best.Params()[0],
					r.BestScore, c.saved, want)
			}
		})
	}
}

// TestBefore checks that a training that was interrupted after any epoch and continued has the same result.
func TestBefore(t *testing.T) {
	scores := []float64{5, 4, 4.5, 3, 3.5, 3, 3.1, 9}
	config := func(from int, before Progress, s Saver) Config {
		return Config{Calculator: script(false, scores[from:]...), Epoch: []EpochCondition{ScoreImprovement{3, 0.5}},
			Saver: s, Before: before}
	}
	whole, net := &InMemory{}, tiny(t)
	net.Params()[0] = 0
	want, err := FitBy(t.Context(), config(0, Progress{}, whole),
		distributed.New(nil, net, nil, distributed.Options{}), counting(net))
	if err != nil || want.Epochs != 7 || want.BestEpoch != 3 {
		t.Fatalf("%v, %v", want, err)
	}
	for broken := 1; broken <= want.Epochs; broken++ {
		s, net := &InMemory{}, tiny(t)
		net.Params()[0] = 0
		m := distributed.New(nil, net, nil, distributed.Options{})
		first := config(0, Progress{}, s)
		first.Epoch = []EpochCondition{MaxEpochs{broken}}
		part, err := FitBy(t.Context(), first, m, counting(net))
		if err != nil {
			t.Fatal(err)
		}
		got, err := FitBy(t.Context(), config(broken, Progress{part.Epochs, part.Scores}, s), m, counting(net))
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() || !slices.Equal(got.Scores, want.Scores) || got.Best.Params()[0] != 40 ||
			net.Params()[0] != 70 {
			t.Errorf("broken off after %d epochs: %v, with a best network of %v steps", broken, got, got.Best.Params()[0])
		}
	}
}

// TestBeforeWithoutBest checks that the best network of the earlier training must be there.
func TestBeforeWithoutBest(t *testing.T) {
	net := tiny(t)
	r, err := FitBy(t.Context(), Config{Calculator: script(false, 1), Epoch: []EpochCondition{MaxEpochs{2}},
		Saver: &InMemory{}, Before: Progress{1, []Score{{0, 2}}}},
		distributed.New(nil, net, nil, distributed.Options{}), counting(net))
	if r != nil || err == nil || !strings.Contains(err.Error(), "the best network could not be read back") {
		t.Errorf("%v, %v", r, err)
	}
}

// TestWithoutLast checks that only the best network is saved unless the last one is asked for.
func TestWithoutLast(t *testing.T) {
	net, s := tiny(t), &InMemory{}
	_, err := FitBy(t.Context(), Config{Calculator: script(false, 1), Epoch: []EpochCondition{MaxEpochs{1}}, Saver: s},
		distributed.New(nil, net, nil, distributed.Options{}), counting(net))
	if latest, _ := s.Latest(); err != nil || latest != nil {
		t.Errorf("%v, and a latest network: %v", err, latest)
	}
}

// TestFailures checks that a failure, or the context's end, returns both the error and the result so far.
func TestFailures(t *testing.T) {
	broken := errors.New("broken")
	diverged := &nn.DivergedError{Iteration: 15, Score: 1, What: "a weight is NaN"}
	for name, c := range map[string]struct {
		at      error // the error of the 15th step
		scores  []float64
		ends    []IterationCondition
		reason  Reason
		message string
		latest  bool
	}{
		"training":  {broken, []float64{1, 1}, []IterationCondition{InvalidScore{}}, ByError, "broken", false},
		"the score": {nil, []float64{1}, nil, ByError, "the score of epoch 1: no score is left", false},
		"diverged": {diverged, []float64{1, 1}, []IterationCondition{MaxTime{1e12}}, ByError,
			"diverged at iteration 15", false},
		"diverged, expected": {diverged, []float64{1, 1}, []IterationCondition{InvalidScore{}}, ByIteration, "", true},
		"cancelled": {context.Canceled, []float64{1, 1}, []IterationCondition{InvalidScore{}}, ByError,
			"context canceled", true},
	} {
		t.Run(name, func(t *testing.T) {
			net, s := tiny(t), &InMemory{}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			n := 0
			r, err := FitBy(ctx, Config{Calculator: script(false, c.scores...), Epoch: []EpochCondition{MaxEpochs{3}},
				Iteration: c.ends, Saver: s, SaveLast: true},
				distributed.New(nil, net, nil, distributed.Options{}), func(ctx context.Context, step func(float64)) error {
					for range 10 {
						if n++; n == 15 && c.at == context.Canceled {
							cancel()
						} else if n == 15 && c.at != nil {
							return c.at
						}
						if err := context.Cause(ctx); err != nil {
							return err
						}
						net.Params()[0] = float32(n)
						step(1)
					}
					return nil
				})
			if c.message == "" && err != nil || c.message != "" && (err == nil || !strings.Contains(err.Error(), c.message)) {
				t.Errorf("error %v", err)
			}
			if c.at != nil && err != nil && !errors.Is(err, c.at) {
				t.Errorf("the error is not %v", c.at)
			}
			if r.Reason != c.reason || r.BestEpoch != 0 || r.Best == nil || r.Best.Params()[0] != 10 {
				t.Errorf("%+v", r)
			}
			if latest, _ := s.Latest(); (latest.Params()[0] == 14) != c.latest {
				t.Errorf("the latest network has %v steps", latest.Params()[0])
			}
		})
	}
}

// list is an iterator over minibatches.
type list []*data.MultiDataSet

func (l *list) Next() (*data.MultiDataSet, error) {
	if len(*l) == 0 {
		return nil, io.EOF
	}
	m := (*l)[0]
	*l = (*l)[1:]
	return m, nil
}

// TestPlain checks that epochs in this process are those of FitEpoch, and that a step's score is its minibatch's.
func TestPlain(t *testing.T) {
	minibatches := func() data.Iterator {
		var l list
		for i := range 3 {
			d := data.DataSet{Features: tensor.New(2, 2), Labels: tensor.New(2, 2)}
			copy(d.Features.Data, []float32{float32(i), 1, -1, 2})
			d.Labels.Data[0], d.Labels.Data[3] = 1, 1
			l = append(l, d.Multi())
		}
		return &l
	}
	want, net := tiny(t), tiny(t)
	for range 2 {
		if err := want.FitEpoch(minibatches(), 5); err != nil {
			t.Fatal(err)
		}
	}
	m := distributed.New(nil, net, nil, distributed.Options{})
	c := Config{Calculator: script(false, 2, 1), Epoch: []EpochCondition{MaxEpochs{2}}}
	r, err := FitBy(t.Context(), c, m, Plain(net, minibatches, 5))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Best.Params(), want.Params()) || r.Best.Epoch() != 2 || r.Best.Iteration() != 6 {
		t.Errorf("epoch %d, iteration %d, parameters %v; FitEpoch gives %v", r.Best.Epoch(), r.Best.Iteration(),
			r.Best.Params(), want.Params())
	}
	steps := 0
	if err := Plain(net, minibatches, 5)(t.Context(), func(score float64) {
		steps++
		if score != net.LastScore() {
			t.Errorf("step %d is told the score %v, not %v", steps, score, net.LastScore())
		}
	}); err != nil || steps != 3 {
		t.Errorf("%d steps, %v", steps, err)
	}
	if err := Plain(net, func() data.Iterator { return &list{} }, 5)(t.Context(), nil); err == nil ||
		!strings.Contains(err.Error(), "no examples") {
		t.Errorf("of no data: %v", err)
	}
}
