package nn

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// checkInputs checks the data with those input layers that know more than the shape of their input. A vertex.Subset
// may pick columns of the data for a layer.
func (n *topology) checkInputs(m *data.MultiDataSet) error {
	for i, nd := range n.nodes {
		c, ok := nd.layer.(layer.InputChecker)
		if !ok || nd.pre != nil {
			continue
		}
		for _, from := range nd.in {
			var err error
			if from < 0 {
				err = c.CheckInput(m.Features[-1-from].Data)
			} else if v, ok := n.nodes[from].layer.(vertexLayer); ok && n.nodes[from].in[0] < 0 {
				if s, ok := v.Vertex.(vertex.Subset); ok {
					err = checkColumns(c, m, -1-n.nodes[from].in[0], s)
				}
			}
			if err != nil {
				return n.at(i, err)
			}
		}
	}
	return nil
}

// checkColumns checks the columns that a Subset takes from an input.
func checkColumns(c layer.InputChecker, m *data.MultiDataSet, input int, s vertex.Subset) error {
	x := m.Features[input]
	if len(x.Shape) < 2 || x.Shape[1] <= s.To {
		return nil // shapes are checked elsewhere
	}
	column := x.Shape[2:].Size()
	row := column * x.Shape[1]
	for r := range x.Shape[0] {
		if err := c.CheckInput(x.Data[r*row+s.From*column : r*row+(s.To+1)*column]); err != nil {
			return fmt.Errorf("row %d, column %d: %w", r, s.From, err)
		}
	}
	return nil
}
