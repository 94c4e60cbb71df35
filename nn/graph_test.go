package nn

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/tensor"
)

func dense(name string, n int, in ...string) GraphVertex {
	return GraphVertex{Name: name, Layer: layer.Dense{NOut: n, Activation: activation.TanH{}}, Inputs: in}
}

func output(name string, in ...string) GraphVertex {
	return GraphVertex{Name: name, Layer: layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
		Inputs: in}
}

func point(name string, v vertex.Vertex, in ...string) GraphVertex {
	return GraphVertex{Name: name, Vertex: v, Inputs: in}
}

func newGraph(t *testing.T, c GraphConfiguration) *Graph {
	t.Helper()
	g, err := NewGraph(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	g.Init(3)
	return g
}

// minibatch makes features of the given types, and labels of 3 classes for each output.
func minibatch(rows, outputs int, types ...inputtype.Type) *data.MultiDataSet {
	s := random.NewSource(5)
	m := &data.MultiDataSet{}
	for _, in := range types {
		f := tensor.New(in.Shape(rows)...)
		for i := range f.Data {
			f.Data[i] = float32(s.Normal())
		}
		m.Features = append(m.Features, f)
	}
	for k := range outputs {
		l := tensor.New(rows, 3)
		for i := range rows {
			l.Data[3*i+(i+k)%3] = 1
		}
		m.Labels = append(m.Labels, l)
	}
	return m
}

// TestGraphOrder: Deeplearning4j's order, first in, first out by number, and the order of a file.
func TestGraphOrder(t *testing.T) {
	c := GraphConfiguration{Inputs: []string{"a", "b"}, InputTypes: []inputtype.Type{inputtype.FeedForward(2),
		inputtype.FeedForward(2)}, Outputs: []string{"out"},
		Vertices: []GraphVertex{output("out", "z", "y", "x"), dense("x", 2, "y"), dense("y", 2, "b"), dense("z", 2, "a")}}
	g := newGraph(t, c)
	var order []string
	for _, n := range g.nodes {
		order = append(order, n.name)
	}
	if want := []string{"z", "y", "x", "out-merge", "out"}; !slices.Equal(order, want) {
		t.Errorf("the order is %v, want %v", order, want)
	}
	if keys := g.ParamTable(); keys[0].Key != "z_W" || keys[len(keys)-1].Key != "out_b" {
		t.Errorf("the parameters are %+v", keys)
	}
	text, err := g.Configuration()
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(text), `"z", "y", "x", "out-merge"`, `"y", "x", "z", "out-merge"`, 1)
	again, err := LoadGraphConfiguration([]byte(other))
	if err != nil {
		t.Fatal(err)
	}
	if h := newGraph(t, again); h.nodes[0].name != "y" || h.ParamTable()[0].Key != "y_W" {
		t.Errorf("the file's order is not followed: %s is first", h.nodes[0].name)
	}
	if _, err := LoadGraphConfiguration([]byte(strings.Replace(string(text), `"z", "y", "x", "out-merge"`,
		`"z", "x", "y", "out-merge"`, 1))); err == nil ||
		!strings.Contains(err.Error(), "x before y") {
		t.Errorf("an order in which a vertex stands before its input: %v", err)
	}
}

