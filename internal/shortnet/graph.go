package shortnet

import (
	"errors"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/registry"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
)

// graph returns a network of vertices.
func (r *reader) graph(defaults nn.Configuration) ([]byte, error) {
	c := nn.GraphConfiguration{Defaults: defaults}
	if err := r.graphInputs(&c); err != nil {
		return nil, err
	}
	n := r.of[verticesKey]
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return nil, errorAt(n, "vertices: {name: {dense: {units: 64}, inputs: [input]}, …} should be here, not %s",
			describe(n))
	}
	items := map[string]*item{}
	names := slices.Clone(c.Inputs)
	for i := 0; i+1 < len(n.Content); i += 2 {
		names = append(names, n.Content[i].Value)
	}
	var kept []string
	used := map[string]bool{}
	before := c.Inputs
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		if slices.Contains(c.Inputs, name) {
			return nil, errorAt(n.Content[i], "vertex %.60q: an input has that name", name)
		}
		it, err := r.item(n.Content[i+1], vertexType)
		if err != nil {
			return nil, err
		}
		v := nn.GraphVertex{Name: name, Layer: it.layer, Vertex: it.vertex, Preprocessor: it.pre, Inputs: before}
		if it.inputs != nil {
			if v.Inputs, err = nameList(it.inputs, names, "inputs"); err != nil {
				return nil, err
			}
		}
		for _, from := range v.Inputs {
			used[from] = true
		}
		if it.exact {
			kept = append(kept, name)
		}
		items[name], before = it, []string{name}
		c.Vertices = append(c.Vertices, v)
	}
	if err := r.graphOutputs(&c, names, used); err != nil {
		return nil, err
	}
	text, err := c.Keeping(kept...).JSON()
	if wrong := (*nn.VertexError)(nil); errors.As(err, &wrong) && items[wrong.Name] != nil {
		hint := ""
		if len(c.InputTypes) == 0 {
			hint = r.hint(inputtype.Type{})
		}
		at := items[wrong.Name]
		return nil, errorAt(at.node, "vertex %s (%s): %w%s", wrong.Name, at.name, wrong.Err, hint)
	}
	if err != nil {
		return nil, errorAt(n, "%w", err)
	}
	return r.patched(text, func(o dl4j.Object) (dl4j.Object, error) {
		vertices, _ := o.Get("vertices")
		for i, m := range vertices.(dl4j.Object) {
			if it := items[m.Name]; it != nil && it.patch != nil {
				vertices.(dl4j.Object)[i].Value = merge(m.Value.(dl4j.Object), it.patch)
			}
		}
		return o, nil
	})
}

// graphInputs reads inputs, or input, which is a single input with that name.
func (r *reader) graphInputs(c *nn.GraphConfiguration) error {
	n := r.of[inputsKey]
	types := map[string]*yaml.Node{}
	switch {
	case n != nil && r.of[inputKey] != nil:
		return errorAt(r.of[inputKey], "input and inputs are given: leave one out")
	case n == nil:
		c.Inputs, types[inputKey] = []string{inputKey}, r.of[inputKey]
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			c.Inputs = append(c.Inputs, n.Content[i].Value)
			types[n.Content[i].Value] = n.Content[i+1]
		}
	default:
		var err error
		if c.Inputs, err = nameList(n, nil, inputsKey); err != nil {
			return err
		}
	}
	if len(c.Inputs) == 0 {
		return errorAt(n, "inputs: {name: {features: 784}, …} should be here")
	}
	known := true
	for _, name := range c.Inputs {
		data := inputtype.Type{}
		if len(c.Inputs) == 1 {
			data = r.data.Input
		}
		t, err := r.input(types[name], data)
		if err != nil {
			return err
		}
		c.InputTypes = append(c.InputTypes, t)
		known = known && t.Kind != inputtype.Unknown
	}
	if !known {
		c.InputTypes = nil
	}
	return nil
}

// graphOutputs reads outputs. Without them, all vertices that no other vertex reads are outputs.
func (r *reader) graphOutputs(c *nn.GraphConfiguration, names []string, used map[string]bool) (err error) {
	if n := r.of[outputsKey]; n != nil {
		c.Outputs, err = nameList(n, names[len(c.Inputs):], outputsKey)
		return err
	}
	for _, v := range c.Vertices {
		if !used[v.Name] {
			c.Outputs = append(c.Outputs, v.Name)
		}
	}
	if len(c.Outputs) == 0 {
		return errorAt(r.of[verticesKey], "no vertex is an output: each is an input of another one; write outputs")
	}
	return nil
}

// nameList reads a name or a list of names. They must be among the known ones, unless known is nil.
func nameList(n *yaml.Node, known []string, what string) ([]string, error) {
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		list = n.Content
	}
	var names []string
	for _, e := range list {
		if e.Kind != yaml.ScalarNode || isNull(e) {
			return nil, wrong(e, what, "a name, or a list of names,")
		}
		if known != nil && !slices.Contains(known, e.Value) {
			return nil, errorAt(e, "%s: there is no %.60q%s", what, e.Value, registry.SuggestWord(e.Value, known))
		}
		names = append(names, e.Value)
	}
	return names, nil
}
