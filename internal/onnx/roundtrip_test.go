package onnx

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
)

// writtenOnly are cases of Deeplearning4j, by the beginning of their names, that are written as the operations of
// their formulas. These cannot be read as layers.
var writtenOnly = []string{"act-softmax-cnn", "attention-", "c3-ndhwc", "capsnet", "cnn3dloss",
	"composable-",
	"crop3", "d3-", "graph-composable-masks", "graph-l2vertex", "graph-reversetimeseries", "graph-seq2seq",
	"graph-stack", "lc1", "lc2", "locallyconnected", "mlp-layernorm", "p3-AVG-Same", "primary-", "recurrent-attention",
	"repeatvector", "rnn-dense-nwc", "rnn-ff-in", "rnn-maskzero", "rnn-null-format", "rnn-repeat", "rnn-to-dense", "s2b-",
	"s2d-", "selfattention", "stack-labels", "yolo"}

// TestRoundTrip: a written network is read as a network with the same outputs.
func TestRoundTrip(t *testing.T) {
	read := 0
	for _, c := range oracleCases(t) {
		net, err := nn.LoadNetwork(t.Context(), filepath.Join(c.dir, "model.zip"))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		m := &data.MultiDataSet{Features: c.data(t).Features}
		var shapes [][]int
		for _, f := range m.Features {
			shapes = append(shapes, f.Shape[1:])
		}
		only := slices.ContainsFunc(writtenOnly, func(s string) bool { return strings.HasPrefix(c.name, s) })
		if there := thereAndBack(t, c.name, net, m, Options{InputShapes: shapes}); there == only {
			t.Errorf("%s: read again: %t, and writtenOnly says %t", c.name, there, only)
		} else if there {
			read++
		}
	}
	if read < 200 {
		t.Errorf("only %d cases were read again", read)
	}
}

// TestRoundTripOfMade does the same for networks that Deeplearning4j's cases don't have, except large ones.
func TestRoundTripOfMade(t *testing.T) {
	for name, make := range madeNetworks() {
		switch name {
		case "vgg16", "resnet18", "resnet34", "resnet50":
			continue // resnet and vgg cover their layers
		}
		net, m, err := make()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		only := slices.Contains(madeOnly, name)
		if there := thereAndBack(t, name, net, m, Options{}); there == only {
			t.Errorf("%s: read again: %t, and madeOnly says %t", name, there, only)
		}
	}
}

// madeOnly are made networks that cannot be read again.
var madeOnly = []string{"lstm-selu"}

// thereAndBack writes and reads a network and compares its outputs. It reports whether the network could be read.
func thereAndBack(t *testing.T, name string, net *nn.Network, m *data.MultiDataSet, o Options) bool {
	t.Helper()
	defer net.Close()
	var b bytes.Buffer
	if err := Write(&b, net, o); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	again, err := Read(b.Bytes(), ReadOptions{})
	if err != nil {
		t.Logf("%s: %v", name, err)
		return false
	}
	defer again.Close()
	compare(t, name, predicted(t, again, m), predicted(t, net, m))
	return true
}
