package keras

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestHashedInputs: hashed inputs are read by one layer, and settings are checked.
func TestHashedInputs(t *testing.T) {
	if os.Getenv("DL4GO_KERAS") != "" {
		return // other cases
	}
	files := cases(t)
	for _, c := range []struct{ file, old, by, want string }{
		{"texts-hash-salt", `"keras_history": ["number", 0, 0]`, `"keras_history": ["word", 0, 0]`, "which the layer hashing"},
		{"texts-hash-numbers", `"output_layers": ["dense_4"`, `"output_layers": ["id"`, "is an output"},
		{"texts-hash", `"num_bins": 7`, `"num_bins": 0`, "num_bins is 0"},
		{"texts-hash-salt", `"salt": [133, 137]`, `"salt": [133]`, "one or two whole numbers"},
		{"texts-hash-salt", `"mask_value": "red"`, `"mask_value": 0.5`, "no text and no whole number"},
		{"texts-oov4", `["green", "blue"]`, `["green", "green"]`, `"green" twice`},
	} {
		all := entries(t, content(t, files, c.file+"/model.keras"))
		for i, e := range all {
			if e.name != configMember {
				continue
			}
			all[i].b = bytes.ReplaceAll(e.b, []byte(c.old), []byte(c.by))
			if bytes.Equal(all[i].b, e.b) {
				t.Fatalf("%s has no %s:\n%s", c.file, c.old, e.b)
			}
		}
		b := zipped(t, all)
		net, err := Read(bytes.NewReader(b), int64(len(b)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %s: %v, %v; it should say %s", c.file, c.by, net, err, c.want)
		}
	}
}
