package nn

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// vertexCase is a vertex for TestGradientsOfEveryVertex.
type vertexCase struct {
	in      inputtype.Type // of both inputs, a and b
	vertex  vertex.Vertex
	from    string   // its inputs: x and y, which are computed from a and b, and s, their stack
	refuses []string // masks that it refuses
}

func vertexCases() map[string][]vertexCase {
	rows, steps, image := inputtype.FeedForward(3), inputtype.Recurrent(3, 4), inputtype.Convolutional(4, 4, 2)
	elementwise := []vertexCase{{in: steps, vertex: vertex.ElementWise{Op: vertex.Add}, from: "x y"},
		{in: image, vertex: vertex.ElementWise{Op: vertex.Add}, from: "x y"}}
	for _, op := range []vertex.Operation{vertex.Add, vertex.Subtract, vertex.Product, vertex.Average, vertex.Max} {
		elementwise = append(elementwise, vertexCase{in: rows, vertex: vertex.ElementWise{Op: op}, from: "x y"})
	}
	last, back := vertex.LastTimeStep{MaskOf: "a"}, vertex.ReverseTimeSeries{MaskOf: "a"}
	attention := vertex.Attention{NOut: 4, NHeads: 2, ProjectInput: true}
	features := []string{featureMask}
	two := []int{2, 2}
	return map[string][]vertexCase{
		"AttentionVertex":   {{in: steps, vertex: attention, from: "x y y"}},
		"ElementWiseVertex": elementwise,
		"FrozenVertex":      {{in: rows, vertex: vertex.Frozen{Vertex: vertex.Scale{Factor: 2}}, from: "x"}},
		"L2NormalizeVertex": {{in: rows, vertex: vertex.NewL2Normalize(), from: "x"},
			{in: image, vertex: vertex.NewL2Normalize(), from: "x"}},
		"L2Vertex": {{in: rows, vertex: vertex.NewL2(), from: "x y"}},
		"MergeVertex": {{in: rows, vertex: vertex.NewMerge(), from: "x y"},
			{in: steps, vertex: vertex.NewMerge(), from: "x y"}, {in: image, vertex: vertex.NewMerge(), from: "x y"}},
		"PoolHelperVertex": {{in: image, vertex: vertex.PoolHelper{}, from: "x", refuses: features}},
		"PreprocessorVertex": {{in: image,
			vertex: vertex.Preprocessor{Preprocessor: layer.CnnToFeedForward{Height: 4, Width: 4, Channels: 4, Format: "NCHW"}},
			from:   "x", refuses: features}},
		"ReshapeVertex": {{in: rows, vertex: vertex.NewReshape(-1, 2, 2), from: "x", refuses: features}},
		"ScaleVertex":   {{in: rows, vertex: vertex.Scale{Factor: -2}, from: "x"}},
		"ShiftVertex":   {{in: rows, vertex: vertex.Shift{By: 0.5}, from: "x"}},
		"StackVertex": {{in: rows, vertex: vertex.Stack{}, from: "x y"},
			{in: steps, vertex: vertex.Stack{}, from: "x y"}},
		"SubsetVertex": {{in: rows, vertex: vertex.Subset{From: 1, To: 2}, from: "x"}, {in: steps,
			vertex: vertex.Subset{From: 1, To: 2}, from: "x"}, {in: image, vertex: vertex.Subset{From: 0, To: 0}, from: "x"}},
		"UnstackVertex": {{in: rows, vertex: vertex.Unstack{From: 1, Of: 2}, from: "s"},
			{in: steps, vertex: vertex.Unstack{From: 0, Of: 2}, from: "s"}},
		"LastTimeStepVertex":      {{in: steps, vertex: last, from: "x"}},
		"ReverseTimeSeriesVertex": {{in: steps, vertex: back, from: "x"}},
		"Affine": {{in: steps, vertex: vertex.Affine{Shape: []int{4, 1}, Center: []float64{1, 2, 3, 4},
			Factor: []float64{2, -1, 1, 3}, Offset: []float64{0, 1, 2, 3}}, from: "x"}},
		"Bilinear": {{in: image, vertex: vertex.Bilinear{Size: [2]int{2, 3}}, from: "x"},
			{in: image.Last(), vertex: vertex.Bilinear{Size: [2]int{2, 3}}, from: "x"}},
		"ChannelsLast": {{in: image, vertex: vertex.ChannelsLast{}, from: "x"}},
		"Dot": {{in: rows, vertex: vertex.Dot{Axes: [2]int{1, 1}, Normalize: true}, from: "x y"},
			{in: steps, vertex: vertex.Dot{Axes: [2]int{1, 1}}, from: "x y"}},
		"Flip":    {{in: steps, vertex: vertex.Flip{}, from: "x"}},
		"Masked":  {{in: steps, vertex: vertex.Masked{}, from: "x p"}},
		"Present": {{in: steps, vertex: vertex.Present{}, from: "x"}},
		"OneHot": {{in: rows, vertex: vertex.OneHot{Size: 3, Counting: vertex.AnyNumber}, from: "x"},
			{in: rows, vertex: vertex.OneHot{Size: 3, Counting: vertex.AllNumbers}, from: "x"}},
		"Buckets":   {{in: steps, vertex: vertex.Buckets{Boundaries: []float64{-0.5, 0.4}}, from: "x"}},
		"Numbering": {{in: rows, vertex: vertex.Numbering{Keys: []float64{0}, Numbers: []float64{2}, Count: 1}, from: "x"}},
		"Rearrange": {{in: rows, vertex: vertex.Rearrange{Shape: two}, from: "x"},
			{in: image, vertex: vertex.Rearrange{Order: []int{2, 3, 1}, Shape: []int{0, -1}}, from: "x"}},
		"DuplicateToTimeSeriesVertex": {{in: steps, vertex: vertex.DuplicateToTimeSeries{StepsOf: "b"}, from: "end"}},
	}
}

