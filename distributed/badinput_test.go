package distributed_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// uses calls every method of a network on the data, one after the other, and returns their errors.
func uses(ctx context.Context, net *distributed.MultiLayer, d *distributed.Data) map[string]error {
	all := map[string]error{"fit": net.Fit(ctx, d), "epochs": net.FitEpochs(ctx, d, 2)}
	_, all["evaluate"] = net.Evaluate(ctx, d, nil, 1)
	_, _, all["score"] = net.Score(ctx, d, true, true, 0)
	if scores, err := net.ScoreExamples(ctx, d, true, 0); err != nil {
		all["scores"] = err
	} else {
		all["scores"] = scores.Each(ctx, func(string, float64) error { return nil })
		scores.Release()
	}
	if predictions, err := net.Predict(ctx, d, distributed.PredictOptions{}); err != nil {
		all["predict"] = err
	} else {
		all["predict"] = predictions.Each(ctx, func(string, []*tensor.Dense) error { return nil })
		predictions.Release()
	}
	_, all["early stopping"] = earlystopping.Fit(ctx, earlystopping.Config{Calculator: earlystopping.Loss{Data: d},
		Epoch: []earlystopping.EpochCondition{earlystopping.MaxEpochs{Epochs: 1}}}, net, d)
	return all
}

