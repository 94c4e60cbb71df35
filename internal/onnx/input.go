package onnx

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/tensor"
)

// input describes an input's arrays.
type input struct {
	shape    tensor.Shape // of one example; −1 is the length of sequences
	timeAxis int          // of the minibatch's array; 0 if there is none
	time     int          // the length, or 0 if unknown
	symbol   int          // index of the open length; −1 if it is fixed
}

// at returns the shape of a minibatch.
func (x input) at(p point) tensor.Shape {
	s := append(tensor.Shape{p.batch}, x.shape...)
	switch {
	case x.timeAxis > 0 && x.symbol >= 0:
		s[x.timeAxis] = p.times[x.symbol]
	case x.timeAxis > 0:
		s[x.timeAxis] = x.time
	}
	return s
}

// inputsOf describes the inputs, by the options or by the configuration.
func inputsOf(net *nn.Network, o Options) ([]input, error) {
	types := net.InputTypes()
	if o.InputShapes != nil && len(o.InputShapes) != len(types) {
		return nil, fmt.Errorf("there are shapes of %d inputs: the network has %d", len(o.InputShapes), len(types))
	}
	var list []input
	own := ownShapes(net)
	for i, t := range types {
		x, err := inputOf(net, i, t, o, own)
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
		list = append(list, x)
	}
	return list, nil
}

// inputOf describes an input. The options come first, then the network's own shapes, then its types.
func inputOf(net *nn.Network, i int, t inputtype.Type, o Options, own [][]int) (input, error) {
	switch {
	case own == nil && o.InputShapes != nil:
		return inputOfShape(o.InputShapes[i], t)
	case o.InputShapes != nil:
		return inputOfShape(o.InputShapes[i], inputtype.Type{Kind: inputtype.RecurrentKind, Format: inputtype.NWC})
	case own != nil:
		x, err := inputOfShape(own[i], inputtype.Type{Kind: inputtype.RecurrentKind, Format: inputtype.NWC})
		if err == nil {
			return x, nil
		}
	}
	return inputOfType(indices(net, i, t))
}

// ownShapes returns the shapes that the configuration has: those of a model of Keras, with the steps of sequences
// before their values. Nil if it has none.
func ownShapes(net *nn.Network) [][]int {
	if g, ok := nn.As[*nn.Graph](net); ok && len(g.Config().InputShapes) > 0 {
		return g.Config().InputShapes
	}
	return nil
}

// inputOfShape describes an input by the shape of an example.
func inputOfShape(shape []int, t inputtype.Type) (input, error) {
	x := input{shape: shape}
	for i, d := range shape {
		switch {
		case d == -1 && x.timeAxis == 0:
			x.timeAxis = i + 1
		case d < 1 || d > 1<<30:
			return x, fmt.Errorf("the shape %v has the extent %d; write numbers from 1 on, and −1 once for an open length",
				shape, d)
		}
	}
	if x.timeAxis == 0 && len(shape) == 2 {
		x.timeAxis = 2
		if t.Kind == inputtype.RecurrentKind && t.Format == inputtype.NWC {
			x.timeAxis = 1
		}
		x.time = shape[x.timeAxis-1]
	}
	if len(shape) == 0 || len(shape) > 4 {
		return x, fmt.Errorf("the shape %v is that of no example: it has 1 to 4 extents", shape)
	}
	return x, nil
}

func inputOfType(t inputtype.Type) (input, error) {
	if t.Kind == inputtype.Unknown {
		return input{}, errors.New("the configuration does not say how large the inputs are; give --input-shape " +
			"(in Go, Options.InputShapes), such as 3,32,32 for images with 3 channels")
	}
	x := input{}
	if t.Kind == inputtype.RecurrentKind {
		x.time = t.TimeSteps
		t.TimeSteps = -1
	} else {
		t.TimeSteps = 0
	}
	x.shape = t.Shape(1)[1:]
	for i, d := range x.shape {
		switch {
		case d == -1:
			x.timeAxis = i + 1
		case d < 1:
			return x, errors.New("the configuration does not say how large the inputs are; give --input-shape " +
				"(in Go, Options.InputShapes)")
		}
	}
	return x, nil
}