// TestGradientsOfEveryVertex is TestGradientsOfEveryLayer for the vertices of graphs.
func TestGradientsOfEveryVertex(t *testing.T) {
	cases := vertexCases()
	for _, class := range vertex.Classes.Names() {
		name := class[strings.LastIndex(class, ".")+1:]
		if len(cases[name]) == 0 {
			t.Errorf("no gradient check has %s", class)
		}
		for i, c := range cases[name] {
			if got, _ := vertex.Classes.NameOf(c.vertex); got != class {
				t.Errorf("case %d of %s is of %s", i, class, got)
			}
			for k, masks := range []string{noMask, featureMask, labelMask, outputMask} {
				if testing.Short() && k != (len(name)+i)%4 {
					continue
				}
				err := c.check(t, masks)
				if slices.Contains(c.refuses, masks) {
					var shape *program.ShapeError
					if !errors.As(err, &shape) {
						t.Errorf("%s, %s: %v, want it to be refused", name, masks, err)
					}
				} else if err != nil {
					t.Errorf("%s %+v, %s: %v", name, c.vertex, masks, err)
				}
			}
		}
		delete(cases, name)
	}
	for name := range cases {
		t.Errorf("there is no class %s", name)
	}
}

func (c vertexCase) check(t *testing.T, masks string) error {
	g, m, err := c.network(masks, 4)
	if err != nil {
		return err
	}
	return gradientDiffers(t, g, m, nil)
}