func TestGraphErrors(t *testing.T) {
	in := []inputtype.Type{inputtype.FeedForward(4)}
	for name, c := range map[string]struct {
		vertices []GraphVertex
		outputs  []string
		want     []string
	}{
		"circle": {[]GraphVertex{dense("a", 2, "b"), dense("b", 2, "a"), output("out", "b")}, nil,
			[]string{"circle", "a, b, out"}},
		"unknown input":   {[]GraphVertex{output("out", "c")}, nil, []string{"vertex out", `"c"`}},
		"two of a name":   {[]GraphVertex{dense("out", 2, "in"), output("out", "in")}, nil, []string{`two`, `"out"`}},
		"no inputs":       {[]GraphVertex{output("out")}, nil, []string{"vertex out", "no inputs"}},
		"unknown output":  {[]GraphVertex{output("out", "in")}, []string{"end"}, []string{`"end"`}},
		"an input as one": {[]GraphVertex{output("out", "in")}, []string{"in"}, []string{`"in"`}},
		"twice":           {[]GraphVertex{output("out", "in")}, []string{"out", "out"}, []string{"twice"}},
		"neither":         {[]GraphVertex{{Name: "out", Inputs: []string{"in"}}}, nil, []string{"vertex out", "either"}},
		"subtract one": {[]GraphVertex{point("s", vertex.ElementWise{Op: vertex.Subtract}, "in"), output("out", "s")},
			nil, []string{"vertex s", "2 inputs"}},
		"unknown op": {[]GraphVertex{point("s", vertex.ElementWise{Op: "Divide"}, "in"), output("out", "s")}, nil,
			[]string{"vertex s", "Divide"}},
		"sizes": {[]GraphVertex{dense("d", 3, "in"), point("s", vertex.ElementWise{Op: vertex.Add}, "in", "d"),
			output("out", "s")}, nil, []string{"vertex s", "vectors of 3"}},
		"subset": {[]GraphVertex{point("s", vertex.Subset{From: 2, To: 4}, "in"), output("out", "s")}, nil,
			[]string{"vertex s", "from 0 to 3"}},
		"part of a stack": {[]GraphVertex{point("s", vertex.Unstack{From: 2, Of: 2}, "in"), output("out", "s")}, nil,
			[]string{"vertex s", "stackSize"}},
		"reshape": {[]GraphVertex{point("s", vertex.NewReshape(-1, -1), "in"), output("out", "s")}, nil,
			[]string{"vertex s", "newShape"}},
		"merge": {[]GraphVertex{point("s", vertex.Merge{Axis: 2}, "in", "in"), output("out", "s")}, nil,
			[]string{"vertex s", "mergeAxis"}},
		"pool helper": {[]GraphVertex{point("s", vertex.PoolHelper{}, "in"), output("out", "s")}, nil,
			[]string{"vertex s", "images"}},
		"loss": {[]GraphVertex{{Name: "out", Layer: layer.Output{NOut: 1, Activation: activation.Softmax{},
			Loss: loss.NewMCXENT()}, Inputs: []string{"in"}}}, nil, []string{"vertex out", "softmax"}},
		"layer's own": {[]GraphVertex{dense("d", 0, "in"), output("out", "d")}, nil, []string{"vertex d", "nOut"}},
		"the preprocessor": {[]GraphVertex{{Name: "v", Vertex: vertex.Scale{}, Preprocessor: layer.FeedForwardToCnn{},
			Inputs: []string{"in"}}, output("out", "v")}, nil, []string{"vertex v", "preprocessor"}},
	} {
		if c.outputs == nil {
			c.outputs = []string{"out"}
		}
		_, err := NewGraph(GraphConfiguration{Inputs: []string{"in"}, InputTypes: in, Vertices: c.vertices,
			Outputs: c.outputs})
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q lacks %q", name, err, part)
			}
		}
	}
	g := newGraph(t, GraphConfiguration{Inputs: []string{"in"}, InputTypes: in,
		Vertices: []GraphVertex{output("out", "in")}, Outputs: []string{"out"}})
	var at *VertexError
	if _, err := g.Output(minibatch(2, 1, inputtype.FeedForward(5)), false); !errors.As(err, &at) || at.Name != "out" {
		t.Errorf("features of another size: %v", err)
	}
	if err := g.Check(minibatch(2, 2, inputtype.FeedForward(4))); err == nil ||
		!strings.Contains(err.Error(), "1 outputs") {
		t.Errorf("labels for two outputs: %v", err)
	}
}

