package nn

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/vertex"
)

// Category is a column of category numbers, which a network learns a vector for each of.
type Category struct {
	Name  string // of the column
	Count int    // of different categories: numbers are 0 to Count-1
	Size  int    // of the vectors; 0: half of Count, at most 50
}

func (c Category) size() int {
	if c.Size > 0 {
		return c.Size
	}
	return min(50, (c.Count+1)/2)
}

// embedding is a perceptron over the numeric columns and the vectors of categories. Its inputs are the numeric columns,
// [batch, n], if there are any, and then each category, [batch, 1].
func embedding(d BuiltInData, s *shaper) (g GraphConfiguration, err error) {
	if len(d.Categories) == 0 {
		return g, fmt.Errorf("it takes columns of categories, and the data has none")
	}
	var parts []string
	if d.Input.Kind != inputtype.Unknown {
		if d.Input.Kind != inputtype.FeedForwardKind {
			return g, fmt.Errorf("it takes columns, and the data has %v", d.Input)
		}
		g.Inputs, g.InputTypes, parts = []string{"numbers"}, []inputtype.Type{d.Input}, []string{"numbers"}
	}
	for i, c := range d.Categories {
		if c.Count < 1 || c.Size < 0 || c.size() > maxUnits {
			return g, fmt.Errorf("column %s has %d categories, with vectors of %d", c.Name, c.Count, c.Size)
		}
		input := fmt.Sprintf("category%d", i)
		g.Inputs, g.InputTypes = append(g.Inputs, input), append(g.InputTypes, inputtype.FeedForward(c.Count))
		name := fmt.Sprintf("embedding%d", i)
		g.Vertices = append(g.Vertices, GraphVertex{Name: name, Layer: layer.NewEmbedding(c.Count, c.size()), Inputs: []string{input}})
		parts = append(parts, name)
	}
	at := parts[0]
	if len(parts) > 1 {
		at = "merge"
		g.Vertices = append(g.Vertices, GraphVertex{Name: at, Vertex: vertex.NewMerge(), Inputs: parts})
	}
	layers, drop := s.dense(64)
	for i, l := range append(layers, builtInOutput(d, drop)) {
		name := fmt.Sprintf("hidden%d", i)
		if i == len(layers) {
			name = "output"
		}
		g.Vertices = append(g.Vertices, GraphVertex{Name: name, Layer: l, Inputs: []string{at}})
		at = name
	}
	g.Outputs, g.Defaults.Updater = []string{"output"}, updater.NewAdam()
	return g, nil
}
