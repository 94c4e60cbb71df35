package shortnet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/nn"
)

// TestRoundTrip: configurations of the real Deeplearning4j are the same after conversion to the short form and back.
func TestRoundTrip(t *testing.T) {
	files, err := filepath.Glob("../../testdata/oracle/nets/*/conf*.json")
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, file, text)
	}
}

// roundTrip returns the short form of a configuration, which must convert back to the same configuration.
func roundTrip(t *testing.T, name string, text []byte) string {
	t.Helper()
	n, err := nn.Replica(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	want, err := n.Configuration()
	n.Close()
	if err != nil {
		t.Fatal(err)
	}
	short, err := Format(want)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return ""
	}
	got, err := Configuration(short, nn.BuiltInData{})
	if err != nil || string(got) != string(want) {
		t.Errorf("%s: %v\n%s\nwas\n%s\nfrom\n%s", name, err, got, want, short)
	}
	if !Is(short) {
		t.Errorf("%s: not taken for the short form:\n%s", name, short)
	}
	return string(short)
}

// TestRoundTripOdd tests settings that the short form does not have, and settings that have no effect here.
func TestRoundTripOdd(t *testing.T) {
	for name, change := range map[string][3]string{
		"zero":      {`"gainInit" : 1.0`, `"gainInit" : 0.0`, "org.deeplearning4j.nn.conf.layers.DenseLayer: "},
		"cache":     {`"cacheMode" : "NONE"`, `"cacheMode" : "DEVICE"`, "configuration: "},
		"counts":    {`"iterationCount" : 0`, `"iterationCount" : 7`, "configuration: "},
		"cudnn":     {`"PREFER_FASTEST"`, `"NO_WORKSPACE"`, "cudnnAlgoMode: NO_WORKSPACE"},
		"name":      {`"layerName" : "layer0"`, `"layerName" : "a: b #c"`, `name: "a: b #c"`},
		"unchecked": {`"validateOutputLayerConfig" : true`, `"validateOutputLayerConfig" : false`, "validateOutputLayerConfig: false"},
		"seed":      {`"seed" : `, `"seed" : -9`, "seed: -9"},
	} {
		text, err := os.ReadFile("../../testdata/oracle/nets/lenet/conf.json")
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.ReplaceAll(string(text), change[0], change[1])
		if changed == string(text) {
			t.Fatalf("%s: nothing to change in\n%s", name, text)
		}
		if short := roundTrip(t, name, []byte(changed)); !strings.Contains(short, change[2]) {
			t.Errorf("%s: %q is not in\n%s", name, change[2], short)
		}
	}
}