func tinyNet(t *testing.T) *nn.MultiLayer {
	t.Helper()
	net, err := nn.New(nn.Configuration{Seed: 7, Updater: updater.NewAdam(), InputType: inputtype.FeedForward(4),
		Layers: []layer.Layer{layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	if err != nil {
		t.Fatal(err)
	}
	return net
}

func tinySet(n, in, out int) *data.MultiDataSet {
	x, y := tensor.New(n, in), tensor.New(n, out)
	for i := range n {
		x.Data[i*in+i%in], y.Data[i*out+i%out] = 1, 1
	}
	return &data.MultiDataSet{Features: []*tensor.Dense{x}, Labels: []*tensor.Dense{y}}
}

func tinyMaster(t *testing.T) *paramavg.TrainingMaster {
	t.Helper()
	settings := paramavg.Default()
	settings.RDDTrainingApproach = paramavg.Direct
	master, err := paramavg.New(settings, paramavg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	return master
}

// TestNothingToWorkOn checks that every method reports data that is nil or of another engine.
func TestNothingToWorkOn(t *testing.T) {
	ctx := context.Background()
	e, other := onEngine(t, "local[2]"), onEngine(t, "local[3]")
	on := func(e engine.Engine) *distributed.Data {
		d, err := distributed.FromDataSets(e, []*data.MultiDataSet{tinySet(6, 4, 3)}, 0)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	master := tinyMaster(t)
	for _, test := range []struct {
		name, want string
		net        *distributed.MultiLayer
		data       *distributed.Data
	}{
		{"no data", "there is no", distributed.New(e, tinyNet(t), master, distributed.Options{}), nil},
		{"no network", "there is no network", distributed.New[*nn.MultiLayer](e, nil, master, distributed.Options{}), on(e)},
		{"no engine", "has no engine", distributed.New(nil, tinyNet(t), master, distributed.Options{}), on(e)},
		{"another engine", "the data is on another engine, local[3], than the network, local[2]",
			distributed.New(e, tinyNet(t), master, distributed.Options{}), on(other)},
	} {
		for use, err := range uses(ctx, test.net, test.data) {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s, %s: error %v, wanted %q", test.name, use, err, test.want)
			}
		}
	}
	net := distributed.New(e, tinyNet(t), (*paramavg.TrainingMaster)(nil), distributed.Options{})
	if err := net.Fit(ctx, on(e)); err == nil || !strings.Contains(err.Error(), "no training master") {
		t.Errorf("a nil pointer as training master: error %v", err)
	}
	for _, none := range []eval.Evaluator{nil, (*eval.ROC)(nil)} {
		if _, err := net.DoEvaluation(ctx, on(e), distributed.EvaluationOptions{}, none); err == nil ||
			!strings.Contains(err.Error(), "evaluation 0 is nil") {
			t.Errorf("a nil %T: error %v", none, err)
		}
	}
	if _, err := distributed.FromDataSets(e, []*data.MultiDataSet{nil}, 0); err == nil {
		t.Error("a nil data set is taken")
	}
}

// TestNewInitialises checks that New initialises a network without parameters by its seed, and leaves one with
// parameters as it is.
func TestNewInitialises(t *testing.T) {
	e := onEngine(t, "local[2]")
	want, net := tinyNet(t), tinyNet(t)
	want.Init(7)
	clear(net.Params()) // as those of a replica are
	on := distributed.New(e, net, nil, distributed.Options{})
	if got := fmt.Sprint(on.Net().Params()); got != fmt.Sprint(want.Params()) {
		t.Errorf("a new network has %s, by its seed %v", got, want.Params())
	}
	set := tinyNet(t)
	clear(set.Params())
	set.Params()[3] = 5
	on.SetNet(set)
	if p := on.Net().Params(); p[3] != 5 || p[0] != 0 {
		t.Errorf("a network that was given parameters has %v", p)
	}
}

// TestMixedDirectories checks that every method on a directory with unsuitable files names these files and their
// number.
func TestMixedDirectories(t *testing.T) {
	ctx := context.Background()
	e := onEngine(t, "local[2]")
	write := func(dir, name string, m *data.MultiDataSet) {
		if err := m.SaveFile(t.Context(), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	shapes, foreign, labels := t.TempDir(), t.TempDir(), t.TempDir()
	for _, dir := range []string{shapes, foreign, labels} {
		for i := range 4 {
			write(dir, fmt.Sprintf("a%d.bin", i), tinySet(5, 4, 3))
		}
	}
	write(shapes, "b.bin", tinySet(5, 6, 3))
	write(shapes, "c.bin", tinySet(5, 4, 3))
	write(foreign, "b.bin", tinySet(5, 6, 3))
	if err := os.WriteFile(filepath.Join(foreign, "readme.txt"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	write(labels, "b.bin", tinySet(5, 4, 2))
	net := distributed.New(e, tinyNet(t), tinyMaster(t), distributed.Options{})
	for dir, want := range map[string][]string{
		shapes:  {"1 of 6 files can't be used", filepath.Join(shapes, "b.bin"), "have the shape [6]"},
		foreign: {"2 of 6 files can't be used", "b.bin", "readme.txt: not a saved DataSet"},
		labels:  {filepath.Join(labels, "b.bin") + ": ", "labels of shape"},
	} {
		d, err := distributed.FromDirectory(ctx, e, dir, 3)
		if err != nil {
			t.Fatal(err)
		}
		for use, err := range uses(ctx, net, d) {
			if dir == labels && use == "predict" { // needs no labels
				if err != nil {
					t.Error(err)
				}
				continue
			}
			for _, part := range want {
				if dir == labels && use == "scores" && part == want[0] { // names the example
					part = "example 0 of partition 2"
				}
				if err == nil || !strings.Contains(err.Error(), part) || strings.Count(err.Error(), "can't be used") > 1 {
					t.Errorf("%s: error %v, wanted %q", use, err, part)
				}
			}
		}
	}
}

// TestReleasedData checks the error for data of released results.
func TestReleasedData(t *testing.T) {
	ctx := context.Background()
	e := onEngine(t, "local[2]")
	net := distributed.New(e, tinyNet(t), nil, distributed.Options{})
	d, err := distributed.FromDataSets(e, []*data.MultiDataSet{tinySet(6, 4, 3)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	predictions, err := net.Predict(ctx, d, distributed.PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	of := predictions.Data()
	predictions.Release()
	_, exported := of.Export(ctx, t.TempDir(), 3)
	for _, err := range []error{exported, of.Examples(ctx, func(*data.MultiDataSet) error { return nil })} {
		if err == nil || !strings.Contains(err.Error(), "the results were released") {
			t.Errorf("error %v", err)
		}
	}
}

// TestListenersDontWait checks that a listener that uses the network in training gets an error and doesn't block
// forever.
func TestListenersDontWait(t *testing.T) {
	ctx := context.Background()
	e := onEngine(t, "local[2]")
	net := distributed.New(e, tinyNet(t), tinyMaster(t), distributed.Options{})
	d, err := distributed.FromDataSets(e, []*data.MultiDataSet{tinySet(60, 4, 3)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	asked := false
	err = net.FitListening(ctx, d, func(distributed.Round) {
		asked = true
		for use, err := range uses(ctx, net, d) {
			if err == nil || !strings.Contains(err.Error(), "in training") {
				t.Errorf("%s: error %v", use, err)
			}
		}
	})
	if err != nil || !asked {
		t.Errorf("the fit: error %v, asked %v", err, asked)
	}
	if _, err := net.Evaluate(ctx, d, nil, 1); err != nil {
		t.Error(err)
	}
}

// TestFewerExamplesThanSlots checks that by default there are no more workers than examples.
func TestFewerExamplesThanSlots(t *testing.T) {
	e := onEngine(t, "local[3]")
	d, err := distributed.FromDataSets(e, []*data.MultiDataSet{tinySet(2, 4, 3)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	workers := 0
	net := distributed.New(e, tinyNet(t), tinyMaster(t),
		distributed.Options{Listen: func(r distributed.Round) { workers = r.Workers }})
	if err := net.Fit(context.Background(), d); err != nil || workers != 2 {
		t.Errorf("%d workers trained 2 examples: error %v", workers, err)
	}
}

// TestMaskLeavesNothing checks that an evaluation whose mask leaves no examples is an error, not an accuracy of 0.
// Examples in one partition are enough.
func TestMaskLeavesNothing(t *testing.T) {
	ctx := context.Background()
	for _, master := range []string{"local[2]", "processes[2]"} {
		e := onEngine(t, master)
		net := distributed.New(e, tinyNet(t), nil, distributed.Options{})
		first, second := tinySet(3, 4, 3), tinySet(3, 4, 3)
		first.LabelMasks, second.LabelMasks = []*tensor.Dense{tensor.New(3, 1)}, []*tensor.Dense{tensor.New(3, 1)}
		evaluate := func() (*eval.Evaluation, error) {
			d, err := distributed.FromDataSets(e, []*data.MultiDataSet{first, second}, 2)
			if err != nil {
				t.Fatal(err)
			}
			return net.Evaluate(ctx, d, nil, 1)
		}
		if _, err := evaluate(); err == nil || !strings.Contains(err.Error(),
			"evaluation 0 (Evaluation) counts nothing: the mask") {
			t.Errorf("%s: a mask that leaves nothing: %v", master, err)
		}
		second.LabelMasks[0].Data[2] = 1
		if got, err := evaluate(); err != nil || got.Rows() != 1 {
			t.Errorf("%s: a mask that leaves one: %v, %v", master, got, err)
		}
	}
}
