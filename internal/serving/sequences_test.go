package serving

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/serve"
)

// stepwise writes a network that outputs two columns for each step of a sequence.
func stepwise(t *testing.T) string {
	t.Helper()
	net, err := nn.New(nn.Configuration{Seed: 1, InputType: inputtype.Recurrent(2, 0), Layers: []layer.Layer{
		layer.NewLSTM(4), layer.RnnOutput{NOut: 2, Loss: loss.NewMCXENT()}}})
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close()
	if err := net.SetSchema(&data.Schema{Features: []string{"a", "b"}, Classes: []string{"no", "yes"}}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "steps.zip")
	if err := net.Save(t.Context(), path, nn.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNamedSequences: the answer for sequences of named rows has an answer for each step, the same as for each
// sequence alone.
func TestNamedSequences(t *testing.T) {
	s := start(t, Options{}, serve.Options{}, Spec{"steps", "1", stepwise(t)})
	ask := func(body string) (code int, list []NamedAnswer, text string) {
		code, _, b := s.post("/v1/models/steps:predict", []byte(body))
		var all struct{ Predictions []NamedAnswer }
		if err := json.Unmarshal(b, &all); err != nil {
			t.Fatal(err)
		}
		return code, all.Predictions, string(b)
	}
	const long, short = `{"steps":[{"a":1,"b":2},{"a":3,"b":-4},{"a":0.5,"b":0}]}`, `{"steps":[{"a":-1,"b":0.25}]}`
	code, both, text := ask(`{"sequences":[` + long + `,` + short + `]}`)
	if code != 200 || len(both) != 2 || len(both[0].Steps) != 3 || len(both[1].Steps) != 1 ||
		both[1].Steps[0].Probability == nil {
		t.Fatalf("%d %s", code, text)
	}
	for i, body := range []string{long, short} {
		if code, alone, text := ask(body); code != 200 || !reflect.DeepEqual(alone[0], both[i]) {
			t.Errorf("sequence %d alone: %d %s, not %v", i, code, text, both[i])
		}
	}
	for wants, body := range map[string]string{
		"no list of steps":                           `{"sequences":[{"a":1,"b":2}]}`,
		"sequence 0 has no list of steps":            `{"rows":[{"a":1,"b":2}]}`,
		"sequence 0 is not a JSON object":            `{"sequences":[1]}`,
		"sequence 0: step 1 is not a JSON object":    `{"steps":[{"a":1,"b":2},7]}`,
		`sequence 1: step 0: there is no value`:      `{"sequences":[` + short + `,{"steps":[{"a":1}]}]}`,
		"there are no sequences":                     `{"sequences":[]}`,
		"sequence 1: it has no steps":                `{"sequences":[` + short + `,{"steps":[]}]}`,
		`sequence 0: step 0: \"b\": \"x\" is not a `: `{"steps":[{"a":1,"b":"x"}]}`,
	} {
		if code, _, text := ask(body); code != 400 || !strings.Contains(text, wants) {
			t.Errorf("%s: %d %s; wanted %q", body, code, text, wants)
		}
	}
	if code, _, b := s.post("/v1/models/m:predict", []byte(long)); code != 400 {
		t.Errorf("a model of rows: %d %s", code, b)
	}
}
