package apply_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/apply"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/measure"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/results"
	"github.com/dl4go/dl4go/internal/workplace"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

// written writes a file of the test.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// model saves the network x ↦ x₀ + 2·x₁, whose score is the squared error. Sums says that its score is the sum of the
// examples' scores.
func model(t *testing.T, sums bool) string {
	t.Helper()
	net, err := nn.New(nn.Configuration{InputType: inputtype.FeedForward(2), SumGradients: sums, Layers: []layer.Layer{
		layer.Output{NOut: 1, Activation: activation.Identity{}, Loss: loss.MSE{}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close()
	copy(net.Params(), []float32{1, 2, 0})
	path := filepath.Join(t.TempDir(), "model.zip")
	if err := net.Save(t.Context(), path, nn.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	return path
}

// opened applies a model to data on local[2]. Results go to the returned buffer.
func opened(t *testing.T, o apply.Options, w apply.Want) (*apply.Applied, *bytes.Buffer, error) {
	t.Helper()
	var printed bytes.Buffer
	out := console.New(&printed, io.Discard, false)
	out.Pipe()
	place := &workplace.Place{Out: out, Data: &workplace.Data{},
		Engine: &workplace.Engine{Master: "local[2]", Given: func(string) bool { return false }}}
	o.Batch = 2
	a, err := apply.Open(t.Context(), place, o, w)
	if err == nil {
		t.Cleanup(func() { a.Close() })
	}
	return a, &printed, err
}

// must is opened, which has to succeed.
func must(t *testing.T, o apply.Options, w apply.Want) (*apply.Applied, *bytes.Buffer) {
	t.Helper()
	a, printed, err := opened(t, o, w)
	if err != nil {
		t.Fatal(err)
	}
	return a, printed
}

// The predictions for rows are 1, 2, 3 and 4. The errors of the labels are 0, 0.5, 0 and 2.
const rows = "1,0,1\n0,1,2.5\n1,1,3\n0,2,6\n"

// TestScore: the score is the mean of the examples' scores, or for a network that is trained on sums their sum. A
// stream and data on an engine have the same.
func TestScore(t *testing.T) {
	stream := "csv:" + written(t, "rows.csv", rows) + "?label=2&regression=true"
	saved := "dl4j:" + filepath.Join(t.TempDir(), "rows.bin")
	err := (&data.MultiDataSet{
		Features: []*tensor.Dense{tensor.MustOf([]float32{1, 0, 0, 1, 1, 1, 0, 2}, 4, 2)},
		Labels:   []*tensor.Dense{tensor.MustOf([]float32{1, 2.5, 3, 6}, 4, 1)},
	}).SaveFile(t.Context(), strings.TrimPrefix(saved, "dl4j:"))
	if err != nil {
		t.Fatal(err)
	}
	for _, sums := range []bool{false, true} {
		want, kind := 1.0625, "mean"
		if sums {
			want, kind = 4.25, "sum"
		}
		o := apply.Options{Model: model(t, sums)}
		for _, o.Data = range []string{stream, saved} {
			a, _ := must(t, o, apply.Want{Labels: true})
			if s, err := a.Score(t.Context(), false); err != nil || s != (apply.Score{Value: want, Kind: kind, Examples: 4}) {
				t.Errorf("%s: %+v, %v; want the %s %v of 4 examples", o.Data, s, err, kind, want)
			}
		}
	}
}

// TestScoreExamples: each example has a line.
func TestScoreExamples(t *testing.T) {
	a, printed := must(t, apply.Options{Model: model(t, false),
		Data: "csv:" + written(t, "rows.csv", rows) + "?label=2&regression=true"}, apply.Want{Labels: true})
	n, err := a.ScoreExamples(t.Context(), false, false)
	if err != nil || n != 4 || printed.String() != "0\n0.25\n0\n4\n" {
		t.Errorf("%d scores, %v: %q", n, err, printed)
	}
	e := console.Event{}
	if err := a.Done(n, e); err != nil || e["examples"] != 4 || e["model"] != a.Model ||
		!strings.HasPrefix(a.Name(), "csv:") {
		t.Errorf("the last event is %v, %v, for %s", e, err, a.Name())
	}
}

// TestEvaluate: Before sees network and data before anything is computed; the evaluation counts each row once.
func TestEvaluate(t *testing.T) {
	var all []*measure.Output
	before := func(net *modelfile.Opened, info source.Info) (err error) {
		all, err = measure.FindOrOnly(net.Network, info, nil, []string{"regression"})
		return err
	}
	a, _ := must(t, apply.Options{Model: model(t, false),
		Data: "csv:" + written(t, "rows.csv", rows) + "?label=2&regression=true"}, apply.Want{Labels: true, Before: before})
	if err := a.SetReplicas(0); err == nil {
		t.Error("no replica evaluates")
	}
	n, weighted, err := a.Evaluate(t.Context(), all, measure.Settings{}, measure.Files{})
	if err != nil || n != 4 || weighted != nil {
		t.Fatalf("%d examples, %v, %v", n, weighted, err)
	}
	if e := all[0].Evals[0].(*eval.RegressionEvaluation); e.MeanSquaredError(0) != 1.0625 {
		t.Errorf("the mean squared error is %v", e.MeanSquaredError(0))
	}
}

// TestPredict: predictions are in the order of the data, whether it is a stream or not.
func TestPredict(t *testing.T) {
	for _, setting := range []string{"label=none", "label=2&regression=true"} {
		text := rows
		if setting == "label=none" {
			text = "1,0\n0,1\n1,1\n0,2\n"
		}
		a, printed := must(t, apply.Options{Model: model(t, false), Data: "csv:" + written(t, "rows.csv", text) + "?" +
			setting}, apply.Want{})
		n, err := a.Predict(t.Context(), results.PipePredictions(a.Network.Network, ".csv", nil, a.Out.Data))
		if err != nil || n != 4 || printed.String() != "1\n2\n3\n4\n" {
			t.Errorf("%s: %d predictions, %v: %q", setting, n, err, printed)
		}
	}
}

// TestFinite: results that are NaN or infinite are an error that names the example and the flag that allows them.
func TestFinite(t *testing.T) {
	o := apply.Options{Model: model(t, false),
		Data: "csv:" + written(t, "rows.csv", "1,0,1\n0,3e38,3\n1,1,3\n") + "?label=2&regression=true"}
	predict := func(a *apply.Applied) error {
		_, err := a.Predict(t.Context(), results.PipePredictions(a.Network.Network, ".csv", nil, a.Out.Data))
		return err
	}
	score := func(a *apply.Applied) error {
		_, err := a.Score(t.Context(), false)
		return err
	}
	for what, f := range map[string]func(*apply.Applied) error{"output": predict, "score": score} {
		a, _ := must(t, o, apply.Want{Labels: true})
		want := fmt.Sprintf("--model %s: the %s of example 1 of the data is +Inf", o.Model, what)
		if err := f(a); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "--allow-nan") {
			t.Errorf("%s: %v", what, err)
		}
		allowed := o
		allowed.AllowNaN = true
		if a, _ = must(t, allowed, apply.Want{Labels: true}); f(a) != nil {
			t.Errorf("%s: %v, though it is allowed", what, f(a))
		}
	}
}

// TestMisfits: data that does not fit the network, and a table where there is no engine with tables, are refused when
// they are opened.
func TestMisfits(t *testing.T) {
	for _, c := range []struct {
		text, want string
		w          apply.Want
	}{
		{"1,2,3,4\n", "--data", apply.Want{Labels: true}},
		{"", "--data", apply.Want{Labels: true}},
		{rows, "table", apply.Want{Table: &apply.Table{Name: "t", Mode: engine.ErrorIfExists}}},
		{rows, "no room", apply.Want{Before: func(*modelfile.Opened, source.Info) error { return fmt.Errorf("no room") }}},
	} {
		o := apply.Options{Model: model(t, false), Data: "csv:" + written(t, "rows.csv", c.text) + "?label=2&regression=true"}
		if _, _, err := opened(t, o, c.w); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q is not in the error %v", c.want, err)
		}
	}
}