// TestGraphGradients compares the gradient through every vertex with central differences, in float64.
func TestGraphGradients(t *testing.T) {
	vector, image := inputtype.FeedForward(4), inputtype.Convolutional(3, 4, 2)
	for name, c := range map[string]struct {
		in       []inputtype.Type
		vertices []GraphVertex
	}{
		"merge": {[]inputtype.Type{vector, vector},
			[]GraphVertex{dense("d", 3, "a"), point("v", vertex.NewMerge(), "d", "b", "d")}},
		"merge images": {[]inputtype.Type{image, image}, []GraphVertex{point("v", vertex.Merge{Axis: -1}, "a", "b")}},
		"add": {[]inputtype.Type{vector, vector}, []GraphVertex{dense("d", 4, "a"), dense("e", 1, "b"),
			point("v", vertex.ElementWise{Op: vertex.Add}, "d", "b", "e")}},
		"subtract": {[]inputtype.Type{vector, vector},
			[]GraphVertex{dense("d", 4, "a"), point("v", vertex.ElementWise{Op: vertex.Subtract}, "d", "b")}},
		"product": {[]inputtype.Type{vector, vector},
			[]GraphVertex{dense("d", 4, "a"), point("v", vertex.ElementWise{Op: vertex.Product}, "d", "b", "d")}},
		"average": {[]inputtype.Type{vector, vector},
			[]GraphVertex{dense("d", 4, "a"), point("v", vertex.ElementWise{Op: vertex.Average}, "d", "b", "a")}},
		"max": {[]inputtype.Type{vector, vector}, []GraphVertex{dense("d", 4, "a"), dense("e", 4, "b"),
			point("v", vertex.ElementWise{Op: vertex.Max}, "d", "e", "b")}},
		"stack": {[]inputtype.Type{vector, vector}, []GraphVertex{point("s", vertex.Stack{}, "a", "b"),
			dense("d", 3, "s"), point("u", vertex.Unstack{Of: 2}, "d"), point("w", vertex.Unstack{From: 1, Of: 2}, "d"),
			point("v", vertex.NewMerge(), "u", "w")}},
		"stack images": {[]inputtype.Type{image, image}, []GraphVertex{point("s", vertex.Stack{}, "a", "b"),
			{Name: "c", Layer: layer.Convolution2D{NOut: 2, Kernel: [2]int{2, 2}, Activation: activation.TanH{}},
				Inputs: []string{"s"}}, dense("d", 3, "c"), point("v", vertex.Unstack{From: 1, Of: 2}, "d")}},
		"subset": {[]inputtype.Type{vector},
			[]GraphVertex{dense("d", 5, "a"), point("v", vertex.Subset{From: 1, To: 3}, "d")}},
		"scale, shift": {[]inputtype.Type{vector}, []GraphVertex{dense("d", 5, "a"),
			point("s", vertex.Scale{Factor: 0.7}, "d"), point("v", vertex.Shift{By: 0.3}, "s")}},
		"distance": {[]inputtype.Type{vector, vector},
			[]GraphVertex{dense("d", 4, "a"), point("v", vertex.NewL2(), "d", "b")}},
		"normalisation": {[]inputtype.Type{image},
			[]GraphVertex{{Name: "c", Layer: layer.Convolution2D{NOut: 2, Kernel: [2]int{2, 2}, Activation: activation.TanH{}},
				Inputs: []string{"a"}}, point("v", vertex.NewL2Normalize(), "c")}},
		"by dimension": {[]inputtype.Type{image},
			[]GraphVertex{{Name: "c", Layer: layer.Convolution2D{NOut: 2, Kernel: [2]int{2, 2}, Activation: activation.TanH{}},
				Inputs: []string{"a"}}, point("v", vertex.L2Normalize{Dimensions: []int{1, 3}, Eps: 1e-8}, "c")}},
		"reshape": {[]inputtype.Type{vector},
			[]GraphVertex{dense("d", 8, "a"), point("r", vertex.NewReshape(-1, 2, 2, 2), "d"),
				{Name: "c", Layer: layer.Convolution2D{NOut: 2, Kernel: [2]int{2, 2}, Activation: activation.TanH{}},
					Inputs: []string{"r"}}, point("v", vertex.NewReshape(-1, 2), "c")}},
		"reshape, f": {[]inputtype.Type{vector}, []GraphVertex{dense("d", 6, "a"),
			point("r", vertex.Reshape{Order: "f", Shape: []int{-1, 3, 2, 1}}, "d"), point("v", vertex.NewReshape(-1, 6), "r")}},
		"pool helper": {[]inputtype.Type{image},
			[]GraphVertex{{Name: "c", Layer: layer.Convolution2D{NOut: 2, Kernel: [2]int{1, 2}, Activation: activation.TanH{}},
				Inputs: []string{"a"}}, point("v", vertex.PoolHelper{}, "c")}},
		"preprocessor": {[]inputtype.Type{image},
			[]GraphVertex{point("p", vertex.Preprocessor{Preprocessor: layer.CnnToFeedForward{Height: 3, Width: 4, Channels: 2,
				Format: "NCHW"}}, "a"), dense("v", 3, "p")}},
		"frozen vertex": {[]inputtype.Type{vector},
			[]GraphVertex{dense("d", 5, "a"), point("v", vertex.Frozen{Vertex: vertex.Scale{Factor: 2}}, "d")}},
	} {
		conf := GraphConfiguration{Inputs: []string{"a", "b"}[:len(c.in)], InputTypes: c.in, Outputs: []string{"o", "o2"},
			Vertices: slices.Concat(c.vertices, []GraphVertex{output("o", "v"), dense("q", 3, "v"), output("o2", "q")})}
		checkGraph(t, name, newGraph(t, conf), minibatch(4, 2, c.in...))
	}
}