// indices corrects the type of an embedding's input: a configuration may have the number of different indices there,
// but arrays have one index.
func indices(net *nn.Network, i int, t inputtype.Type) inputtype.Type {
	for _, s := range topologyOf(net).steps {
		for _, k := range s.in {
			if k != -1-i {
				continue
			}
			switch l := s.of.(type) {
			case layer.Embedding:
				return inputtype.FeedForward(1)
			case layer.EmbeddingSequence:
				if t.Kind == inputtype.RecurrentKind && t.Size == l.NIn {
					t.Size = 1
				}
				if t.Kind == inputtype.FeedForwardKind && (t.Size == l.NIn || t.Size == 0) {
					return inputtype.Recurrent(1, 0)
				}
				if t.Kind == inputtype.Unknown {
					return inputtype.Recurrent(1, 0)
				}
			}
		}
	}
	return t
}

// declare adds the inputs to the graph, followed by the normalizer's operations.
func (e *exporter) declare(in []input) error {
	for i, x := range in {
		name := e.unique(e.inputs[i])
		if i == 0 {
			e.batchOf = dimension{name, 0}
		}
		if x.timeAxis > 0 && x.symbol == len(e.timesOf) {
			e.timesOf = append(e.timesOf, dimension{name, x.timeAxis})
		}
		f := flow{name: name}
		e.Inputs = append(e.Inputs, &onnxfile.Value{Name: name, Type: onnxfile.Float, HasShape: true, Dims: e.dims(x.at)})
		for _, p := range e.points {
			s := x.at(p)
			t, err := inputtype.Of(s)
			if err != nil {
				return fmt.Errorf("input %d: %w", i, err)
			}
			f.shapes, f.types, f.rows = append(f.shapes, s), append(f.types, t), append(f.rows, p.batch)
		}
		if e.options.Masks && x.timeAxis > 0 {
			e.mask(&f, x)
		}
		if err := e.scaleColumns(i, &f, x); err != nil {
			return err
		}
		if err := e.normalize(i, &f, x); err != nil {
			return err
		}
		e.flows = append(e.flows, f)
	}
	return nil
}

// mask adds an input for a mask.
func (e *exporter) mask(f *flow, x input) {
	f.mask = e.unique(f.name + "_mask")
	at := func(p point) tensor.Shape { return tensor.Shape{p.batch, x.at(p)[x.timeAxis]} }
	e.Inputs = append(e.Inputs, &onnxfile.Value{Name: f.mask, Type: onnxfile.Float, HasShape: true, Dims: e.dims(at)})
	for _, p := range e.points {
		f.maskShapes = append(f.maskShapes, at(p))
	}
}

// dims returns the dimensions of an input or output. Those that vary have names.
func (g *graph) dims(at func(point) tensor.Shape) []onnxfile.Dim {
	var dims []onnxfile.Dim
	for axis := range at(g.points[0]) {
		var x extent
		for _, p := range g.points {
			x = append(x, at(p)[axis])
		}
		dims = append(dims, g.dim(x))
	}
	return dims
}

func (g *graph) dim(x extent) onnxfile.Dim {
	f, ok := formulaOf(x, g.points)
	if x.fixed() {
		return onnxfile.Dim{Size: int64(x[0])}
	}
	var named []string
	count := func(times int, name string) {
		if ok = ok && times >= 0 && times <= 1; times == 1 {
			named = append(named, name)
		}
	}
	count(f.perBatch, "batch")
	for i := range g.timesOf {
		name := "time"
		if len(g.timesOf) > 1 {
			name += strconv.Itoa(i)
		}
		count(f.perTime[i], name)
		count(f.perBoth[i], "batch*"+name)
	}
	if !ok || f.n != 0 || len(named) != 1 {
		return onnxfile.Dim{Size: -1}
	}
	return onnxfile.Dim{Name: named[0]}
}

// finish declares the outputs, on the scale of the labels. An output has the name of its layer.
func (e *exporter) finish() error {
	for k, i := range e.outputs {
		f := e.flows[len(e.inputs)+i]
		e.scope = e.steps[i].name
		x, err := e.revert(k, f)
		if err != nil {
			return err
		}
		name := e.unique(e.steps[i].name)
		e.put(&onnxfile.Node{Op: "Identity", Name: e.unique(e.scope + "/output"), Inputs: []string{x},
			Outputs: []string{name}})
		out := &onnxfile.Value{Name: name, Type: onnxfile.Float, HasShape: true}
		for axis := range f.shapes[0] {
			var extents extent
			for _, s := range f.shapes {
				extents = append(extents, s[axis])
			}
			out.Dims = append(out.Dims, e.dim(extents))
		}
		e.Outputs = append(e.Outputs, out)
	}
	return nil
}
