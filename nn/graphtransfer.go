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

// GraphTransfer makes a graph from a trained one (Deeplearning4j: TransferLearning.GraphBuilder). Its changes are made
// in the order of the fields. The topological order is computed again.
type GraphTransfer struct {
	FineTune FineTune
	// NOut replaces the number of outputs of layers. These layers are initialised again. So are the batch
	// normalisations and layers with parameters that take their outputs, directly or through layers and vertices
	// without parameters.
	NOut map[string]int
	// NIn replaces the number of inputs of layers, which are drawn again.
	NIn map[string]int
	// WeightInit is the initialisation of these layers; without one, the layer's own.
	WeightInit map[string]weights.Init
	// Remove are vertices that go, from others' inputs and from the outputs too (removeVertexAndConnections).
	Remove []string
	// Replace are vertices that take the place of those of the same names (removeVertexKeepConnections, and addLayer or
	// addVertex). Without Inputs they have those of their predecessors.
	Replace []GraphVertex
	// Add are layers and vertices that come in.
	Add []GraphVertex
	// Inputs and Outputs are the new network's; nil: those that are left.
	Inputs, Outputs []string
	// InputTypes are needed if sizes follow from them and the configuration of the trained network does not have them.
	InputTypes []inputtype.Type
	// Freeze are vertices that are frozen, with all that they depend on (setFeatureExtractor).
	Freeze []string
	// AnyOutput switches the check of the output layers off (validateOutputLayerConfig(false)).
	AnyOutput bool
}

// New makes the graph: layers and vertices that stay have their parameters, those that are new or of another size are
// drawn from the seed. Updater state, iteration and epoch are those before the first step. The trained graph is not
// changed. Errors are VertexErrors where a vertex is at fault.
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

// take copies the parameters of all nodes but the fresh ones.
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

// graphEdit is a configuration on its way.
type graphEdit struct {
	GraphTransfer
	c       GraphConfiguration
	fresh   map[string]bool // what is drawn
	resized map[string]bool // what of that has its settings from the trained network
}

// vertex finds one.
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

// follow renews what depends on the size of a vertex' result, of n elements where it is not 0.
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

// renew gives a layer other sizes, and has it drawn again.
func (e *graphEdit) renew(name string, nIn, nOut int) error {
	v, err := e.vertex(name)
	if err != nil {
		return err
	}
	fail := func(format string, args ...any) error { return &VertexError{name, fmt.Errorf(format, args...)} }
	switch {
	case v.Layer == nil:
		return fail("is no layer: it has no nIn and nOut that could be replaced")
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
	e.c.Vertices = append(e.c.Vertices, moved) // as there, which the topological order goes by
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

// withoutMerge drops the Merge that was put before a layer, and gives that its inputs.
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

// ends sets inputs and outputs.
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

// freeze freezes vertices and what they depend on.
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
