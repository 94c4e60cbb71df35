package shortnet

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
)

// read makes the network of a text.
func read(t *testing.T, text string, d nn.BuiltInData) *nn.Network {
	t.Helper()
	n, err := Read([]byte(text), d)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	t.Cleanup(func() { n.Close() })
	return n
}

// TestSame: short texts in different spellings are the same network.
func TestSame(t *testing.T) {
	want := read(t, `
input: {features: 784}
layers:
  - dense: {units: 64, activation: relu}
  - dropout: 0.2
  - output: {units: 10}
updater: {adam: {learningRate: 1e-3}}
`, nn.BuiltInData{})
	configuration, err := want.Configuration()
	if err != nil {
		t.Fatal(err)
	}
	data := nn.BuiltInData{Input: inputtype.FeedForward(784), Classes: 10}
	for name, text := range map[string]string{
		"json": `{"layers": [{"dense": {"units": 64, "activation": "relu"}},
	{"dropout": 0.2}, {"output": {}}], "updater": "adam"}`,
		"Deeplearning4j's names": `
layers:
  - DenseLayer: {nin: 784, nout: 64, activationFn: RELU}
  - DropoutLayer: {idropout: {Dropout: {p: 0.8}}}
  - OutputLayer: {nout: 10, lossFn: NEGATIVELOGLIKELIHOOD, activationFn: softmax}
updater: Adam
`,
		"open": "layers:\n- dense:\n    nOut: 64\n    activation: relu\n- dropout: 0.2\n- output\nupdater: adam\n",
	} {
		got, err := read(t, text, data).Configuration()
		if err != nil || string(got) != string(configuration) {
			t.Errorf("%s: %v\n%s\n%s", name, err, got, configuration)
		}
	}
}

// TestGraph is a residual block.
func TestGraph(t *testing.T) {
	n := read(t, `
input: {image: [8, 8, 3]}
convolutionMode: same
vertices:
  stem: {convolution: {filters: 4, kernel: 3}}
  a: {convolution: {filters: 4, kernel: [3, 3], activation: relu}, inputs: stem}
  sum: {elementWise: add, inputs: [a, stem]}
  pool: {globalPooling: avg}
  out: {output: {units: 3}}
`, nn.BuiltInData{})
	s := n.Summary()
	for _, want := range []string{"stem (ConvolutionLayer)", "sum (ElementWiseVertex)",
		"out (OutputLayer)", "3,4", "4,3"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is missing in\n%s", want, s)
		}
	}
}

func TestErrors(t *testing.T) {
	data := nn.BuiltInData{Input: inputtype.FeedForward(4), Classes: 3}
	for text, want := range map[string]string{
		"layers:\n  - dens: {units: 3}": "line 2, column 5: unknown layer \"dens\"; did you " +
			"mean dense?",
		"layers:\n  - dense: {unts: 3}": "line 2, column 13: unknown setting \"unts\" of " +
			"dense; did you mean units?",
		"layers:\n  - dense: {units: many}": "line 2, column 20: units: a whole number should be " +
			"here, not \"many\"",
		"layers:\n  - dense: {units: 1.5}":                           "a whole number",
		"layers:\n  - dense: {units: [3]}":                           "a number",
		"layers:\n  - dense: {activation: rellu}":                    "did you mean relu?",
		"layers:\n  - dense: {units: 3, units: 4}":                   "twice",
		"layers:\n  - dense: {units: 3, nout: 4}":                    "given twice",
		"layers:\n  - convolution: {filters: 3}":                     "line 2, column 5: layer 0 (convolution)",
		"layers:\n  - output\n  - dense: {units: 0}":                 "line 3, column 5: layer 1 (dense)",
		"layers:\n  - dense: &a {units: 3}\n  - *a":                  "anchors",
		"layers:\n  - dense: !!int {units: 3}":                       "tags",
		"layers: {}":                                                 "a list of layers",
		"layrs: []":                                                  "did you mean layers?",
		"":                                                           "empty",
		"layers: [":                                                  "not valid YAML",
		"layers:\n  - dropout: 1.5\n":                                "probability to drop",
		"layers:\n  - dense: {units: 3}\n    output: {}":             "stands beside",
		"input: {feature: 3}\nlayers: [output]":                      "did you mean features?",
		"input: {image: [8, 8]}\nlayers: [output]":                   "3 numbers",
		"input: {image: [100000, 100000, 100000]}\nlayers: [output]": "a size",
		"layers: [output]\nvertices: {}":                             "not both",
		"vertices:\n  a: {dense: {units: 3}, inputs: [b]}":           "line 2, column 35: inputs: there is no \"b\"",
		"layers:\n  - subsampling: {mode: sam}":                      "did you mean Same?",
		"layers:\n  - dense: {units: 3, updater: {adam: {rate: 1}}}": "unknown setting \"rate\" of adam",
		"task: guess\nlayers: [output]":                              "it is one of",
		"seed: x\nlayers: [output]":                                  "line 1, column 7",
		"layers: [3]":                                                "unknown layer",
		"layers: [{}]":                                               "a layer should be here",
		"layers: [[dense]]":                                          "a layer should be here",
		"layers:\n  - dense: {units: 3, dropout: {dropout: {p: 7}}}": "layer 0",
		strings.Repeat("[", 100000):                                  "YAML",
	} {
		_, err := Read([]byte(text), data)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: %v; want %q", text, err, want)
		}
	}
	_, err := Read([]byte("layers: [output: {}]"), nn.BuiltInData{})
	if err == nil || !strings.Contains(err.Error(), "name the data") {
		t.Errorf("without data: %v", err)
	}
}

func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		"layers: [output]": true, "\n# a comment\nvertices:\n  a: {}": true,
		`{"layers": []}`: true, "---\nlayers:\n- dense": true,
		`{"confs": [], "layers": 3}`: false, "---\nbackpropType: Standard\nconfs:\n- layers: 3": false,
		"vertexInputs: {}\nvertices: {}": false, "": false, "x": false,
	} {
		if Is([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
