package legacy

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
)

// upgraded upgrades a document of one layer. It returns the layer without spaces, and the document.
func upgraded(t *testing.T, text string) (layer string, d Document, err error) {
	t.Helper()
	tree, err := dl4j.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if d, err = Upgrade(tree.(dl4j.Object)); err != nil {
		return "", d, err
	}
	confs, _ := d.Root.Get("confs")
	l, _ := confs.([]any)[0].(dl4j.Object).Get("layer")
	b, err := dl4j.Format(l)
	return strings.Join(strings.Fields(string(b)), ""), d, err
}

// nine is a network of one layer as 0.9 has it.
func nine(layer, conf string) string {
	return `{"backprop": true, "confs": [{"layer": {"dense": {"updater": "SGD", "learningRate": 0.5, "weightInit": "XAVIER", ` +
		layer + `}}, "numIterations": 1, ` + conf + `}]}`
}

func TestSettingsOfOldLayers(t *testing.T) {
	const on = `"useRegularization": true`
	for _, c := range []struct{ layer, conf, want, version string }{
		{`"nin": 3`, on, `"iupdater":{"@class":"org.nd4j.linalg.learning.config.Sgd","learningRate":0.5}`, Seven},
		{`"nin": 3`, on, `"@class":"org.deeplearning4j.nn.conf.layers.DenseLayer"`, Seven},
		{`"iupdater": {"@class": "A", "learningRate": 0.5}`, on, `"iupdater":{"@class":"A","learningRate":0.5}`, Nine},
		{`"iupdater": {"@class": "A", "learningRate": 0.5}, "biasLearningRate": 0.25`, on,
			`"biasUpdater":{"@class":"A","learningRate":0.25}`, Nine},
		{`"momentumSchedule": {"5": 0.9}, "momentum": 0.5, "iupdater": {"@class": "N", "learningRate": 0.5, "momentum": 0.5}`,
			on,
			`"momentumISchedule":{"@class":"org.nd4j.linalg.schedule.MapSchedule","scheduleType":"ITERATION","values":{"0":0.5,"5":0.9}}`, Nine},
		{`"iupdater": {"learningRate": 0.5}`, `"learningRatePolicy": "Exponential", "lrPolicyDecayRate": 0.9`,
			`"learningRate":"NaN","learningRateSchedule":{"@class":"org.nd4j.linalg.schedule.ExponentialSchedule","gamma":0.9,"initialValue":0.5,"scheduleType":"ITERATION"}`, Nine},
		{`"iupdater": {"learningRate": 0.5}`,
			`"learningRatePolicy": "Inverse", "lrPolicyDecayRate": 0.9, "lrPolicyPower": 2.0`, `InverseSchedule"`, Nine},
		{`"iupdater": {"learningRate": 0.5}`, `"learningRatePolicy": "Step", "lrPolicyDecayRate": 0.9, "lrPolicySteps": 20.0`,
			`"step":20.0`, Nine},
		{`"iupdater": {"learningRate": 0.5}`,
			`"learningRatePolicy": "Sigmoid", "lrPolicyDecayRate": 0.9, "lrPolicySteps": 20.0`, `"stepSize":20`, Nine},
		{`"iupdater": {"learningRate": 0.5}, "learningRateSchedule": {"3": 0.1}`, `"learningRatePolicy": "Schedule"`,
			`"values":{"0":0.5,"3":0.1}`, Nine},
		{`"l1": 0.1, "l2": 0.2`, on, `"regularization":[{"@class":"org.nd4j.linalg.learning.regularization.L1Regularization"`,
			Seven},
		{`"l1": 0.1, "l2": 0.2`, on,
			`{"@class":"org.nd4j.linalg.learning.regularization.WeightDecay","applyLR":false,"coeff":{"@class":"org.nd4j.linalg.schedule.FixedSchedule","value":0.2}}]`, Seven},
		{`"l2": 0.2`, `"useRegularization": false`, `"regularization":[]`, Seven},
		{`"l2Bias": 0.2`, on, `"regularizationBias":[{"@class":"org.nd4j.linalg.learning.regularization.WeightDecay"`, Seven},
		{`"dropOut": 0.8`, on, `"idropout":{"@class":"org.deeplearning4j.nn.conf.dropout.Dropout","p":0.8,"pschedule":null}`,
			Seven},
		{`"dropOut": 0.8`, `"useDropConnect": true`,
			`"weightNoise":{"@class":"org.deeplearning4j.nn.conf.weightnoise.DropConnect"`, Seven},
		{`"activationFunction": "leakyrelu"`, on,
			`"activationFn":{"@class":"org.nd4j.linalg.activations.impl.ActivationLReLU","alpha":0.01}`, Six},
		{`"lossFunction": "MCXENT"`, on, `"lossFn":{"@class":"org.nd4j.linalg.lossfunctions.impl.LossMCXENT"`, Five},
		{`"dist": {"uniform": {"lower": -1.0, "upper": 1.0}}, "weightInitRecurrent": "DISTRIBUTION", "distRecurrent": {"normal": {"mean": 0.0, "std": 1.0}}`, on,
			`"weightInitFnRecurrent":{"@class":"org.deeplearning4j.nn.weights.WeightInitDistribution","distribution":{"type":"org.deeplearning4j.nn.conf.distribution.NormalDistribution"`, Seven},
	} {
		got, d, err := upgraded(t, nine(c.layer, c.conf))
		if err != nil || !strings.Contains(got, c.want) || d.Version != c.version {
			t.Errorf("%s, %s became\n%s\nof %q (%v); it should have\n%s of %q", c.layer, c.conf, got, d.Version,
				err, c.want, c.version)
		}
	}
}

