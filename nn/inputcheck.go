package nn

import (
	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/layer"
)

// checkInputs asks the layers that data goes into directly, and that know more than its shape, whether it is right.
func (n *topology) checkInputs(m *data.MultiDataSet) error {
	for i, nd := range n.nodes {
		c, ok := nd.layer.(layer.InputChecker)
		if !ok || nd.pre != nil {
			continue
		}
		for _, from := range nd.in {
			if from >= 0 {
				continue
			}
			if err := c.CheckInput(m.Features[-1-from].Data); err != nil {
				return n.at(i, err)
			}
		}
	}
	return nil
}
