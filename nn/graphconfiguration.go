package nn

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// GraphConfiguration describes a Graph (Deeplearning4j: ComputationGraphConfiguration).
type GraphConfiguration struct {
	// Defaults holds the settings of the whole network and the defaults of its layers (Deeplearning4j:
	// defaultConfiguration). Its Layers, InputType and Preprocessors must be empty.
	Defaults Configuration
	// Inputs are the names of the network's inputs, in the order of a MultiDataSet's features.
	Inputs []string
	// InputTypes are the types of Inputs, or empty. With them, the layers' nIn and the preprocessors are inferred.
	InputTypes []inputtype.Type
	// InputShapes are the shapes of an example of each of Inputs, without the batch, or empty. -1 is an open extent. They
	// describe arrays for exports. Nothing is inferred from them.
	//
	// Deeplearning4j differs: it has no such member, and ignores it.
	InputShapes [][]int
	// Vertices are the layers and vertices in any order. This order decides between several topological orders.
	Vertices []GraphVertex
	// Outputs are names of vertices, in the order of a MultiDataSet's labels.
	Outputs []string

	order   []string // a file's order of inputs and vertices; nil: computed
	written map[string]dl4j.Inert
	// kept are vertices that a transferred network has taken over: their settings are complete. If the value is true,
	// no preprocessor is inserted either.
	kept map[string]bool
}

// GraphVertex is a node of a graph: a layer or a vertex, and the names of its inputs.
type GraphVertex struct {
	Name   string
	Layer  layer.Layer   // nil if Vertex is set
	Vertex vertex.Vertex // nil if Layer is set
	// Preprocessor runs before a layer. Those that InputTypes require are inserted.
	Preprocessor layer.Preprocessor
	// Inputs are names of the network's inputs and of vertices. If a layer has several inputs, a Merge combines them.
	// It is named after the layer: "dense-merge".
	Inputs []string
}

// Complete returns the configuration with all inferred settings filled in, and checks it. It does not change the
// receiver. If a vertex is at fault, the error is a VertexError.
func (c GraphConfiguration) Complete() (GraphConfiguration, error) {
	if d := c.Defaults; len(d.Layers) > 0 || len(d.Preprocessors) > 0 || d.InputType.Kind != inputtype.Unknown {
		return c,
			fmt.Errorf("the defaults of a graph have layers, preprocessors or an input type: Vertices and InputTypes are for " +
				"those")
	}
	if len(c.InputTypes) != 0 && len(c.InputTypes) != len(c.Inputs) {
		return c, fmt.Errorf("there are %d input types for %d inputs", len(c.InputTypes), len(c.Inputs))
	}
	if len(c.InputShapes) != 0 && len(c.InputShapes) != len(c.Inputs) {
		return c, fmt.Errorf("there are %d input shapes for %d inputs", len(c.InputShapes), len(c.Inputs))
	}
	if err := c.Defaults.completeBackprop(); err != nil {
		return c, err
	}
	c.Vertices = merged(c.Vertices)
	g, err := newWiring(&c)
	if err != nil {
		return c, err
	}
	types := make([]inputtype.Type, len(g.names))
	copy(types, c.InputTypes)
	d := c.Defaults.defaults()
	for _, i := range g.order {
		if i < len(c.Inputs) {
			continue
		}
		v := &c.Vertices[i-len(c.Inputs)]
		var in []inputtype.Type
		known := true
		for _, k := range g.in[i] {
			in = append(in, types[k])
			known = known && types[k].Kind != inputtype.Unknown
		}
		if types[i], err = c.complete(v, d, in, known); err != nil {
			return c, &VertexError{v.Name, err}
		}
	}
	return c, nil
}

// mergeSuffix and the layer's name before it form the name of the layer's Merge.
const mergeSuffix = "-merge"

// merged returns a copy of the vertices in which each layer has a single input.
func merged(all []GraphVertex) []GraphVertex {
	var out []GraphVertex
	for _, v := range all {
		if v.Layer != nil && len(v.Inputs) > 1 {
			name := v.Name + mergeSuffix
			m := GraphVertex{Name: name, Vertex: vertex.NewMerge(), Inputs: v.Inputs}
			v.Inputs = []string{name}
			out = append(out, v, m)
			continue
		}
		out = append(out, v)
	}
	return out
}

// complete completes a vertex and returns the type of its output, if it is known.
func (c *GraphConfiguration) complete(v *GraphVertex, d layer.Defaults, in []inputtype.Type,
	known bool) (out inputtype.Type, err error) {
	d.Name = v.Name
	asItIs, kept := c.kept[v.Name]
	d.FromFile = d.FromFile || kept
	if p, ok := v.Vertex.(vertex.Parametric); ok {
		if v.Vertex, err = p.Complete(d, in); err != nil {
			return out, err
		}
	}
	if v.Vertex != nil {
		if !known {
			return out, nil
		}
		return v.Vertex.OutputType(in)
	}
	if known {
		if p := v.Layer.Preprocessor(in[0]); p != nil && v.Preprocessor == nil && !asItIs {
			v.Preprocessor = p
		}
		if v.Preprocessor != nil {
			if in[0], err = v.Preprocessor.OutputType(in[0]); err != nil {
				return out, err
			}
		}
	}
	if v.Layer, err = layer.Complete(v.Layer, d, in); err != nil {
		return out, err
	}
	s, scores := v.Layer.(layer.Scorer)
	if scores && slices.Contains(c.Outputs, v.Name) && !c.Defaults.AnyOutput && !c.Defaults.written.file {
		if err := s.CheckLoss(); err != nil {
			return out, fmt.Errorf("%w (AnyOutput switches this check off)", err)
		}
	}
	if dr := v.Layer.Settings().Dropout; dr != nil {
		if err := dr.Validate(); err != nil {
			return out, err
		}
	}
	if known {
		out, err = v.Layer.OutputType(in)
	}
	return out, err
}
