package safetensors

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/mutate"
	"github.com/dl4go/dl4go/nn"
)

// trained are networks with updater state, made by Deeplearning4j.
var trained = []string{"mlp-adam-l1", "lenet", "lstm", "graph-resnet-block", "depthwise", "prelu-cnn", "batchnorm-cnn"}

func load(t testing.TB, name string) *nn.Network {
	t.Helper()
	net, err := nn.LoadNetwork(t.Context(), filepath.Join("..", "..", "testdata", "oracle", "nets", name,
		"model_after_5.zip"))
	if errors.Is(err, os.ErrNotExist) {
		net, err = nn.LoadNetwork(t.Context(), filepath.Join("..", "..", "testdata", "oracle", "nets", name, "model.zip"))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(net.Close)
	return net
}

func written(t testing.TB, net *nn.Network) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, net); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestNetworksComeBack: a network read from our file is complete.
func TestNetworksComeBack(t *testing.T) {
	for _, name := range trained {
		net := load(t, name)
		net.SetNormalizer([]byte{1, 2, 3})
		if err := net.SetSchema(&data.Schema{Classes: []string{"a", "b"}}); err != nil {
			t.Fatal(err)
		}
		if err := net.SetPipeline([]byte("{}"), []byte("[]")); err != nil {
			t.Fatal(err)
		}
		b := written(t, net)
		again, err := Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer again.Close()
		var first, second bytes.Buffer
		if err := net.Write(&first, nn.SaveOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := again.Write(&second, nn.SaveOptions{}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: the model file of what was read is another", name)
		}
	}
}

// TestParametersGoIntoANetwork: a file without a configuration can only be read into a network with its names and
// shapes.
func TestParametersGoIntoANetwork(t *testing.T) {
	net := load(t, "mlp-adam-l1")
	b := written(t, net)
	blank := net.Copy()
	defer blank.Close()
	clear(blank.Params())
	if err := ReadInto(blank, bytes.NewReader(b), int64(len(b))); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(blank.Params(), net.Params()) || !slices.Equal(blank.UpdaterState(), net.UpdaterState()) {
		t.Error("the parameters or the state differ")
	}
	other := load(t, "lstm")
	before := slices.Clone(other.Params())
	err := ReadInto(other, bytes.NewReader(b), int64(len(b)))
	if f := (*dl4j.FormatError)(nil); !errors.As(err, &f) || !strings.Contains(err.Error(), "0_") {
		t.Errorf("the parameters of another network: %v", err)
	}
	if !slices.Equal(other.Params(), before) {
		t.Error("an error changed the network")
	}
	foreign := []byte(`{"w":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}}`)
	foreign = append([]byte{byte(len(foreign)), 0, 0, 0, 0, 0, 0, 0}, append(foreign, 0, 0x3c, 0, 0xc0)...)
	if _, err := Read(bytes.NewReader(foreign), int64(len(foreign))); !errors.Is(err, ErrNoConfiguration) {
		t.Errorf("a file of another program: %v", err)
	}
	f, err := open(bytes.NewReader(foreign), int64(len(foreign)))
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float32, 2)
	if err := f.each(f.entries[0], func(i int, x float32) { got[i] = x }); err != nil || got[0] != 1 || got[1] != -2 {
		t.Errorf("1 and −2 of F16 are %v, %v", got, err)
	}
}

// TestRefusedHeaders: headers that the format's own reader refuses, and duplicate names.
func TestRefusedHeaders(t *testing.T) {
	for _, c := range []struct{ header, want string }{
		{`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}}`,
			"has the shape"},
		{`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`,
			"should begin at 0"},
		{`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`,
			"the tensors 4"},
		{`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`,
			"twice"},
		{`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`,
			"should begin at 8"},
		{`{"a":{"dtype":"F33","shape":[2],"data_offsets":[0,8]}}`,
			"unknown"},
		{`{"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}`,
			"tensor \"a\""},
		{`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}}`,
			"has the shape"},
		{`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}x`,
			"behind the JSON"},
		{`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"__metadata__":{"a":1}}`,
			"object of texts"},
		{` {"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`,
			"begin with {"},
		{"{\"\xff\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}",
			"UTF-8"},
		{`{"a":{"dtype":"F32","shape":[2]}}`,
			"data_offsets"},
	} {
		b := append([]byte{byte(len(c.header)), 0, 0, 0, 0, 0, 0, 0}, c.header...)
		b = append(b, make([]byte, 8)...)
		_, err := open(bytes.NewReader(b), int64(len(b)))
		if f := (*dl4j.FormatError)(nil); !errors.As(err, &f) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.header, err)
		}
	}
	for _, b := range [][]byte{nil, {1, 2}, make([]byte, 8), {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, '{'},
		{9, 0, 0, 0, 0, 0, 0, 0,
			'{', '}'}} {
		_, err := open(bytes.NewReader(b), int64(len(b)))
		if f := (*dl4j.FormatError)(nil); !errors.As(err, &f) {
			t.Errorf("%v: %v", b, err)
		}
	}
}

// TestMutatedFiles: a damaged file is an error with a place, or still a network.
func TestMutatedFiles(t *testing.T) {
	b := written(t, load(t, "mlp-adam-l1"))
	runs := campaign.Record(t)
	for seed := range campaign.Count(200, 500, 10_000) {
		check(t, mutate.Bytes(b, uint64(seed)))
		runs.Add(1)
	}
}

func check(t testing.TB, b []byte) {
	net, err := Read(bytes.NewReader(b), int64(len(b)))
	if err == nil {
		net.Close()
		return
	}
	if f := (*dl4j.FormatError)(nil); !errors.As(err, &f) {
		t.Errorf("%T without a place: %v", err, err)
	}
}

// FuzzRead: no file makes the reader panic.
func FuzzRead(f *testing.F) {
	f.Add(written(f, load(f, "mlp-adam-l1")))
	f.Fuzz(func(t *testing.T, b []byte) { check(t, b) })
}
