package onnx

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/mutate"
	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
)

// fileOf returns the file of a model with the nodes, an input [n, 4], and the weights w [4, 2].
func fileOf(t testing.TB, nodes ...*onnxfile.Node) []byte {
	t.Helper()
	batch := []onnxfile.Dim{{Name: "n"}, {Size: 4}}
	m := onnxfile.Model{IRVersion: 8, Opsets: []onnxfile.Opset{{Version: 17}}, Graph: &onnxfile.Graph{Name: "g",
		Nodes:        nodes,
		Inputs:       []*onnxfile.Value{{Name: "x", Type: onnxfile.Float, HasShape: true, Dims: batch}},
		Outputs:      []*onnxfile.Value{{Name: "y", Type: onnxfile.Float}},
		Initializers: []*onnxfile.Tensor{{Name: "w", Type: onnxfile.Float, Dims: []int64{4, 2}, F: make([]float32, 8)}}}}
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func op(op string, attributes []*onnxfile.Attribute, in ...string) *onnxfile.Node {
	return &onnxfile.Node{Op: op, Name: "a/" + op, Inputs: in, Outputs: []string{"y"}, Attributes: attributes}
}

// TestRefusedNodes: a node without a layer is an error that names the node.
func TestRefusedNodes(t *testing.T) {
	for _, c := range []struct {
		node *onnxfile.Node
		want string
	}{
		{op("Sin", nil, "x"), "no layer"},
		{&onnxfile.Node{Op: "Attention", Domain: "com.microsoft", Name: "a/x", Inputs: []string{"x"}, Outputs: []string{"y"}},
			"another domain"},
		{op("Gemm", []*onnxfile.Attribute{integer("transA", 1)}, "x", "w"), "transA"},
		{op("Gemm", nil, "x"), "operand 1"},
		{op("Gemm", nil, "x", "x"), "operand 1"},
		{op("Gemm", []*onnxfile.Attribute{integer("transB", 1)}, "x", "w"), "nIn"},
		{op("Conv", nil, "x", "w"), "axes"},
		{op("LSTM", nil, "x", "w", "w"), "axes"},
		{op("Concat", []*onnxfile.Attribute{integer("axis", 0)}, "x", "x"), "features"},
		{op("Softmax", []*onnxfile.Attribute{integer("axis", 0)}, "x"), "axis"},
		{op("Clip", nil, "x"), "limits"},
		{op("Reshape", nil, "x", "w"), "whole numbers"},
		{op("Elu", []*onnxfile.Attribute{number("alpha", 0)}, "x"), "setting"},
		{op("Slice", nil, "x"), "ranges"},
	} {
		_, err := Read(fileOf(t, c.node), ReadOptions{})
		l := (*LayerError)(nil)
		if !errors.As(err, &l) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(l.Name, "node a/") {
			t.Errorf("%s: %v", c.node.Op, err)
		}
	}
}

// TestRefusedModels: files that are not models, or only parts of one, are errors.
func TestRefusedModels(t *testing.T) {
	good := fileOf(t, op("Gemm", nil, "x", "w"))
	if _, err := Read(good, ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	// a tensor in another file: fields 13 and 14 of TensorProto
	external := bytes.Replace(good, []byte("w\x4a\x20"), []byte("w\x6a\x10\x0a\x08location\x12\x04w.db"), 1)
	for name, b := range map[string][]byte{"nothing": nil, "text": []byte("hello, world"), "half": good[:len(good)/2],
		"zeros": make([]byte, 100)} {
		_, err := Read(b, ReadOptions{})
		if f := (*dl4j.FormatError)(nil); !errors.As(err, &f) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(external, ReadOptions{}); err == nil {
		t.Error("a tensor of another file was read")
	}
	if _, err := Read(good, ReadOptions{Outputs: []string{"z"}}); err == nil || !strings.Contains(err.Error(), `"z"`) {
		t.Errorf("an output that is not there: %v", err)
	}
}

// TestSharedWeights: weights shared by many nodes take no more memory than the file justifies.
func TestSharedWeights(t *testing.T) {
	const size = 400 // of a matrix of 640 kB
	w := &onnxfile.Tensor{Name: "w", Type: onnxfile.Float, Dims: []int64{size, size}, F: make([]float32, size*size)}
	m := onnxfile.Model{IRVersion: 8, Opsets: []onnxfile.Opset{{Version: 17}}, Graph: &onnxfile.Graph{
		Inputs: []*onnxfile.Value{{Name: "x0", Type: onnxfile.Float, HasShape: true,
			Dims: []onnxfile.Dim{{Name: "n"}, {Size: size}}}},
		Initializers: []*onnxfile.Tensor{w}}}
	shared := func(times int) error {
		m.Graph.Nodes = nil
		for i := range times {
			m.Graph.Nodes = append(m.Graph.Nodes, &onnxfile.Node{Op: "Gemm", Inputs: []string{fmt.Sprint("x", i), "w"},
				Outputs: []string{fmt.Sprint("x", i+1)}})
		}
		m.Graph.Outputs = []*onnxfile.Value{{Name: fmt.Sprint("x", times), Type: onnxfile.Float}}
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			t.Fatal(err)
		}
		net, err := Read(b.Bytes(), ReadOptions{})
		if err == nil {
			net.Close()
		}
		return err
	}
	if err := shared(3); err != nil {
		t.Errorf("three nodes: %v", err)
	}
	if err := shared(1000); err == nil || !strings.Contains(err.Error(), "share") {
		t.Errorf("a thousand: %v", err)
	}
}

// TestRefusedLayers: the error names a layer that cannot be written.
func TestRefusedLayers(t *testing.T) {
	net, err := nn.New(nn.Configuration{Layers: []layer.Layer{
		layer.Convolution1D{NOut: 2, Kernel: [2]int{3, 3}, Stride: [2]int{2, 2}},
		layer.Dense{NOut: 2},
		layer.RnnOutput{NOut: 2, Loss: loss.MSE{}}}, InputType: inputtype.Recurrent(2, 0)})
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close()
	err = Write(&bytes.Buffer{}, net, Options{})
	if l := (*LayerError)(nil); !errors.As(err, &l) || l.Name != "layer2" || !strings.Contains(err.Error(),
		"--input-shape") {
		t.Errorf("a length after a stride: %v", err)
	}
	if err := Write(&bytes.Buffer{}, net, Options{InputShapes: [][]int{{2, 9}}}); err != nil {
		t.Errorf("the same with the length: %v", err)
	}
	for _, shapes := range [][][]int{{}, {{2}, {3}}, {{0}}, {{2, 3, 4, 5, 6}}, {{-1, -1}}} {
		if err := Write(&bytes.Buffer{}, net, Options{InputShapes: shapes}); err == nil {
			t.Errorf("the shapes %v were taken", shapes)
		}
	}
}

// TestMutatedModels: damaged models are errors with a place or a node, or are read as networks.
func TestMutatedModels(t *testing.T) {
	runs := campaign.Record(t)
	models := goldens(t)
	for name, g := range models {
		for seed := range campaign.Count(10, 40, (10_000+len(models)-1)/len(models)) {
			b := mutate.Bytes(g.model, uint64(seed))
			if err := check(b); err != nil {
				t.Errorf("%s, seed %d: %v", name, seed, err)
			}
			runs.Add(1)
		}
	}
}

// check reads a file that may be damaged. It must take no more memory than the file justifies.
func check(b []byte) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	net, err := Read(b, ReadOptions{})
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20+64*uint64(len(b)) {
		return fmt.Errorf("%d bytes took %d bytes of memory", len(b), took)
	}
	if err == nil {
		net.Close()
		return nil
	}
	var f *dl4j.FormatError
	var l *LayerError
	if !errors.As(err, &f) && !errors.As(err, &l) {
		return err
	}
	return nil
}

// FuzzRead: no file makes the reader panic.
func FuzzRead(f *testing.F) {
	for _, g := range goldens(f) {
		f.Add(g.model)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := check(b); err != nil {
			t.Error(err)
		}
	})
}
