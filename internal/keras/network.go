package keras

import (
	"slices"
	"strings"

	"github.com/dl4go/dl4go/nn"
)

// network makes the network of a model file.
func (a *archive) network() (*nn.Network, error) {
	p := &parser{a: a}
	m := p.model(a.model, false, 0)
	b := &builder{a: a, model: m, at: map[string]int{}, renamed: map[string]string{}, below: map[string]int{}}
	readTraining(b)
	conf := nn.GraphConfiguration{Defaults: nn.Configuration{AnyOutput: true}}
	in, names := b.inputs(m)
	conf.Inputs, conf.InputShapes = names, shapesOf(b, in)
	out := b.run(m, in, "")
	weights := a.find(m)
	for _, w := range weights {
		if w.keep != nil {
			w.keep(w.numbers())
		}
	}
	for _, f := range b.after {
		f()
	}
	conf.Outputs = outputsOf(b, m, out)
	conf.Vertices = b.vertices
	if b.training != nil {
		conf.Defaults.Updater = b.training.updater
	}
	g, err := nn.NewGraph(conf)
	if err != nil {
		return nil, formatError("", err)
	}
	to := b.parametersOf(g)
	for _, w := range weights {
		if w.put != nil {
			w.put(to, w.numbers())
		}
	}
	if b.training != nil {
		restoreTraining(b, g, weights)
	}
	b.setPipeline(g, m, out)
	g.AddNotices(b.notices...)
	return &g.Network, nil
}

// inputShape returns the shape of an input of the model, without the batch.
func inputShape(m *model, r reference) []int {
	l := m.byName[r.layer]
	if l == nil {
		refuse("the model has no input %s", shown(r.layer))
	}
	key := "batch_shape"
	if l.m[key] == nil {
		key = "batch_input_shape"
	}
	list, ok := l.get(key).([]any)
	if !ok || len(list) < 1 || len(list) > 5 {
		l.refuse("%s is %s: arrays of 1 to 5 dimensions are read", key, shown(l.m[key]))
	}
	var shape []int
	for _, v := range list[1:] {
		n, whole := whole(v)
		switch {
		case v == nil:
			n = -1
		case !whole || n < 1 || n > maxExtent:
			l.wrong(key, "positive numbers, or null for open extents")
		}
		shape = append(shape, n)
	}
	if len(shape) == 0 {
		l.refuse("%s is %s: inputs are arrays [batch, …]", key, shown(l.m[key]))
	}
	return shape
}

// shapesOf returns the shapes of the network's inputs. The pipeline makes a single one of all columns.
func shapesOf(b *builder, in []value) (shapes [][]int) {
	columns := 0
	for _, t := range in {
		shapes = append(shapes, t.shape)
		columns += max(0, size(t.shape))
	}
	if b.columns != nil {
		return [][]int{{columns}}
	}
	return shapes
}

// parametersOf returns the numbers of a network's parameters.
func (b *builder) parametersOf(g *nn.Graph) parameters {
	places := map[string]nn.ParamInfo{}
	for _, p := range g.ParamTable() {
		places[p.Key] = p
	}
	return func(key string) []float32 {
		key = b.key(key)
		p, ok := places[key]
		if !ok {
			refuse("the network has no parameter %s", key)
		}
		return g.Params()[p.Offset:][:p.Size]
	}
}

// key returns the key of a parameter after its vertex was renamed.
func (b *builder) key(key string) string {
	at := strings.LastIndex(key, "_")
	if name, ok := b.renamed[key[:at]]; ok {
		return name + key[at:]
	}
	return key
}

// outputsOf returns the vertices of the network's outputs. They have a loss if training can continue.
func outputsOf(b *builder, m *model, out []value) []string {
	readLosses(b, m, out)
	if b.training != nil && len(b.reasons) > 0 {
		b.notices = append(b.notices, "training cannot go on as in Keras, so that the network has no loss: "+
			strings.Join(b.reasons, "; "))
		b.training.losses = nil
	}
	var list []string
	taken := map[string]bool{}
	for i, t := range out {
		var name string
		switch {
		case b.training != nil && b.training.losses != nil:
			name = scoreOutput(b, t, b.training.losses[i], out)
		case b.at[t.from] < 0 || taken[t.from]: // an input, or an output that occurs twice
			name = addIdentity(b, t)
		default:
			name = t.from
		}
		taken[name] = true
		list = append(list, name)
	}
	for i, r := range m.outputs {
		if !slices.Contains(list, r.layer) && b.at[r.layer] >= 0 && r.tensor == 0 {
			list[i] = renameOutput(b, list[i], r.layer)
		}
	}
	return list
}

// renameOutput gives an output's vertex the name of the Keras layer that it ends. Another vertex with this name gets a
// longer name.
func renameOutput(b *builder, from, to string) string {
	if at, taken := b.at[to]; taken {
		free := to + "-layer"
		for _, taken := b.at[free]; taken; _, taken = b.at[free] {
			free += "_"
		}
		b.vertices[at].Name = free
		b.at[free] = at
		b.renamed[to] = free
		replaceInput(b, to, free)
	}
	at := b.at[from]
	b.vertices[at].Name = to
	b.at[to] = at
	b.renamed[from] = to
	replaceInput(b, from, to)
	return to
}

// replaceInput renames an input of vertices.
func replaceInput(b *builder, from, to string) {
	for i := range b.vertices {
		in := slices.Clone(b.vertices[i].Inputs)
		for k := range in {
			if in[k] == from {
				in[k] = to
			}
		}
		b.vertices[i].Inputs = in
	}
}
