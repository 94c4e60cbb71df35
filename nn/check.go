package nn

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/tensor"
)

// Check reports an error if data of these shapes does not fit the network. It runs nothing. The first dimension counts
// the examples. labels may be nil. Errors name the layer, the shape that it wants and the one that it got.
func (n *topology) Check(m *data.MultiDataSet) error {
	if err := n.fits(m); err != nil {
		return err
	}
	var ts []inputtype.Type
	for _, f := range m.Features {
		t, err := inputtype.Of(f.Shape)
		if err != nil {
			return err
		}
		ts = append(ts, t)
	}
	_, out, err := n.types(ts)
	if err != nil || m.Labels == nil {
		return err
	}
	if len(m.Labels) != len(n.outputs) {
		return fmt.Errorf("the network has %d outputs, got %d arrays of labels", len(n.outputs), len(m.Labels))
	}
	_, rows := n.rows(m.Examples())
	for k, i := range n.outputs {
		s, err := n.scorer(i)
		if err == nil {
			err = n.checkLabels(i, s.LabelShape(out[i], rows[i]), m.Labels[k].Shape)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkLabels reports an error if an output's labels have the wrong shape.
func (n *topology) checkLabels(node int, want, got tensor.Shape) error {
	if want.Equal(got) {
		return nil
	}
	return n.at(node, fmt.Errorf("wants labels of shape %v, got %v", want, got))
}

// fits makes the checks that do not depend on the layers: there are examples, the network has that many inputs, and
// the arrays fit each other.
func (n *topology) fits(m *data.MultiDataSet) error {
	if err := m.Validate(); err != nil {
		return err
	}
	if m.Examples() == 0 {
		return &data.ShapeError{Array: "features", Shape: m.Features[0].Shape, Problem: "there are no examples"}
	}
	if len(m.Features) != n.inputs {
		return fmt.Errorf("the network takes %d arrays of features, got %d", n.inputs, len(m.Features))
	}
	return nil
}

// scorer returns an output layer as a layer with a loss, or an error if it has none.
func (n *topology) scorer(i int) (layer.Scorer, error) {
	s, ok := n.nodes[i].layer.(layer.Scorer)
	if !ok {
		return nil, n.at(i, fmt.Errorf("the output layer has no loss function: it cannot be scored or trained"))
	}
	return s, nil
}
