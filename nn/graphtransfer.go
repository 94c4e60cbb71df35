package nn

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/nn/weights"
)

// GraphTransfer makes a graph from a trained one (Deeplearning4j: TransferLearning.GraphBuilder). It makes its changes
// in the order of the fields. The topological order is computed again.
type GraphTransfer struct {
	FineTune FineTune
	// NOut replaces the number of outputs of layers. These layers are initialised again. So are the batch
	// normalisations and layers with parameters that take their outputs, directly or through layers and vertices
	// without parameters.
	NOut map[string]int
	// NIn replaces the number of inputs of layers. These layers are initialised again.
	NIn map[string]int
	// WeightInit is the initialisation of these layers. Layers that it does not name use their own.
	WeightInit map[string]weights.Init
	// Remove lists vertices to remove. They are removed from the inputs of others and from the outputs, too
	// (removeVertexAndConnections).
	Remove []string
	// Replace lists vertices that replace those of the same names (removeVertexKeepConnections, then addLayer or
	// addVertex). A vertex without Inputs takes those of its predecessor.
	Replace []GraphVertex
	// Add lists layers and vertices to add.
	Add []GraphVertex
	// Inputs and Outputs are those of the new network; nil keeps the remaining ones.
	Inputs, Outputs []string
	// InputTypes are needed if sizes follow from them and the trained network's configuration does not have them.
	InputTypes []inputtype.Type
	// Freeze lists vertices to freeze, together with all vertices that they depend on (setFeatureExtractor).
	Freeze []string
	// AnyOutput switches off the check of the output layers (validateOutputLayerConfig(false)).
	AnyOutput bool
}

// New makes the graph. Layers and vertices that stay keep their parameters; new and resized ones are drawn from the
// seed. Updater state, iteration and epoch start afresh. The trained graph is not changed. If a vertex is at fault,
// the error is a VertexError.
func (t GraphTransfer) New(trained *Graph, seed uint64) (*Graph, error) {
	e := graphEdit{GraphTransfer: t, c: trained.conf, fresh: map[string]bool{}}
	c := &e.c
	c.order, c.written, c.Defaults.written.file = nil, nil, false
	c.Vertices, c.Inputs, c.Outputs = slices.Clone(c.Vertices), slices.Clone(c.Inputs), slices.Clone(c.Outputs)
	t.FineTune.defaults(&c.Defaults)
	c.Defaults.AnyOutput = t.AnyOutput
	for _, edit := range []func() error{e.fineTune, e.resize, e.remove, e.replace} {
		if err := edit(); err != nil {
			return nil, err
		}
	}
	for _, v := range t.Add {
		e.fresh[v.Name], e.resized[v.Name] = true, false
	}
	c.Vertices = append(c.Vertices, t.Add...)
	e.ends(trained)
	c.kept = map[string]bool{}
	for _, v := range c.Vertices {
		if !e.fresh[v.Name] || e.resized[v.Name] {
			c.kept[v.Name] = !e.fresh[v.Name]
		}
	}
	if err := e.freeze(); err != nil {
		return nil, err
	}
	g, err := blankGraph(*c)
	if err != nil {
		return nil, err
	}
	g.Init(seed)
	return g, g.take(trained, e.fresh)
}

// take copies the parameters of all nodes except the fresh ones.
func (g *Graph) take(trained *Graph, fresh map[string]bool) error {
	for i, nd := range g.nodes {
		k := slices.IndexFunc(trained.nodes, func(o node) bool { return o.name == nd.name })
		if k < 0 || fresh[nd.name] {
			continue
		}
		from, size := trained.layout.nodeRange(k)
		to, n := g.layout.nodeRange(i)
		if n != size {
			return g.at(i, fmt.Errorf("has %d parameters, the trained one %d: replace it", n, size))
		}
		copy(g.params[to:to+n], trained.params[from:from+size])
	}
	return nil
}

// graphEdit is a configuration that is being changed.
type graphEdit struct {
	GraphTransfer
	c       GraphConfiguration
	fresh   map[string]bool // nodes whose parameters are drawn
	resized map[string]bool // fresh nodes that keep their settings of the trained network
}

// vertex finds a vertex by name.
func (e *graphEdit) vertex(name string) (*GraphVertex, error) {
	for i := range e.c.Vertices {
		if e.c.Vertices[i].Name == name {
			return &e.c.Vertices[i], nil
		}
	}
	return nil, fmt.Errorf("transfer: the graph has no vertex %q", name)
}

func (e *graphEdit) fineTune() error {
	for i := range e.c.Vertices {
		v := &e.c.Vertices[i]
		if v.Layer == nil {
			continue
		}
		l, err := e.FineTune.apply(v.Layer)
		if err != nil {
			return &VertexError{v.Name, err}
		}
		v.Layer = l
	}
	return nil
}

func (e *graphEdit) resize() error {
	e.resized = map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(e.NIn)) {
		if err := e.renew(name, e.NIn[name], -1); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.NOut)) {
		if err := e.renew(name, -1, e.NOut[name]); err != nil {
			return err
		}
		if err := e.follow(name, e.NOut[name], map[string]bool{}); err != nil {
			return err
		}
	}
	return nil
}

