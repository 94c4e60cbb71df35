package nn

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// The JSON of Deeplearning4j's ComputationGraphConfiguration, with the counts of a trained network.
type (
	graphJSON struct {
		BackpropType   BackpropType         `dl4j:"backpropType"`
		DataType       string               `dl4j:"dataType"`
		Defaults       layerJSON            `dl4j:"defaultConfiguration"`
		EpochCount     int                  `dl4j:"epochCount"`
		IterationCount int                  `dl4j:"iterationCount"`
		InputShapes    [][]int              `dl4j:"inputShapes,omitnull"`
		Inputs         []string             `dl4j:"networkInputs"`
		Outputs        []string             `dl4j:"networkOutputs"`
		BackLength     int                  `dl4j:"tbpttBackLength"`
		ForwardLength  int                  `dl4j:"tbpttFwdLength"`
		Order          []int                `dl4j:"topologicalOrder"`
		OrderNames     []string             `dl4j:"topologicalOrderStr"`
		ValidateOutput bool                 `dl4j:"validateOutputLayerConfig"`
		VertexInputs   dl4j.Map[[]string]   `dl4j:"vertexInputs"`
		Vertices       dl4j.Map[vertexJSON] `dl4j:"vertices"`
		Inert          dl4j.Inert
	}
	// vertexJSON is an element of vertices.
	vertexJSON struct {
		layer  *layerVertexJSON
		vertex vertex.Vertex
	}
	layerVertexJSON struct {
		Layer        layerJSON          `dl4j:"layerConf"`
		Preprocessor layer.Preprocessor `dl4j:"preProcessor"`
		Inert        dl4j.Inert
	}
)

// layerVertex is the class of layers in graphs.
const layerVertex = "org.deeplearning4j.nn.conf.graph.LayerVertex"

// InertFields are settings of Deeplearning4j's memory management.
func (graphJSON) InertFields() dl4j.Object { return networkJSON{}.InertFields() }

// InertFields is a mark that Deeplearning4j sets and does not read.
func (layerVertexJSON) InertFields() dl4j.Object {
	return dl4j.Object{{Name: "outputVertex", Value: false}}
}

// MarshalTree returns the layer or the vertex, with its class.
func (v vertexJSON) MarshalTree() (any, error) {
	if v.layer == nil {
		return dl4j.ToTree(&v.vertex)
	}
	tree, err := dl4j.ToTree(v.layer)
	if err != nil {
		return nil, err
	}
	return append(dl4j.Object{{Name: "@class", Value: layerVertex}}, tree.(dl4j.Object)...), nil
}

// UnmarshalTree reads a layer or a vertex, depending on the class.
func (v *vertexJSON) UnmarshalTree(tree any) error {
	o, ok := tree.(dl4j.Object)
	if class, _ := o.Get("@class"); !ok || class != layerVertex {
		return dl4j.FromTree(tree, &v.vertex)
	}
	var rest dl4j.Object
	for _, m := range o {
		if m.Name != "@class" {
			rest = append(rest, m)
		}
	}
	v.layer = &layerVertexJSON{}
	return dl4j.FromTree(rest, v.layer)
}

// marshal returns configuration.json; c must be complete.
func (c *GraphConfiguration) marshal(iteration, epoch int) ([]byte, error) {
	w, err := newWiring(c)
	if err != nil {
		return nil, err
	}
	d := &c.Defaults
	j := graphJSON{BackpropType: d.BackpropType, DataType: "FLOAT", EpochCount: epoch, IterationCount: iteration,
		InputShapes: c.InputShapes, Inputs: c.Inputs, Outputs: c.Outputs,
		BackLength: d.TBPTTBackLength, ForwardLength: d.TBPTTForwardLength, ValidateOutput: !d.AnyOutput, Order: w.order,
		Inert: d.written.network}
	of := func(l layer.Layer, name string) layerJSON {
		return layerJSON{DataType: "FLOAT", EpochCount: epoch, Layer: l, SumGradients: layer.Not(d.SumGradients),
			OptimizationAlgo: sgd,
			Seed:             d.Seed, Inert: c.written[name]}
	}
	j.Defaults = of(nil, "")
	j.Defaults.Variables = []string{}
	for _, i := range w.order {
		j.OrderNames = append(j.OrderNames, w.names[i])
	}
	for i := range c.Vertices {
		v := &c.Vertices[i]
		if next := i + 1; next < len(c.Vertices) && slices.Equal(v.Inputs, []string{c.Vertices[next].Name}) &&
			c.Vertices[next].Name == v.Name+mergeSuffix {
			// Deeplearning4j lists its inputs before the layer's
			j.VertexInputs.Set(c.Vertices[next].Name, c.Vertices[next].Inputs)
		}
		j.VertexInputs.Set(v.Name, v.Inputs)
		if v.Layer == nil {
			j.Vertices.Set(v.Name, vertexJSON{vertex: v.Vertex})
			continue
		}
		l := of(v.Layer, v.Name)
		l.Variables = variables(v.Layer)
		for _, name := range l.Variables {
			j.Defaults.Variables = append(j.Defaults.Variables, v.Name+"_"+name)
		}
		j.Vertices.Set(v.Name, vertexJSON{layer: &layerVertexJSON{Layer: l, Preprocessor: v.Preprocessor,
			Inert: c.written[v.Name+outer]}})
	}
	return dl4j.Marshal(j)
}