// network puts the vertex between layers with that many columns, and makes 4 examples.
func (c vertexCase) network(masks string, columns int) (*Graph, *data.MultiDataSet, error) {
	const rows = 4
	var front layer.Layer = layer.Dense{NOut: columns}
	switch c.in.Kind {
	case inputtype.RecurrentKind:
		front = layer.NewLSTM(columns)
	case inputtype.ConvolutionalKind:
		front = layer.Convolution2D{NOut: columns, Kernel: [2]int{1, 1}}
	}
	conf := GraphConfiguration{Defaults: Configuration{Activation: activation.TanH{}}, Inputs: []string{"a", "b"},
		InputTypes: []inputtype.Type{c.in, c.in},
		Outputs:    []string{"out"}, Vertices: []GraphVertex{{Name: "x", Layer: front, Inputs: []string{"a"}},
			{Name: "y", Layer: front, Inputs: []string{"b"}},
			point("v", c.vertex, strings.Fields(c.from)...)}}
	switch c.from {
	case "s":
		conf.Vertices = append(conf.Vertices, point("s", vertex.Stack{}, "x", "y"))
	case "x p":
		conf.Vertices = append(conf.Vertices, point("p", vertex.Present{}, "y"))
	case "end":
		conf.Vertices = append(conf.Vertices, point("end", vertex.LastTimeStep{}, "x"))
	}
	features := []*tensor.Dense{normals(7, c.in.Shape(rows)...), normals(9, c.in.Shape(rows)...)}
	out, of, err := vertexOutput(conf, features)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case out.Kind == inputtype.ConvolutionalKind:
		conf.Vertices = append(conf.Vertices, GraphVertex{Name: "pool", Layer: layer.GlobalPooling{Pooling: layer.AvgPooling},
			Inputs: []string{"v"}})
		conf.Vertices = append(conf.Vertices, GraphVertex{Name: "out",
			Layer: layer.Output{NOut: 2, Activation: activation.TanH{}, Loss: loss.MSE{}}, Inputs: []string{"pool"}})
	case out.Kind == inputtype.RecurrentKind:
		conf.Vertices = append(conf.Vertices, GraphVertex{Name: "out",
			Layer: layer.RnnOutput{NOut: 2, Activation: activation.TanH{}, Loss: loss.MSE{}}, Inputs: []string{"v"}})
	default:
		conf.Vertices = append(conf.Vertices, GraphVertex{Name: "out",
			Layer: layer.Output{NOut: 2, Activation: activation.TanH{}, Loss: loss.MSE{}}, Inputs: []string{"v"}})
	}
	g, err := NewGraph(conf)
	if err != nil {
		return nil, nil, err
	}
	g.Init(3)
	shape, steps := tensor.Shape{of, 2}, tensor.Shape{of, 2}
	if out.Kind == inputtype.RecurrentKind {
		shape, steps = append(shape, out.TimeSteps), append(steps, out.TimeSteps)
	}
	if out.Format == inputtype.NWC {
		shape = tensor.Shape{of, out.TimeSteps, 2}
	}
	m := &data.MultiDataSet{Features: features, Labels: []*tensor.Dense{normals(8, shape...)}}
	switch masks {
	case featureMask:
		m.FeatureMasks = []*tensor.Dense{maskFor(features[0].Shape, false), maskFor(features[1].Shape, false)}
	case labelMask:
		m.LabelMasks = []*tensor.Dense{maskFor(steps, false)}
	case outputMask:
		m.LabelMasks = []*tensor.Dense{maskFor(shape, true)}
	}
	return g, m, nil
}

// vertexOutput returns the type of the output of v, and the number of its rows.
func vertexOutput(conf GraphConfiguration, features []*tensor.Dense) (out inputtype.Type, rows int, err error) {
	conf.Outputs = []string{"v"}
	g, err := NewGraph(conf)
	if err != nil {
		return out, 0, err
	}
	var types []inputtype.Type
	for _, f := range features {
		types = append(types, must(inputtype.Of(f.Shape)))
	}
	_, all, err := g.types(types)
	if err != nil {
		return out, 0, err
	}
	_, n := g.rows(features[0].Rows())
	return all[g.outputs[0]], n[g.outputs[0]], nil
}
