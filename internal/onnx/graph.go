package onnx

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/internal/onnxfile"
)

// errNoFormula means that a shape depends on the length of the sequences in a way that is not a sum of products.
var errNoFormula = errors.New("its shapes depend on the length of the sequences by a division, as after a stride: " +
	"set the length with --input-shape (in Go, Options.InputShapes)")

// graph is the ONNX graph under construction.
type graph struct {
	onnxfile.Graph
	points    []point
	batchOf   dimension
	timesOf   []dimension       // of the open lengths
	scope     string            // of the names to come: a step's name
	used      map[string]bool   // names
	constants map[string]string // names of constants, by their content
	sizes     map[string]string // names of sizes, by their formula
	nested    *onnxfile.Graph   // the body of the loop that is being written, or nil
	opset     int64
}

func newGraph(at []point) *graph {
	return &graph{points: at, used: map[string]bool{}, constants: map[string]string{}, sizes: map[string]string{},
		opset: leastOpset}
}

// unique returns a name that is not used yet.
func (g *graph) unique(name string) string {
	unique := name
	for i := 1; g.used[unique]; i++ {
		unique = name + "_" + strconv.Itoa(i)
	}
	g.used[unique] = true
	return unique
}

// node adds an operator with one result, and returns the result's name.
func (g *graph) node(op string, in []string, attributes ...*onnxfile.Attribute) string {
	return g.nodes(op, in, 1, attributes...)[0]
}

// nodes is node with several results.
func (g *graph) nodes(op string, in []string, results int, attributes ...*onnxfile.Attribute) []string {
	name := g.unique(g.scope + "/" + op)
	out := []string{name}
	for i := 1; i < results; i++ {
		out = append(out, g.unique(name+"_out"+strconv.Itoa(i)))
	}
	g.put(&onnxfile.Node{Op: op, Name: name, Inputs: slices.Clone(in), Outputs: out, Attributes: attributes})
	return out
}

func (g *graph) put(n *onnxfile.Node) {
	if g.nested != nil {
		g.nested.Nodes = append(g.nested.Nodes, n)
		return
	}
	g.Nodes = append(g.Nodes, n)
}

// top adds an operator to the outermost graph. Every loop sees its values.
func (g *graph) top(op, scope string, in []string, attributes ...*onnxfile.Attribute) string {
	nested, before := g.nested, g.scope
	g.nested, g.scope = nil, scope
	defer func() { g.nested, g.scope = nested, before }()
	return g.node(op, in, attributes...)
}

// weights adds parameters under their own, unique name.
func (g *graph) weights(name string, data []float32, dims ...int) string {
	name = g.unique(name)
	g.Initializers = append(g.Initializers, &onnxfile.Tensor{Name: name, Type: onnxfile.Float, F: data, Dims: wide(dims)})
	return name
}

// reals returns a float32 constant; without dims it is a scalar. Equal constants are added once.
func (g *graph) reals(data []float32, dims ...int) string {
	key := fmt.Sprintf("%v%v", dims, data)
	name, ok := g.constants[key]
	if !ok {
		name = "constant"
		if len(data) == 1 {
			name = strconv.FormatFloat(float64(data[0]), 'g', -1, 32)
		}
		name = g.unique("const/" + name)
		g.Initializers = append(g.Initializers, &onnxfile.Tensor{Name: name, Type: onnxfile.Float, F: data, Dims: wide(dims)})
		g.constants[key] = name
	}
	return name
}

// scalar returns a constant of shape [].
func (g *graph) scalar(x float64) string { return g.reals([]float32{float32(x)}) }

// ints returns a constant INT64 [n]. Equal constants are added once.
func (g *graph) ints(list ...int64) string {
	key := "int" + fmt.Sprint(list)
	name, ok := g.constants[key]
	if !ok {
		name = "const/ints"
		if len(list) == 1 {
			name += strconv.FormatInt(list[0], 10)
		}
		name = g.unique(name)
		g.Initializers = append(g.Initializers, &onnxfile.Tensor{Name: name, Type: onnxfile.Int64, I: list,
			Dims: []int64{int64(len(list))}})
		g.constants[key] = name
	}
	return name
}

// index returns a constant INT64 [].
func (g *graph) index(i int64) string {
	key := fmt.Sprintf("index %d", i)
	name, ok := g.constants[key]
	if !ok {
		name = g.unique("const/" + strconv.FormatInt(i, 10))
		g.Initializers = append(g.Initializers, &onnxfile.Tensor{Name: name, Type: onnxfile.Int64, I: []int64{i}})
		g.constants[key] = name
	}
	return name
}

func wide(dims []int) []int64 {
	out := make([]int64, len(dims))
	for i, d := range dims {
		out[i] = int64(d)
	}
	return out
}