// TestSequenceVertices: the vertices choose the same elements as loops over examples and steps, with and without
// masks. Their gradients equal differences.
func TestSequenceVertices(t *testing.T) {
	const rows, n, steps = 4, 2, 5
	in, row := inputtype.Recurrent(n, steps), inputtype.FeedForward(n)
	mask := &tensor.Dense{Shape: tensor.Shape{rows, steps}, Data: []float32{1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0, 0,
		0, 0, 0, 0}}
	for _, of := range []string{"", "a"} {
		m := minibatch(rows, 1, in, row)
		if of != "" {
			m.FeatureMasks = []*tensor.Dense{mask, nil}
		}
		last, reversed, repeated := tensor.New(rows, n), tensor.New(rows, n, steps), tensor.New(rows, n, steps)
		for i := range rows {
			var there []int
			for s := range steps {
				if of == "" || mask.Data[i*steps+s] != 0 {
					there = append(there, s)
				}
			}
			for k := i * n; k < i*n+n; k++ {
				x, y := m.Features[0].Data[k*steps:][:steps], reversed.Data[k*steps:][:steps]
				for j, s := range there {
					y[there[len(there)-1-j]] = x[s]
				}
				last.Data[k] = x[0]
				if len(there) > 0 {
					last.Data[k] = x[there[len(there)-1]]
				}
				for s := range steps {
					repeated.Data[k*steps+s] = m.Features[1].Data[k]
				}
			}
		}
		g := newGraph(t, GraphConfiguration{Inputs: []string{"a", "b"}, InputTypes: []inputtype.Type{in, row},
			Outputs: []string{"o"},
			Vertices: slices.Concat(sequenceVertices(of, layer.NewLSTM(3)),
				[]GraphVertex{point("last", vertex.LastTimeStep{MaskOf: of}, "a"),
					point("reversed", vertex.ReverseTimeSeries{MaskOf: of}, "a"),
					point("repeated", vertex.DuplicateToTimeSeries{StepsOf: "a"}, "b")})})
		acts, err := g.FeedForward(m, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, nd := range g.nodes {
			if want := map[string]*tensor.Dense{"last": last, "reversed": reversed,
				"repeated": repeated}[nd.name]; want != nil &&
				(!equalBits(acts[i].Data, want.Data) || !acts[i].Shape.Equal(want.Shape)) {
				t.Errorf("mask of %q: %s is %v %v, want %v %v", of, nd.name, acts[i].Shape, acts[i].Data, want.Shape, want.Data)
			}
		}
		checkGraph(t, "mask of "+of, g, m)
	}
}

// sequenceVertices puts all three vertices behind an LSTM.
func sequenceVertices(of string, lstm layer.LSTM) []GraphVertex {
	return []GraphVertex{{Name: "l", Layer: lstm, Inputs: []string{"a"}},
		point("back", vertex.ReverseTimeSeries{MaskOf: of}, "l"),
		point("end", vertex.LastTimeStep{MaskOf: of}, "back"), dense("d", 2, "end"),
		point("again", vertex.DuplicateToTimeSeries{StepsOf: "a"}, "d"),
		point("end2", vertex.LastTimeStep{}, "again"), output("o", "end2", "b", "end")}
}

// checkGraph is gradientDiffers for a graph.
func checkGraph(t *testing.T, name string, g *Graph, m *data.MultiDataSet) {
	t.Helper()
	if err := gradientDiffers(t, g, m, nil); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// TestGraphFiles: a new graph is the same after it was written and read, and trains on to the same bits.
func TestGraphFiles(t *testing.T) {
	in := inputtype.FeedForward(4)
	conf := GraphConfiguration{Inputs: []string{"a", "b"}, InputTypes: []inputtype.Type{in, in},
		Outputs: []string{"o", "p"},
		Vertices: []GraphVertex{dense("d", 3, "a", "b"), output("o", "d"), point("s", vertex.ElementWise{Op: vertex.Average},
			"d", "e"), dense("e", 3, "b"), output("p", "s")}}
	g, m := newGraph(t, conf), minibatch(5, 2, in, in)
	fit := func(g *Graph) {
		t.Helper()
		if _, err := g.Fit(m, Key{}); err != nil {
			t.Fatal(err)
		}
	}
	fit(g)
	path := filepath.Join(t.TempDir(), "graph.zip")
	if err := g.Save(t.Context(), path, SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	h, err := LoadGraph(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	fit(g)
	fit(h)
	if !equalBits(g.Params(), h.Params()) || h.Iteration() != 2 {
		t.Errorf("after it was read, the graph trains to other parameters, iteration %d", h.Iteration())
	}
	if _, err := Load(t.Context(), path); err == nil || !strings.Contains(err.Error(), "graph") {
		t.Errorf("Load of a graph: %v", err)
	}
	text, _ := g.Configuration()
	replica, err := Replica(text)
	if err != nil {
		t.Fatal(err)
	}
	defer replica.Close()
	if replica.NumParams() != g.NumParams() || replica.Iteration() != 2 {
		t.Errorf("the replica has %d parameters, iteration %d", replica.NumParams(), replica.Iteration())
	}
	if s := g.Summary(); !strings.Contains(s, "d-merge (MergeVertex)") || !strings.Contains(s, "[a, b]") {
		t.Errorf("the summary is %s", s)
	}
}