func TestDropoutOfZeroIsNone(t *testing.T) {
	if got, _, err := upgraded(t, nine(`"dropOut": 0.0`, `"pretrain": false`)); err != nil ||
		strings.Contains(got, "idropout") {
		t.Errorf("%s (%v)", got, err)
	}
}

// What is not carried over is reported.
func TestNotices(t *testing.T) {
	for _, c := range []struct{ layer, conf, want string }{
		{`"iupdater": {"learningRate": 0.5}`, `"learningRatePolicy": "Poly", "lrPolicyPower": 2.0`,
			"policy Poly is not kept: the rate stays 0.5"},
		{`"iupdater": {"learningRate": 0.5}`, `"learningRatePolicy": "Step"`, "policy Step is not kept"},
		{`"biasLearningRate": 0.1, "iupdater": {"learningRate": 0.5}`,
			`"learningRatePolicy": "Exponential", "lrPolicyDecayRate": 0.9`, "the biases' own learning rate"},
		{`"nin": 3`, `"pretrain": true`, "pretraining"},
	} {
		_, d, err := upgraded(t, nine(c.layer, c.conf))
		if err != nil || !strings.Contains(strings.Join(d.Notices, ";"), c.want) {
			t.Errorf("%s, %s: notices %q (%v), want %q", c.layer, c.conf, d.Notices, err, c.want)
		}
	}
	_, d, err := upgraded(t, strings.Replace(nine(`"nin": 3`, `"pretrain": false`), `"numIterations": 1`,
		`"numIterations": 5`, 1))
	if err != nil || len(d.Notices) != 1 || !strings.Contains(d.Notices[0], "5 steps were done for each minibatch") {
		t.Errorf("%q (%v)", d.Notices, err)
	}
}

