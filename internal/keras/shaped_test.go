package keras

import (
	"bytes"
	"strings"
	"testing"
)

const matricesFile = "testdata/matrices.zip"

// TestMatrices: training goes on with Keras' Adafactor and Muon. testdata/matrices.py made the models.
func TestMatrices(t *testing.T) { compareAll(t, casesIn(t, matricesFile)) }

// reconfigured returns a .keras file with a part of its configuration replaced.
func reconfigured(t *testing.T, file []byte, from, to string) []byte {
	t.Helper()
	all := entries(t, file)
	for i, e := range all {
		if e.name == configMember {
			if from != "" && !bytes.Contains(e.b, []byte(from)) {
				t.Fatalf("the configuration has no %s", from)
			}
			all[i].b = bytes.Replace(e.b, []byte(from), []byte(to), 1)
		}
	}
	return zipped(t, all)
}

// TestMatricesRefused: where training can't go on as in Keras, a notice names the layer or the setting, and the network
// predicts.
func TestMatricesRefused(t *testing.T) {
	files := casesIn(t, matricesFile)
	for _, c := range []struct{ of, from, to, want string }{
		{"refused/gru", "", "", "layer gru is a GRU with reset_after"},
		{"refused/groups", "", "", "is a convolution in groups, and the optimizer takes"},
		{"refused/layer-norm", "", "", "has a gamma of 2 dimensions"},
		{"adafactor-mlp", `"weight_decay": null`, `"weight_decay": 0.1`, "adafactor has a weight_decay"},
		{"muon-mlp", `, "rms_rate": 0.2`, "", "muon has no rms_rate"},
		{"muon-texts", `"head", "memory`, `"(?=head)", "memory`, "the pattern \"(?=head)\""},
		{"muon-texts", `["head", "memory.*recurrent"]`, `["^sequential"]`, "depends on the names of models"},
		{"muon-texts", `"adam_weight_decay": 0.004`, `"adam_weight_decay": 0.1`, "layer memory has weights with Muon's steps"},
	} {
		b := reconfigured(t, content(t, files, c.of+"/model.keras"), c.from, c.to)
		net, err := Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Errorf("%s, %s: %v", c.of, c.to, err)
			continue
		}
		if all := strings.Join(net.Notices(), "\n"); !strings.Contains(all, c.want) ||
			!strings.Contains(all, "training cannot go on") {
			t.Errorf("%s, %s: the notices are %q, want %q", c.of, c.to, all, c.want)
		}
		net.Close()
	}
}

// TestMatricesOfOtherShapes: state of the wrong shape, or too little of it, is an error.
func TestMatricesOfOtherShapes(t *testing.T) {
	files := casesIn(t, matricesFile)
	for of, change := range map[string][2]string{
		"muon-mlp":   {`"exclude_layers": []`, `"exclude_layers": ["head"]`},
		"muon-texts": {`"exclude_layers": ["head", "memory.*recurrent"]`, `"exclude_layers": []`},
	} {
		b := reconfigured(t, content(t, files, of+"/model.keras"), change[0], change[1])
		if net, err := Read(bytes.NewReader(b), int64(len(b))); err == nil || !strings.Contains(err.Error(), "optimizer") {
			t.Errorf("%s: %v, %v", of, net, err)
		}
	}
}
