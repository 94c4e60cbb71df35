package onnx

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
)

// named returns a node with a result of that name.
func named(op, out string, attributes []*onnxfile.Attribute, in ...string) *onnxfile.Node {
	return &onnxfile.Node{Op: op, Name: "a/" + op, Inputs: in, Outputs: []string{out}, Attributes: attributes}
}

func sizesOfShape(out string, dims ...int64) *onnxfile.Node {
	return named("Constant", out, []*onnxfile.Attribute{{Name: "value_ints", Type: onnxfile.IntsAttribute, Ints: dims}})
}

// TestComputedConstantsAreBounded: a small file whose nodes compute large constants of each other is refused before
// their memory is taken.
func TestComputedConstantsAreBounded(t *testing.T) {
	along := []*onnxfile.Attribute{integer("axis", 0)}
	v := named("MatMul", "y", nil, "x", "v")
	// w has equal elements: with u = w·[1, 2] the elements differ, and Expand repeats them
	factor := named("Constant", "f", []*onnxfile.Attribute{{Name: "value_floats", Type: onnxfile.FloatsAttribute,
		Floats: []float32{1, 2}}})
	differing := []*onnxfile.Node{factor, named("Add", "v0", nil, "w", "f")}
	for name, nodes := range map[string][]*onnxfile.Node{
		"Concat": func() (list []*onnxfile.Node) {
			for i := range 40 {
				at := fmt.Sprint("v", i)
				list = append(list, named("Concat", fmt.Sprint("v", i+1), along, at, at))
			}
			return append(append(differing, list...), named("Identity", "v", nil, "v40"), v)
		}(),
		"Gather": append(differing, named("ConstantOfShape", "i", []*onnxfile.Attribute{{Name: "value",
			Type: onnxfile.TensorAttribute, Tensor: &onnxfile.Tensor{Type: onnxfile.Int64, Dims: []int64{1}, I: []int64{1}}}},
			"s"), named("Gather", "v1", along, "v0", "i"), named("Gather", "v2", []*onnxfile.Attribute{integer("axis", 1)},
			"v1", "i"), named("Identity", "v", nil, "v2"), v),
		"Expand": append(differing, named("Expand", "v", nil, "v0", "large"), v),
		"Add": append(differing, named("Expand", "a", nil, "zero", "large"), named("Expand", "b", nil, "zero", "wide"),
			named("Add", "v", nil, "a", "b"), v),
	} {
		nodes = append([]*onnxfile.Node{sizesOfShape("large", 1<<29, 1, 4, 2), sizesOfShape("wide", 1, 1<<29, 1, 1),
			sizesOfShape("s", 60_000), named("Constant", "zero", []*onnxfile.Attribute{{Name: "value_float",
				Type: onnxfile.FloatAttribute, Float: 1}})}, nodes...)
		b := fileOf(t, nodes...)
		if err := check(b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_, err := Read(b, ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), "computed constants") && !strings.Contains(err.Error(), "large") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRefusedConstants: an operator on constants that does not fit them is an error.
func TestRefusedConstants(t *testing.T) {
	for name, c := range map[string]struct {
		node *onnxfile.Node
		want string
	}{
		"reshape":   {named("Reshape", "v", nil, "w", "s"), "shape"},
		"gather":    {named("Gather", "v", nil, "w", "s"), "axis"},
		"slice":     {named("Slice", "v", nil, "w", "s", "s", "s"), "axis"},
		"backwards": {named("Slice", "v", nil, "w", "one", "one", "one", "minus"), "steps"},
		"expand":    {named("Expand", "v", nil, "w", "s"), "fit"},
		"transpose": {named("Transpose", "v", []*onnxfile.Attribute{integers("perm", 0, 0)}, "w"), "permutation"},
		"concat":    {named("Concat", "v", []*onnxfile.Attribute{integer("axis", 2)}, "w", "w"), "axis"},
		"add":       {named("Add", "v", nil, "w"), "missing"},
		"erf":       {named("Erf", "v", nil, "w"), "not computed"},
		"negative":  {named("ConstantOfShape", "v", nil, "minus"), "dimensions"},
	} {
		_, err := Read(fileOf(t, sizesOfShape("s", 3, 7), sizesOfShape("one", 1), sizesOfShape("minus", -1), c.node,
			named("MatMul", "y", nil, "x", "v")), ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLogSoftmaxTrains: the score of a network that gives logarithms of probabilities is the cross entropy.
func TestLogSoftmaxTrains(t *testing.T) {
	net, err := Read(fileOf(t, named("Gemm", "z", nil, "x", "w"), named("LogSoftmax", "y", nil, "z")), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close()
	for i := range net.Params() {
		net.Params()[i] = float32(i%5) / 4
	}
	m := &data.MultiDataSet{Features: []*tensor.Dense{filled(3, 4)}}
	out := predicted(t, net, m)[0]
	m.Labels = []*tensor.Dense{{Shape: tensor.Shape{3, 2}, Data: []float32{1, 0, 0, 1, 1, 0}}}
	want := 0.0
	for i, y := range m.Labels[0].Data {
		want -= float64(y*out.Data[i]) / 3
	}
	score, err := net.Fit(m, nn.Key{Seed: 1})
	if err != nil || !near.Equal(float32(score), float32(want), 1e-5*math.Abs(want), 0) {
		t.Errorf("the score is %v, want %v: %v", score, want, err)
	}
}

// TestShapeOfConstants: a Shape of a constant has its range, too.
func TestShapeOfConstants(t *testing.T) {
	net, err := Read(fileOf(t, named("Shape", "all", nil, "w"),
		named("Shape", "first", []*onnxfile.Attribute{integer("end", 1)}, "w"), sizesOfShape("rest", -1),
		named("Concat", "to", []*onnxfile.Attribute{integer("axis", 0)}, "first", "rest"),
		named("Reshape", "v", nil, "w", "to"), named("MatMul", "y", nil, "x", "v")), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close()
	var b bytes.Buffer
	if err := Write(&b, net, Options{}); err != nil {
		t.Error(err)
	}
}
