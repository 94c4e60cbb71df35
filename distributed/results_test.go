package distributed_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

func uniform(seed uint64, shape ...int) *tensor.Dense {
	x := tensor.New(shape...)
	for i := range x.Data {
		x.Data[i] = random.Uniform(seed, uint64(i))
	}
	return x
}

// twoByTwo returns a graph with two inputs and two outputs.
func twoByTwo(t *testing.T) *nn.Graph {
	t.Helper()
	net, err := nn.NewGraph(nn.GraphConfiguration{
		Inputs: []string{"a", "b"},
		Vertices: []nn.GraphVertex{
			{Name: "classes", Inputs: []string{"a", "b"},
				Layer: layer.Output{NIn: 5, NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}},
			{Name: "number", Inputs: []string{"a", "b"},
				Layer: layer.Output{NIn: 5, NOut: 1, Activation: activation.Identity{}, Loss: loss.MSE{}}},
		},
		Outputs: []string{"classes", "number"},
	})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(4)
	return net
}

// series returns time series of several lengths, some with masks, and a network for them.
func series(t *testing.T) (*nn.MultiLayer, map[string]*data.MultiDataSet) {
	t.Helper()
	net, err := nn.New(nn.Configuration{InputType: inputtype.Recurrent(3, 0), Layers: []layer.Layer{
		layer.Bidirectional{Fwd: layer.NewLSTM(4)}, layer.RnnOutput{NOut: 2, Activation: activation.Softmax{},
			Loss: loss.NewMCXENT()}}})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(6)
	all := make(map[string]*data.MultiDataSet)
	for i := range 23 {
		steps := 3 + i%4
		y := tensor.New(1, 2, steps)
		for s := range steps {
			y.Data[(i+s)%2*steps+s] = 1
		}
		m := &data.MultiDataSet{Features: []*tensor.Dense{uniform(uint64(i), 1, 3, steps)}, Labels: []*tensor.Dense{y}}
		if i%3 == 0 {
			mask := tensor.New(1, steps)
			for s := range steps - 1 {
				mask.Data[s] = 1
			}
			m.FeatureMasks, m.LabelMasks = []*tensor.Dense{mask}, []*tensor.Dense{mask.Clone()}
		}
		all[fmt.Sprintf("series %d", i)] = m
	}
	all["\xff\x00"] = all["series 3"] // keys can have any bytes
	return net, all
}

