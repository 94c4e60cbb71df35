package nn

import (
	"math"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
)

// LayerFigures describes a layer's activations for one minibatch.
type LayerFigures struct {
	Name string
	// Activation is the mean magnitude of the activations.
	Activation float64
	// Dead is the share of units, or channels, whose activations are 0 for every example and at every place. It is NaN if
	// a unit has fewer than 8 activations, because all of them may be 0 by chance. It is also NaN for a softmax.
	Dead float64
	// Saturated is the share of activations within a hundredth of the ends of their range, where gradients are almost 0.
	// It is NaN for layers without a sigmoid or tanh, and for layers with a loss.
	Saturated float64
	// Activations belong to the network and are valid until its next run.
	Activations []float32
}

// fewestActivations is the number of a unit's activations that tell whether it is dead.
const fewestActivations = 8

// ActivationFigures runs inference on a minibatch. It returns the figures of each layer with at least two dimensions.
func (n *inference) ActivationFigures(m *data.MultiDataSet) ([]LayerFigures, error) {
	pl, err := n.plan(forActivations, false, m)
	if err != nil {
		return nil, err
	}
	if err := n.run(pl, m, Key{}); err != nil {
		return nil, err
	}
	var out []LayerFigures
	for i, nd := range n.nodes {
		shape := pl.program.Outputs[i].Value.Shape
		if len(shape) < 2 {
			continue
		}
		v := pl.exe.Output(i)
		f := LayerFigures{nd.name, meanMagnitude(v), math.NaN(), math.NaN(), v}
		of := activationOf(nd.layer)
		examples, units := shape[0], shape[1]
		if pl.types[i].UnitsLast() { // each place counts as an example
			units = shape[len(shape)-1]
			examples = len(v) / units
		}
		if _, probabilities := of.(activation.Softmax); !probabilities && len(v) >= fewestActivations*units {
			f.Dead = deadShare(v, examples, units)
		}
		if low, high, ok := limitsOf(of); ok && !n.scored(i) {
			f.Saturated = saturatedShare(v, float32(low), float32(high))
		}
		out = append(out, f)
	}
	return out, nil
}

// activationOf returns the activation function that ends a layer, or nil if none does.
func activationOf(l layer.Layer) activation.Activation {
	switch l := l.(type) {
	case layer.Dense:
		return l.Activation
	case layer.Convolution2D:
		return l.Activation
	case layer.Activate:
		return l.Activation
	case layer.SimpleRnn:
		return l.Activation
	case layer.Output:
		return l.Activation
	case layer.RnnOutput:
		return l.Activation
	}
	return nil
}

// limitsOf returns the ends of an activation function's range, where it is flat.
func limitsOf(a activation.Activation) (low, high float64, ok bool) {
	switch a.(type) {
	case activation.Sigmoid, activation.HardSigmoid:
		return 0, 1, true
	case activation.TanH, activation.HardTanH, activation.RationalTanh:
		return -1, 1, true
	}
	return 0, 0, false
}

// scored reports whether a loss is computed of a node's activations, which may then be at the ends of their range
// because they are right.
func (n *topology) scored(at int) bool {
	if _, ok := n.nodes[at].layer.(layer.Scorer); ok {
		return true
	}
	return slices.ContainsFunc(n.nodes, func(nd node) bool {
		_, ok := nd.layer.(layer.Scorer)
		return ok && len(nd.layer.Params()) == 0 && slices.Contains(nd.in, at)
	})
}

// saturatedShare returns the share of activations within a hundredth of the range's ends.
func saturatedShare(v []float32, low, high float32) float64 {
	margin := (high - low) / 100
	n := 0
	for _, x := range v {
		if x < low+margin || x > high-margin {
			n++
		}
	}
	return float64(n) / float64(max(1, len(v)))
}

// deadShare returns the share of units whose activations, [examples, units, …], are all 0.
func deadShare(v []float32, examples, units int) float64 {
	inner := len(v) / (examples * units)
	dead := 0
	for u := range units {
		alive := false
		for e := 0; e < examples && !alive; e++ {
			for _, x := range v[(e*units+u)*inner:][:inner] {
				if x != 0 {
					alive = true
					break
				}
			}
		}
		if !alive {
			dead++
		}
	}
	return float64(dead) / float64(units)
}
