package keras

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// textsInput is the network's input if a model takes texts, or hashes numbers. The network's pipeline makes it from the
// raw columns.
const textsInput = "columns"

// column is an input of a model that takes texts, or hashes numbers.
type column struct {
	name   string
	width  int
	text   bool
	lookup *kerasLayer         // that numbers the values
	states []string            // in the order of their numbers
	other  string              // the state of unknown texts; "" if these are errors
	hash   *pipeline.HashValue // instead of states: the step that numbers the values, without the column's name
}

// names lists the raw columns of an input.
func (c *column) names() (list []string) {
	for i := range c.width {
		name := c.name
		if c.width > 1 {
			name = fmt.Sprintf("%s_%d", c.name, i)
		}
		list = append(list, name)
	}
	return list
}

// inputs returns the values of the model's inputs, and the names of the network's.
func (b *builder) inputs(m *model) (in []value, names []string) {
	hashed := hashedInputs(m)
	texts := len(hashed) > 0
	for _, r := range m.inputs {
		shape := inputShape(m, r)
		l := m.byName[r.layer]
		text := l.m["dtype"] == "string"
		b.columns = append(b.columns, &column{name: r.layer, width: size(shape), text: text})
		in = append(in, value{from: r.layer, shape: shape})
		names = append(names, r.layer)
		texts = texts || text
	}
	if !texts {
		b.columns = nil
		for _, name := range names {
			b.at[name] = -1
		}
		return in, names
	}
	from := 0
	b.at[textsInput] = -1
	for i, c := range b.columns {
		if len(in[i].shape) != 1 || c.width < 1 || c.width > 1<<16 {
			refuse("the input %s has the shape %s, beside inputs that are texts or hashed: [batch, columns] is read", c.name,
				dims(in[i].shape))
		}
		in[i].from = b.add(c.name, vertex.Subset{From: from, To: from + c.width - 1}, textsInput)
		if in[i].last = true; c.text || hashed[c.name] != nil {
			in[i].texts = c
		}
		from += c.width
	}
	return in, []string{textsInput}
}

// stringLookup numbers the entries of a vocabulary of texts: the network's pipeline does so.
func stringLookup(b *builder, l *kerasLayer, in value) value {
	v := readVocabulary(b, l)
	c := in.texts
	switch {
	case c == nil:
		l.refuse("its input is not an input of texts: texts are read by the model's first layers")
	case c.lookup != nil:
		l.refuse("the layer %s reads the same texts: one lookup of each input is read", c.lookup.name)
	case l.text("encoding", "utf-8") != "utf-8":
		l.wrong("encoding", "utf-8")
	}
	l.get("oov_method")
	if v.unknowns > 1 {
		return v.encoded(b, l, b.hashed(l, in, v.buckets(l)))
	}
	l.get("salt")
	c.lookup = l
	v.fill(l, c)
	in.texts = nil
	return v.encoded(b, l, in)
}

// fill sets the states of a column: the entries of a vocabulary in the order of their numbers.
func (v vocabulary) fill(l *kerasLayer, c *column) {
	c.states = make([]string, max(v.first+len(v.entries), v.maskNumber+1))
	filled, taken := make([]bool, len(c.states)), map[string]bool{}
	set := func(number int, entry any) {
		text, ok := entry.(string)
		if !ok || taken[text] {
			l.refuse("its vocabulary has the entry %s, which is not a text, or occurs twice", shown(entry))
		}
		c.states[number], filled[number], taken[text] = text, true, true
	}
	for i, e := range v.entries {
		set(v.first+i, e)
	}
	if v.mask != nil {
		set(v.maskNumber, v.mask)
	}
	if v.unknowns == 1 {
		c.other = unused(taken, "unknown")
		set(v.unknown, c.other)
	}
	for i := range c.states {
		if !filled[i] {
			set(i, unused(taken, fmt.Sprint("unused-", i)))
		}
	}
}

// unused returns a text like another one that is not taken.
func unused(taken map[string]bool, like string) string {
	for taken[like] {
		like += "-"
	}
	return like
}

// setPipeline gives a network that takes texts its pipeline. The answer is named after the output.
func (b *builder) setPipeline(g *nn.Graph, m *model, out []value) {
	if b.columns == nil {
		return
	}
	if len(out) != 1 || out[0].rank() != 1 || out[0].channels() < 1 {
		refuse("the model takes texts and has outputs other than a list of numbers, which is not read")
	}
	p := &source.Preparation{Pipeline: &pipeline.Pipeline{}, Task: source.Regression}
	taken, names := map[string]bool{}, []string(nil)
	for _, c := range b.columns {
		if c.text && c.lookup == nil {
			refuse("the input %s holds texts, which neither a StringLookup nor a Hashing layer reads", c.name)
		}
		for _, name := range c.names() {
			taken[name], names = true, append(names, name)
			b.addColumn(p, c, name)
		}
	}
	label, n := unused(taken, m.outputs[0].layer), out[0].channels()
	last := m.byName[m.outputs[0].layer]
	steps := &p.Pipeline.Initial
	if n > 1 && last != nil && (last.class == "Softmax" || last.m["activation"] == "softmax") {
		p.Task, p.Labels, p.Outputs, p.Absent = source.Classification, []string{label}, []string{label}, []string{"0"}
		for i := range n {
			p.Classes = append(p.Classes, fmt.Sprint(i))
		}
		steps.Columns = append(steps.Columns, pipeline.CategoricalColumn{Name: label, States: p.Classes})
	} else {
		for _, name := range (&column{name: label, width: n}).names() {
			p.Labels, p.Absent = append(p.Labels, name), append(p.Absent, "0")
			steps.Columns = append(steps.Columns, pipeline.DoubleColumn{Name: name})
		}
		p.Outputs = p.Labels
	}
	text, labels, err := p.Encode()
	if err == nil {
		err = g.SetPipeline(text, labels)
	}
	if err == nil {
		err = g.SetSchema(&data.Schema{Features: names, Labels: p.Labels, Classes: p.Classes})
	}
	if err != nil {
		refuse("the pipeline of the model's texts: %v", err)
	}
}

// addColumn adds a raw column, and the steps that number its texts.
func (b *builder) addColumn(p *source.Preparation, c *column, name string) {
	steps := p.Pipeline
	raw := pipeline.Column(pipeline.DoubleColumn{Name: name})
	if c.text {
		raw = pipeline.StringColumn{Name: name}
	}
	steps.Initial.Columns = append(steps.Initial.Columns, raw)
	switch {
	case c.hash != nil:
		step := *c.hash
		step.Column = name
		steps.Steps = append(steps.Steps, step)
		return
	case !c.text:
		return
	}
	if c.other != "" {
		steps.Steps = append(steps.Steps, pipeline.MapAllExcept{Column: name, Value: c.other, Exceptions: c.states})
		p.Seen = append(p.Seen, analysis.Seen{Column: name, Values: c.states, As: fmt.Sprintf("%q", c.other)})
	}
	steps.Steps = append(steps.Steps, pipeline.StringToCategorical{Column: name, States: c.states},
		pipeline.CategoricalToInteger{Column: name})
}
