package serve

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/pipeline"
)

// overSteps are networks of sequences with two columns, and three classes.
func overSteps() map[string][]layer.Layer {
	out := layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	steps := layer.RnnOutput{NOut: 3, Loss: loss.NewMCXENT()}
	return map[string][]layer.Layer{
		"last step": {layer.LastTimeStep{Layer: layer.NewLSTM(6)}, out},
		"each step": {layer.NewLSTM(6), steps},
		"both ways": {layer.Bidirectional{Fwd: layer.NewLSTM(5)}, steps},
		"mean":      {layer.SimpleRnn{NOut: 4}, layer.GlobalPooling{Pooling: layer.AvgPooling}, out},
		"maximum":   {layer.NewLSTM(4), layer.GlobalPooling{Pooling: layer.MaxPooling}, out},
	}
}

// sequencesOf are sequences of the given lengths.
func sequencesOf(lengths ...int) (list [][]map[string]any) {
	for i, n := range lengths {
		var steps []map[string]any
		for s := range n {
			steps = append(steps, map[string]any{"x": float64(i) - float64(s)/4, "kind": []string{"a", "b"}[(i+s)%2]})
		}
		list = append(list, steps)
	}
	return list
}

// sequenced gives a network a pipeline over sequences: a number, and a category as a number.
func sequenced(t *testing.T, net *nn.MultiLayer, perStep bool) {
	t.Helper()
	steps := &pipeline.Pipeline{Initial: pipeline.Schema{Sequence: true, Columns: []pipeline.Column{
		pipeline.DoubleColumn{Name: "x"}, pipeline.StringColumn{Name: "kind"}, pipeline.StringColumn{Name: "y"}}},
		Steps: []pipeline.Step{pipeline.StringToCategorical{Column: "kind", States: []string{"a", "b"}},
			pipeline.CategoricalToInteger{Column: "kind"}}}
	p := &source.Preparation{Pipeline: steps, Task: source.Classification, Labels: []string{"y"}, Outputs: []string{"y"},
		Classes: []string{"up", "down", "flat"}, PerStep: perStep, Sequence: &source.Sequencing{ID: []string{"id"}}}
	text, labels, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := net.SetPipeline(text, labels); err != nil {
		t.Fatal(err)
	}
}

// TestSequences: sequences of rows, of several lengths, have the answers that each has alone, to the bit.
func TestSequences(t *testing.T) {
	lengths := []int{3, 1, 7, 4}
	all := sequencesOf(lengths...)
	for name, layers := range overSteps() {
		_, perStep := layers[len(layers)-1].(layer.RnnOutput)
		net := network(t, nn.Configuration{InputType: inputtype.Recurrent(2, 0), Layers: layers})
		sequenced(t, net, perStep)
		p := predictor(t, net, Options{})
		together, err := p.PredictSequences(t.Context(), all...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, steps := range all {
			alone, err := p.PredictSequences(t.Context(), steps)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if fmt.Sprint(alone[0]) != fmt.Sprint(together[i]) || !maps.Equal(alone[0].Values, together[i].Values) {
				t.Errorf("%s: sequence %d: %v with others, %v alone", name, i, together[i], alone[0])
			}
			if n := len(alone[0].Steps); perStep && n != lengths[i] || !perStep && (n > 0 || alone[0].Class.Name == "") {
				t.Errorf("%s: %d steps have %d answers: %v", name, lengths[i], n, alone[0])
			}
			for s, a := range alone[0].Steps {
				if !maps.Equal(a.Values, together[i].Steps[s].Values) || a.Class.Name == "" {
					t.Errorf("%s: sequence %d: step %d: %v, not %v", name, i, s, together[i].Steps[s], a)
				}
			}
		}
		if c := p.Columns(); !p.TakesSequences() || len(c) != 2 || len(c[1].Values) != 2 {
			t.Errorf("%s: columns %v", name, c)
		}
		bad(t, p)
	}
}

// bad asks with wrong sequences.
func bad(t *testing.T, p *Predictor) {
	t.Helper()
	good := map[string]any{"x": 1, "kind": "a"}
	for wants, list := range map[string][][]map[string]any{
		"sequence 1: it has no steps":                              {{good}, {}},
		`sequence 0: step 1: there is no value "kind"`:             {{good, {"x": 1}}},
		`sequence 1: step 0: step 2 (CategoricalToInteger): c`:     {{good}, {{"x": 1, "kind": "c"}}},
		"there are no sequences":                                   nil,
		`sequence 0: step 0: "x": a []int can't be the value of`:   {{{"x": []int{1}, "kind": "a"}}},
		`sequence 0: step 0: "x": a list can't be the value of`:    {{{"x": []any{1}, "kind": "a"}}},
		`sequence 0: step 0: "x": an object can't be the value of`: {{{"x": map[string]any{"y": 1}, "kind": "a"}}},
		`sequence 0: step 0: column "x": the value is miss`:        {{{"x": nil, "kind": "a"}}},
	} {
		if _, err := p.PredictSequences(t.Context(), list...); err == nil || !strings.Contains(err.Error(), wants) {
			t.Errorf("wanted %q: %v", wants, err)
		}
	}
	if _, err := p.PredictRows(t.Context(), good); err == nil || !strings.Contains(err.Error(), "takes sequences") {
		t.Errorf("a row: %v", err)
	}
}

// TestSequencesOfFeatures: a model without a pipeline takes the names of its features in each step.
func TestSequencesOfFeatures(t *testing.T) {
	net := network(t, nn.Configuration{InputType: inputtype.Recurrent(2, 0), Layers: overSteps()["last step"]})
	if err := net.SetSchema(&data.Schema{Features: []string{"a", "b"}}); err != nil {
		t.Fatal(err)
	}
	p := predictor(t, net, Options{})
	long := []map[string]any{{"a": 1, "b": 2}, {"a": 3, "b": "-4"}, {"a": 0.5, "b": true}}
	together, err := p.PredictSequences(t.Context(), long, long[:1])
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.PredictRow(t.Context(), []float64{1, 3, 0.5, 2, -4, 1})
	if err != nil {
		t.Fatal(err)
	}
	for k, x := range want {
		if got := together[0].Values[fmt.Sprint(k)]; got != x {
			t.Errorf("output %d: %v, not %v", k, got, x)
		}
	}
	alone, err := p.PredictSequences(t.Context(), long[:1])
	if err != nil || !maps.Equal(alone[0].Values, together[1].Values) {
		t.Errorf("%v with others, %v alone (%v)", together[1], alone, err)
	}
	for _, list := range [][][]map[string]any{{}, {{}}, {{{"a": 1}}}, {{{"a": 1, "b": "x"}}}, {{{"a": 1, "b": 1e300}}}} {
		if got, err := p.PredictSequences(t.Context(), list...); err == nil {
			t.Errorf("%v: %v", list, got)
		}
	}
	if _, err := predictor(t, named(t), Options{}).PredictSequences(t.Context(), long); err == nil ||
		!strings.Contains(err.Error(), "give rows") {
		t.Errorf("a model of rows: %v", err)
	}
}