// Unknown classes are named, with their place and the version.
func TestUnknownOldClasses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"confs": [{"layer": {"mine": {}}}]}`,
			`confs[0].layer: a layer of the unknown class "mine"; the file seems to be one of Deeplearning4j 1.0.0-alpha`},
		{`{"confs": [{"layer": {"dense": {"activationFn": {"Mine": {}}}}}]}`,
			`confs[0].layer.activationFn: an activation function of the unknown class "Mine"`},
		{`{"confs": [{"layer": {"output": {"lossFn": {"Mine": {}}}}}]}`, `unknown class "Mine"`},
		{`{"vertices": {"a": {"Mine": {}}}}`, `vertices.a: a vertex of the unknown class "Mine"`},
		{`{"confs": [], "inputPreProcessors": {"0": {"mine": {}}}}`,
			`inputPreProcessors.0: a preprocessor of the unknown class "mine"`},
		{nine(`"iupdater": null, "updater2": 1`, `"a": 1`), ""},
		{strings.Replace(nine(`"nin": 1`, `"a": 1`), `"SGD"`, `"CUSTOM"`, 1),
			`confs[0].layer.updater: an updater of the unknown name "CUSTOM"; the file seems to be one of Deeplearning4j 0.7.2 or before`},
		{strings.Replace(nine(`"nin": 1`, `"a": 1`), `"XAVIER"`, `"MINE"`, 1), `confs[0].layer.weightInit: `},
		{nine(`"activationFunction": "mine"`, `"a": 1`), `activationFunction: `},
	} {
		tree, err := dl4j.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Upgrade(tree.(dl4j.Object))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

// A document of the present form stays as it is.
func TestThePresentFormStays(t *testing.T) {
	const text = `{"confs": [{"layer": {"@class": "org.deeplearning4j.nn.conf.layers.DenseLayer", "idropout": null, "nin": 3,
		"regularization": [], "l1": 3, "weightInitFn": {"@class": "x"}}}], "dataType": "FLOAT"}`
	tree, err := dl4j.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := dl4j.Format(tree)
	d, err := Upgrade(tree.(dl4j.Object))
	after, _ := dl4j.Format(d.Root)
	if err != nil || string(before) != string(after) || d.Version != Present || len(d.Notices) > 0 {
		t.Errorf("became %s of %q, %q (%v)", after, d.Version, d.Notices, err)
	}
}

// 1.0.0-beta4 had two ways to average over padding, which its files do not distinguish.
func TestAveragesOverPadding(t *testing.T) {
	pool := func(members string) string {
		return `{"confs": [{"layer": {"@class": "org.deeplearning4j.nn.conf.layers.SubsamplingLayer", ` + members + `}}]}`
	}
	for members, notices := range map[string]int{
		`"poolingType": "AVG", "padding": [1, 1], "convolutionMode": "Truncate"`:                                      1,
		`"poolingType": "AVG", "padding": [0, 0], "convolutionMode": "Same"`:                                          1,
		`"poolingType": "AVG", "padding": [0, 0], "convolutionMode": "Truncate"`:                                      0,
		`"poolingType": "MAX", "padding": [1, 1], "convolutionMode": "Truncate"`:                                      0,
		`"poolingType": "AVG", "padding": [1, 1], "pretrain": false`:                                                  0,
		`"poolingType": "AVG", "padding": [1, 1], "convolutionMode": "Truncate", "avgPoolIncludePadInDivisor": false`: 0,
	} {
		if _, d, err := upgraded(t, pool(members)); err != nil || len(d.Notices) != notices {
			t.Errorf("%s: notices %q (%v)", members, d.Notices, err)
		}
	}
}

// Sequences had one format before formats were in files.
func TestFormatOfSequences(t *testing.T) {
	got, d, err := upgraded(t,
		`{"confs": [{"layer": {"@class": "org.deeplearning4j.nn.conf.layers.RnnOutputLayer", "nin": 3}}]}`)
	if err != nil || !strings.Contains(got, `"rnnDataFormat":"NCW"`) || d.Version != Beta7 {
		t.Errorf("%s of %q (%v)", got, d.Version, err)
	}
	const none = `{"confs": [{"layer": {"@class": "org.deeplearning4j.nn.conf.layers.RnnOutputLayer", "rnnDataFormat": null}}]}`
	if got, d, err = upgraded(t, none); err != nil || !strings.Contains(got, `"rnnDataFormat":null`) ||
		d.Version != Present {
		t.Errorf("%s of %q (%v)", got, d.Version, err)
	}
}