// follow renews the nodes whose parameters depend on the size of a vertex's result. n is the new size; 0: it follows
// later.
func (e *graphEdit) follow(name string, n int, seen map[string]bool) error {
	for _, v := range slices.Clone(e.c.Vertices) {
		if !slices.Contains(v.Inputs, name) || seen[v.Name] {
			continue
		}
		seen[v.Name] = true
		if p, ok := v.Vertex.(vertex.Parametric); ok && len(p.Params()) > 0 {
			return &VertexError{v.Name, fmt.Errorf("its parameters are as many as its inputs are: replace it, as they change")}
		}
		if v.Layer == nil || len(v.Layer.Params()) == 0 {
			if err := e.follow(v.Name, 0, seen); err != nil {
				return err
			}
			continue
		}
		nIn := n
		if v.Preprocessor != nil {
			nIn = 0
			if of, _ := e.vertex(v.Name); flattens(v.Preprocessor) {
				of.Preprocessor = nil
			}
		}
		if err := e.renew(v.Name, nIn, -1); err != nil {
			return err
		}
		if layer.Follows(v.Layer) {
			if err := e.follow(v.Name, n, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// renew gives a layer other sizes. Its parameters will be drawn again.
func (e *graphEdit) renew(name string, nIn, nOut int) error {
	v, err := e.vertex(name)
	if err != nil {
		return err
	}
	fail := func(format string, args ...any) error { return &VertexError{name, fmt.Errorf(format, args...)} }
	switch {
	case v.Layer == nil:
		return fail("is not a layer: it has no nIn and nOut that could be replaced")
	case len(v.Layer.Params()) == 0:
		return fail("has no parameters: its outputs are as many as its inputs")
	}
	l, ok := layer.Resize(v.Layer, nIn, nOut)
	if !ok {
		return fail("%T has no nIn and nOut that could be replaced", v.Layer)
	}
	if v.Layer, err = drawnBy(l, e.WeightInit[name]); err != nil {
		return &VertexError{name, err}
	}
	e.fresh[name], e.resized[name] = true, true
	moved := *v
	e.drop(name)
	e.c.Vertices = append(e.c.Vertices, moved) // at the end, as in Deeplearning4j: the topological order depends on it
	return nil
}

func (e *graphEdit) remove() error {
	for _, name := range e.Remove {
		v, err := e.vertex(name)
		if err != nil {
			return err
		}
		e.withoutMerge(v)
		e.drop(name)
		is := func(of string) bool { return of == name }
		e.c.Outputs = slices.DeleteFunc(e.c.Outputs, is)
		for i := range e.c.Vertices {
			of := &e.c.Vertices[i]
			of.Inputs = slices.DeleteFunc(slices.Clone(of.Inputs), is)
		}
	}
	return nil
}

// withoutMerge drops the Merge that was inserted before a layer, and gives the layer its inputs.
func (e *graphEdit) withoutMerge(v *GraphVertex) {
	if v.Layer == nil || !slices.Equal(v.Inputs, []string{v.Name + mergeSuffix}) {
		return
	}
	if m, err := e.vertex(v.Inputs[0]); err == nil && m.Layer == nil {
		v.Inputs = m.Inputs
		e.drop(m.Name)
	}
}

func (e *graphEdit) drop(name string) {
	e.c.Vertices = slices.DeleteFunc(slices.Clone(e.c.Vertices), func(v GraphVertex) bool { return v.Name == name })
}

func (e *graphEdit) replace() error {
	for _, r := range e.Replace {
		v, err := e.vertex(r.Name)
		if err != nil {
			return err
		}
		e.withoutMerge(v)
		if v, err = e.vertex(r.Name); err != nil {
			return err
		}
		if r.Inputs == nil {
			r.Inputs = v.Inputs
		}
		e.drop(r.Name)
		e.c.Vertices = append(e.c.Vertices, r)
		e.fresh[r.Name], e.resized[r.Name] = true, false
	}
	return nil
}

// ends sets the inputs and outputs of the new network.
func (e *graphEdit) ends(trained *Graph) {
	c := &e.c
	types := map[string]inputtype.Type{}
	for i, t := range trained.InputTypes() {
		types[c.Inputs[i]] = t
	}
	if e.Inputs != nil {
		c.Inputs = e.Inputs
	}
	if e.Outputs != nil {
		c.Outputs = e.Outputs
	}
	c.InputTypes = e.InputTypes
	for _, name := range c.Inputs {
		if e.InputTypes == nil {
			c.InputTypes = append(c.InputTypes, types[name])
		}
	}
}

// freeze freezes vertices and all vertices that they depend on.
func (e *graphEdit) freeze() error {
	var still func(name string) error
	done := map[string]bool{}
	still = func(name string) error {
		if done[name] || slices.Contains(e.c.Inputs, name) {
			return nil
		}
		done[name] = true
		v, err := e.vertex(name)
		if err != nil {
			return err
		}
		if v.Layer != nil {
			v.Layer = frozen(v.Layer)
		} else if _, already := v.Vertex.(vertex.Frozen); !already {
			v.Vertex = vertex.Frozen{Vertex: v.Vertex}
		}
		for _, in := range v.Inputs {
			if err := still(in); err != nil {
				return err
			}
		}
		return nil
	}
	for _, name := range e.Freeze {
		if err := still(name); err != nil {
			return err
		}
	}
	return nil
}
