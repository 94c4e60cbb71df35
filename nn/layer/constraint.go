package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/regularization"
)

// constrained adds the network's constraints to a completed layer: those for all parameters, for weights, and for
// biases.
func constrained(l Layer, d Defaults) (Layer, error) {
	if len(within(copyOf(l))) > 0 {
		return l, nil // the inner layer has them
	}
	var names [3][]string // of all, of weights, of biases
	for _, p := range l.Params() {
		names[0] = append(names[0], p.Name)
		switch p.Kind {
		case Weight:
			names[1] = append(names[1], p.Name)
		case Bias:
			names[2] = append(names[2], p.Name)
		}
	}
	var list []regularization.Constraint
	for i, cs := range [3][]regularization.Constraint{d.Constraints, d.WeightConstraints, d.BiasConstraints} {
		for _, c := range cs {
			if len(names[i]) > 0 {
				list = append(list, c.Of(names[i]...))
			}
		}
	}
	if len(list) == 0 {
		return l, nil
	}
	copied := copyOf(l)
	own, _ := part[[]regularization.Constraint](copied, "Constraints")
	if own == nil {
		return nil, fmt.Errorf("%T has parameters but takes no constraints: embed layer.Base in it", l)
	}
	if len(*own) == 0 { // Deeplearning4j's layers with constraints ignore the network's, too
		*own = list
	}
	return copied.Interface().(Layer), nil
}

// Complete calls the layer's Complete and adds the network's constraints.
func Complete(l Layer, d Defaults, in []inputtype.Type) (Layer, error) {
	l, err := l.Complete(d, in)
	if err != nil || d.FromFile {
		return l, err
	}
	return constrained(l, d)
}