// outer marks the inert settings of a LayerVertex itself, as opposed to those of its layer's configuration.
const outer = "\x00vertex"

// LoadGraphConfiguration reads the JSON or YAML of a ComputationGraphConfiguration, of 0.7 or later, and returns it
// with all defaults filled in. Errors are dl4j.FormatErrors, or name the vertex.
func LoadGraphConfiguration(text []byte) (GraphConfiguration, error) {
	d, err := readDocument(text)
	if err != nil {
		return GraphConfiguration{}, err
	}
	c, _, _, err := d.graphConfiguration()
	return c, err
}

// JSON returns configuration.json as Deeplearning4j writes it.
func (c GraphConfiguration) JSON() ([]byte, error) {
	c, err := c.Complete()
	if err != nil {
		return nil, err
	}
	return c.marshal(0, 0)
}

// graphConfiguration reads a ComputationGraphConfiguration, and the network's iteration and epoch.
func (d document) graphConfiguration() (GraphConfiguration, int, int, error) {
	c, iteration, epoch, err := unmarshalGraph(d.Root)
	return c, iteration, epoch, d.Explain(err)
}

func unmarshalGraph(o dl4j.Object) (c GraphConfiguration, iteration, epoch int, err error) {
	bad := func(at, format string, args ...any) (GraphConfiguration, int, int, error) {
		return c, 0, 0, &dl4j.FormatError{At: at, Offset: -1, Err: fmt.Errorf(format, args...)}
	}
	if _, ok := o.Get("vertices"); !ok {
		return bad("", "no member vertices: this is not a ComputationGraphConfiguration")
	}
	j := graphJSON{BackpropType: "Standard", DataType: "FLOAT", BackLength: 20, ForwardLength: 20, ValidateOutput: true}
	if err := dl4j.FromTree(o, &j); err != nil {
		return c, 0, 0, err
	}
	switch {
	case j.IterationCount < 0 || j.EpochCount < 0:
		return bad("iterationCount", "iterations %d and epochs %d must not be negative", j.IterationCount, j.EpochCount)
	case j.DataType != "FLOAT":
		return bad("dataType", "%q: networks are of type FLOAT, DOUBLE or HALF", j.DataType)
	}
	if err := j.Defaults.check("defaultConfiguration", j.Defaults.SumGradients); err != nil {
		return c, 0, 0, err
	}
	d := &c.Defaults
	d.Seed, d.SumGradients, d.AnyOutput = j.Defaults.Seed, bool(j.Defaults.SumGradients), !j.ValidateOutput
	d.written.network, d.written.file = j.Inert, true
	d.BackpropType, d.TBPTTForwardLength, d.TBPTTBackLength = j.BackpropType, j.ForwardLength, j.BackLength
	c.InputShapes, c.Inputs, c.Outputs = j.InputShapes, j.Inputs, j.Outputs
	c.written = map[string]dl4j.Inert{"": j.Defaults.Inert}
	for name, v := range j.Vertices.All() {
		at := "vertices." + name
		of := GraphVertex{Name: name, Vertex: v.vertex}
		of.Inputs, _ = j.VertexInputs.Get(name)
		if l := v.layer; l != nil {
			if l.Layer.Layer == nil {
				return bad(at+".layerConf.layer", "there is none")
			}
			if err := l.Layer.check(at+".layerConf", j.Defaults.SumGradients); err != nil {
				return c, 0, 0, err
			}
			of.Layer, of.Preprocessor = l.Layer.Layer, l.Preprocessor
			c.written[name], c.written[name+outer] = l.Layer.Inert, l.Inert
		} else if v.vertex == nil {
			return bad(at, "there is no vertex")
		}
		c.Vertices = append(c.Vertices, of)
	}
	for name := range j.VertexInputs.All() {
		if _, ok := j.Vertices.Get(name); !ok {
			return bad("vertexInputs", "%q is none of the vertices", name)
		}
	}
	if c.order, err = j.order(); err != nil {
		return c, 0, 0, err
	}
	c, err = c.Complete()
	return c, j.IterationCount, j.EpochCount, err
}

// order returns the topological order that the file has; nil if it has none.
func (j *graphJSON) order() ([]string, error) {
	if len(j.OrderNames) > 0 || len(j.Order) == 0 {
		return j.OrderNames, nil
	}
	names := append([]string{}, j.Inputs...)
	for name := range j.Vertices.All() {
		names = append(names, name)
	}
	var order []string
	for _, i := range j.Order {
		if i < 0 || i >= len(names) {
			return nil, &dl4j.FormatError{At: "topologicalOrder", Offset: -1,
				Err: fmt.Errorf("%d is not the number of an input or vertex: they are 0 to %d", i, len(names)-1)}
		}
		order = append(order, names[i])
	}
	return order, nil
}
