package keras

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/fingerprint"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
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
		{"texts-hash-salt", `"mask_value": "red"`, `"mask_value": 0.5`, "neither a text nor a whole number"},
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

// TestHashInside: the numbers of buckets are hashed inside of a model, as the pipeline hashes numbers, and the
// hashes again. Values of an unknown range are refused.
func TestHashInside(t *testing.T) {
	if os.Getenv("DL4GO_KERAS") != "" {
		return // other cases
	}
	read := func(layers string) (*nn.Network, error) {
		all := entries(t, content(t, cases(t), "categories-disc-int/model.keras"))
		for i, e := range all {
			if e.name == configMember {
				all[i].b = []byte(`{"module": "keras", "class_name": "Sequential", "config": {"name": "s", "layers": [` + layers +
					`]}, "registered_name": null}`)
			}
		}
		b := zipped(t, all)
		return Read(bytes.NewReader(b), int64(len(b)))
	}
	const input = `{"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": [null, 3],
		"dtype": "float32", "name": "x"}, "registered_name": null}`
	const buckets = `, {"module": "keras.layers", "class_name": "Discretization", "config": {"name": "d",
		"bin_boundaries": [-0.5, 0.0, 0.7], "output_mode": "int", "dtype": "float32"}, "registered_name": null}`
	const scaled = `, {"module": "keras.layers", "class_name": "Rescaling", "config": {"name": "r", "scale": 1.0,
		"offset": 0.0, "dtype": "float32"}, "registered_name": null}`
	const first = `, {"module": "keras.layers", "class_name": "Hashing", "config": {"name": "h", "num_bins": 5,
		"mask_value": 2, "salt": null, "output_mode": "int", "dtype": "float32"}, "registered_name": null}`
	const second = `, {"module": "keras.layers", "class_name": "Hashing", "config": {"name": "k", "num_bins": 1000,
		"mask_value": null, "salt": [133, 137], "output_mode": "int", "dtype": "float32"}, "registered_name": null}`
	net, err := read(input + buckets + first + second + scaled)
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close()
	// The four buckets, by Hashing(5, mask_value=2), and those by Hashing(1000, salt=[133, 137]).
	var want []float32
	for _, n := range []int{0, 1, 2, 3} {
		bucket := 0 // of the mask
		if n != 2 {
			bucket = 1 + int(fingerprint.Farm(strconv.Itoa(n))%4)
		}
		want = append(want, float32(fingerprint.Sip([2]uint64{133, 137}, strconv.Itoa(bucket))%1000))
	}
	got, err := net.Output(&data.MultiDataSet{Features: []*tensor.Dense{
		tensor.MustOf([]float32{-1, -0.25, 0.5, 2, 0.7, -0.5}, 2, 3)}}, false)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float32{want[0], want[1], want[2], want[3], want[3], want[1]}; !slices.Equal(got[0].Data, want) {
		t.Errorf("hashes %v, want %v", got[0].Data, want)
	}
	_, err = read(input + buckets + scaled + first)
	if err == nil || !strings.Contains(err.Error(), "unknown range") {
		t.Errorf("the hash of scaled numbers: %v", err)
	}
}