// alone checks that each key has, bit for bit, the network's result for its example alone.
func alone[N nn.AnyNetwork](ctx context.Context, t *testing.T, e engine.Engine, net N,
	all map[string]*data.MultiDataSet, partitions, batch int) {
	t.Helper()
	d, err := distributed.FromKeyed(e, maps.All(all), partitions)
	if err != nil {
		t.Fatal(err)
	}
	on := distributed.New(e, net, nil, distributed.Options{})
	predictions, err := on.Predict(ctx, d, distributed.PredictOptions{Batch: batch})
	if err != nil {
		t.Fatal(err)
	}
	defer predictions.Release()
	scores, err := on.ScoreExamples(ctx, d, true, batch)
	if err != nil {
		t.Fatal(err)
	}
	defer scores.Release()
	outputs, err := predictions.ByKey(ctx)
	if err != nil {
		t.Fatal(err)
	}
	losses, err := scores.ByKey(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(outputs) != len(all) || len(losses) != len(all) {
		t.Errorf("%d predictions and %d scores of %d examples", len(outputs), len(losses), len(all))
	}
	var sum big.Float
	for key, m := range all {
		want, err := net.Base().Output(m, false)
		if err != nil {
			t.Fatal(err)
		}
		for k := range want {
			if got := outputs[key]; len(got) != len(want) || !slices.Equal(got[k].Shape, want[k].Shape) ||
				!slices.Equal(got[k].Data, want[k].Data) {
				t.Errorf("key %q: other outputs than alone", key)
			}
		}
		score, err := net.Base().ScoreExamples(m, true)
		if err != nil {
			t.Fatal(err)
		}
		if losses[key] != score[0] {
			t.Errorf("key %q: score %v, alone %v", key, losses[key], score[0])
		}
		sum.Add(&sum, big.NewFloat(score[0]))
	}
	want, _ := sum.Float64()
	got, n, err := on.Score(ctx, d, false, true, batch)
	if err != nil || n != len(all) || !near.Equal(got, want, 0, 1e-12) {
		t.Errorf("the sum of %d scores is %v, wanted %v; error %v", n, got, want, err)
	}
	mean, _, err := on.Score(ctx, d, true, true, batch)
	if want /= float64(n); err != nil || !near.Equal(mean, want, 0, 1e-12) {
		t.Errorf("the mean is %v, wanted %v; error %v", mean, want, err)
	}
}

func pairs() map[string]*data.MultiDataSet {
	all := make(map[string]*data.MultiDataSet)
	for i := range 31 {
		y := tensor.New(1, 3)
		y.Data[i%3] = 1
		all[fmt.Sprint("pair ", i)] = &data.MultiDataSet{Features: []*tensor.Dense{uniform(uint64(i), 1, 2),
			uniform(uint64(100+i), 1, 3)},
			Labels: []*tensor.Dense{y, uniform(uint64(200+i), 1, 1)}}
	}
	return all
}

// TestResultsByKey checks that on any engine, for any partitions and batches, each key has the result of its example
// alone. The examples have masks, different lengths, and several inputs and outputs.
func TestResultsByKey(t *testing.T) {
	ctx := t.Context()
	for _, c := range []struct {
		master            string
		partitions, batch int
	}{{"local[1]", 1, 0}, {"local[3]", 5, 4}, {"processes[2]", 3, 1}} {
		e := onEngine(t, c.master)
		net, all := series(t)
		alone(ctx, t, e, net, all, c.partitions, c.batch)
		alone(ctx, t, e, twoByTwo(t), pairs(), c.partitions, c.batch)
	}
}

// TestResultsAreData checks that predictions and scores can be used as data, saved with their keys, and read again.
func TestResultsAreData(t *testing.T) {
	ctx := t.Context()
	for _, master := range []string{"local[2]", "processes[2]"} {
		e := onEngine(t, master)
		m := digits(t, "test").Range(0, 90)
		for i := range 90 {
			m.Meta = append(m.Meta, fmt.Sprint("digit ", i))
		}
		d, err := distributed.FromDataSets(e, slices.Collect(func(yield func(*data.MultiDataSet) bool) {
			for i := 0; i < 90 && yield(m.Slice(i, i+10)); i += 10 {
			}
		}), 4)
		if err != nil {
			t.Fatal(err)
		}
		net := digitsNet(t, "softmax")
		on := distributed.New(e, net, nil, distributed.Options{})
		want, err := net.Output(m, false)
		if err != nil {
			t.Fatal(err)
		}
		predictions, err := on.Predict(ctx, d, distributed.PredictOptions{Batch: 7, Labels: true})
		if err != nil {
			t.Fatal(err)
		}
		net.Init(99) // later changes of the network make no difference
		saved, err := predictions.Save(ctx, t.TempDir(), 16)
		if err != nil {
			t.Fatal(err)
		}
		if err := saved.Keep(ctx); err != nil {
			t.Errorf("what is kept already can't be kept: %v", err)
		}
		files, err := distributed.FromDirectory(ctx, e, saved.Place(), 0)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		is, was := eval.NewEvaluation(0), eval.NewEvaluation(0)
		if err := files.Examples(ctx, func(p *data.MultiDataSet) error {
			if !slices.Equal(p.Features[0].Data, want[0].Data[10*n:10*n+10]) || p.Meta[0] != m.Meta[n] {
				t.Errorf("%s: prediction %d, %s, is not what was saved", master, n, p.Meta)
			}
			n++
			return is.Eval(p.Labels[0], p.Features[0], nil)
		}); err != nil || n != 90 {
			t.Fatalf("%s: %d predictions were saved: %v", master, n, err)
		}
		if err := was.Eval(m.Labels[0], want[0], nil); err != nil || is.Stats() != was.Stats() {
			t.Errorf("%s: evaluated\n%s\nwanted\n%s", master, is.Stats(), was.Stats())
		}
		predictions.Release()
		predictions.Release()
		if _, err := predictions.ByKey(ctx); err == nil || !strings.Contains(err.Error(), "released") {
			t.Errorf("%s: released predictions: error %v", master, err)
		}
		scores, err := on.ScoreExamples(ctx, d, false, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer scores.Release()
		byKey, err := scores.ByKey(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := scores.Data().Examples(ctx, func(s *data.MultiDataSet) error {
			if x := s.Features[0].Data; len(x) != 1 || x[0] != float32(byKey[s.Meta[0]]) {
				t.Errorf("%s: the score of %s is %v, wanted %v", master, s.Meta, x, byKey[s.Meta[0]])
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
}

// TestOutputOnTheDriver computes the outputs for a matrix and for a vector.
func TestOutputOnTheDriver(t *testing.T) {
	on := distributed.New(onEngine(t, "local[1]"), digitsNet(t, "mlp"), nil, distributed.Options{})
	x := digits(t, "test").Range(0, 3).Features[0]
	matrix, err := on.Output(x)
	if err != nil || !slices.Equal(matrix[0].Shape, []int{3, 10}) {
		t.Fatalf("%v, error %v", matrix, err)
	}
	vector, err := on.Output(tensor.MustOf(x.Data[64:128], 64))
	if err != nil || !slices.Equal(vector[0].Shape, []int{10}) || !slices.Equal(vector[0].Data, matrix[0].Data[10:20]) {
		t.Errorf("%v, wanted %v, error %v", vector, matrix[0].Data[10:20], err)
	}
	for _, bad := range []*tensor.Dense{nil, tensor.New(3, 63), tensor.New(63)} {
		if y, err := on.Output(bad); err == nil {
			t.Errorf("%v gives %v", bad, y)
		}
	}
}

// TestWhatHasNoResults checks that errors name the example with the mistake.
func TestWhatHasNoResults(t *testing.T) {
	ctx := t.Context()
	e := onEngine(t, "local[2]")
	on := distributed.New(e, digitsNet(t, "mlp"), nil, distributed.Options{})
	ok := func(n int) *data.MultiDataSet {
		return &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(n, 64)}, Labels: []*tensor.Dense{tensor.New(n, 10)}}
	}
	type pair struct {
		key string
		m   *data.MultiDataSet
	}
	keyed := func(pairs ...pair) func(func(string, *data.MultiDataSet) bool) {
		return func(yield func(string, *data.MultiDataSet) bool) {
			for _, p := range pairs {
				if !yield(p.key, p.m) {
					return
				}
			}
		}
	}
	for want, examples := range map[string]func(func(string, *data.MultiDataSet) bool){
		`empty key`:           keyed(pair{"", ok(1)}),
		`"b" has no data set`: keyed(pair{"a", ok(1)}, pair{"b", nil}),
		`key "b": feature mask of`: keyed(pair{"a", ok(1)},
			pair{"b", &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(1, 64)},
				FeatureMasks: []*tensor.Dense{tensor.New(1, 5)}}}),
	} {
		if _, err := distributed.FromKeyed(e, examples, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, wanted %q", err, want)
		}
	}
	of := func(partitions int, pairs ...pair) *distributed.Data {
		d, err := distributed.FromKeyed(e, keyed(pairs...), partitions)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	byKey := func(d *distributed.Data) error {
		p, err := on.Predict(ctx, d, distributed.PredictOptions{})
		if err != nil {
			return err
		}
		defer p.Release()
		_, err = p.ByKey(ctx)
		return err
	}
	score := func(d *distributed.Data) error {
		_, _, err := on.Score(ctx, d, true, false, 0)
		return err
	}
	unkeyed, err := distributed.FromDataSets(e, []*data.MultiDataSet{ok(2)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	wide := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(1, 63)}, Labels: []*tensor.Dense{tensor.New(1, 10)}}
	unlabelled := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(1, 64)}}
	for want, err := range map[string]error{
		`"x" is there twice, for example 0 of partition 0 and for example 1 of partition 1`: byKey(of(2, pair{"x", ok(1)},
			pair{"y", ok(1)}, pair{"z", ok(1)}, pair{"x", ok(1)})),
		`example 0 of partition 0 has no key`: byKey(unkeyed),
		`the example with the key "narrow":`:  byKey(of(1, pair{"x", ok(2)}, pair{"narrow", wide})),
		`the example with the key "none":`:    score(of(1, pair{"x", ok(2)}, pair{"none", unlabelled})),
		`nothing to score`:                    score(of(2)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, wanted %q", err, want)
		}
	}
	if _, err := on.Predict(ctx, unkeyed, distributed.PredictOptions{Batch: -1}); err == nil ||
		!strings.Contains(err.Error(), "-1 examples") {
		t.Errorf("a batch of -1: %v", err)
	}
	// Repeated or missing keys are fine if results are not looked up by key.
	p, err := on.Predict(ctx, of(2, pair{"x", ok(2)}, pair{"x", ok(1)}), distributed.PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	var keys []string
	if err := p.Each(ctx, func(key string, _ []*tensor.Dense) error {
		keys = append(keys, key)
		if len(keys) == 2 {
			return distributed.ErrStop
		}
		return nil
	}); err != nil || !slices.Equal(keys, []string{"x", "x"}) {
		t.Errorf("keys %q, error %v", keys, err)
	}
	binary, err := on.Predict(ctx, of(1, pair{"\xff", ok(1)}), distributed.PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer binary.Release()
	if _, err := binary.Save(ctx, t.TempDir(), 1); err == nil ||
		!strings.Contains(err.Error(), `the key "\xff", which is not a text`) {
		t.Errorf("a key of bytes was saved: %v", err)
	}
	if err := p.Each(ctx, func(string, []*tensor.Dense) error { return errAsked }); !errors.Is(err, errAsked) {
		t.Errorf("the callee's error is lost: %v", err)
	}
}

var errAsked = errors.New("as asked")
