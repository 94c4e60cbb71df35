package nn

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// Category is a column of category numbers. The network learns a vector for each category.
type Category struct {
	Name   string
	Column int // of the features, from 0
	Count  int // number of different categories; they are numbered 0 to Count-1
	Size   int // of the vectors; 0: half of Count, at most 50
}

func (c Category) size() int {
	if c.Size > 0 {
		return c.Size
	}
	return min(50, (c.Count+1)/2)
}

// embeds makes the graph of a network whose data has Categories. An embedding reads each category column. The vectors
// and the other columns are merged and go through the layers of c.
func (d BuiltInData) embeds(c Configuration) GraphConfiguration {
	g := GraphConfiguration{Inputs: []string{"input"}, InputTypes: []inputtype.Type{d.Input}, Outputs: []string{"output"}}
	g.Defaults = c
	g.Defaults.Layers = nil
	add := func(name string, v GraphVertex) {
		v.Name = name
		g.Vertices = append(g.Vertices, v)
	}
	var parts []string
	from := 0
	numbers := func(to int) { // passes columns on unchanged
		if from < to {
			parts = append(parts, fmt.Sprintf("numbers%d", from))
			add(parts[len(parts)-1], GraphVertex{Vertex: vertex.Subset{From: from, To: to - 1}, Inputs: g.Inputs})
		}
	}
	for i, of := range d.Categories {
		numbers(of.Column)
		from = of.Column + 1
		column, name := fmt.Sprintf("category%d", i), fmt.Sprintf("embedding%d", i)
		add(column, GraphVertex{Vertex: vertex.Subset{From: of.Column, To: of.Column}, Inputs: g.Inputs})
		var l layer.Layer = layer.NewEmbedding(of.Count, of.size())
		if d.Input.Kind == inputtype.RecurrentKind {
			l = layer.NewEmbeddingSequence(of.Count, of.size())
		}
		add(name, GraphVertex{Layer: l, Inputs: []string{column}})
		parts = append(parts, name)
	}
	numbers(d.Input.Size)
	at := parts[0]
	if len(parts) > 1 {
		at = "merge"
		add(at, GraphVertex{Vertex: vertex.NewMerge(), Inputs: parts})
	}
	for i, l := range c.Layers {
		name := fmt.Sprintf("hidden%d", i)
		if i == len(c.Layers)-1 {
			name = "output"
		}
		add(name, GraphVertex{Layer: l, Inputs: []string{at}})
		at = name
	}
	return g
}

// merged describes the data that the layers behind the embeddings receive.
func (d BuiltInData) merged() (BuiltInData, error) {
	if d.Input.Kind != inputtype.FeedForwardKind && d.Input.Kind != inputtype.RecurrentKind {
		return d, fmt.Errorf("columns of categories are embedded beside other columns, and the data has %v", d.Input)
	}
	last, size := -1, d.Input.Size
	for _, c := range d.Categories {
		switch {
		case c.Count < 1 || c.Size < 0 || c.size() > maxUnits:
			return d, fmt.Errorf("column %s has %d categories, with vectors of %d", c.Name, c.Count, c.Size)
		case c.Column <= last || c.Column >= size:
			return d, fmt.Errorf("column %s is number %d, and there are %d; columns of categories must be in their order",
				c.Name, c.Column, size)
		}
		last = c.Column
		d.Input.Size += c.size() - 1
	}
	d.Categories = nil
	return d, nil
}
