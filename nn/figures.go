package nn

import (
	"math"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/vector"
)

// ParamFigures holds mean magnitudes of a parameter's numbers at one step.
type ParamFigures struct {
	Key                     string // as in [ParamInfo]
	Value, Gradient, Update float64
	// Values, Gradients and Updates are the numbers themselves. They belong to the network and are valid until its
	// next step. Gradients is nil if the executor does not return gradients.
	Values, Gradients, Updates []float32
}

// LayerFigures describes a layer's activations for one minibatch.
type LayerFigures struct {
	Name string
	// Activation is the mean magnitude of the activations.
	Activation float64
	// Dead is the share of units, or channels, whose activations are 0 for every example and at every place.
	Dead float64
	// Activations belong to the network and are valid until its next run.
	Activations []float32
}

// ParamFigures returns the figures of all trainable parameters: of their present values, of the last step's gradients,
// and of update, which the last step subtracted and which has the parameters' length. An executor that keeps vectors
// on a device does not return gradients; their figures are NaN then.
func (n *training) ParamFigures(update []float32) []ParamFigures {
	params, gradient := n.Params(), n.gradientVector()
	_, onDevice := n.keeper()
	var out []ParamFigures
	for _, e := range n.layout.entries {
		if e.param.Frozen {
			continue
		}
		of := func(v []float32) []float32 { return v[e.offset : e.offset+e.size] }
		f := ParamFigures{Key: n.nodes[e.node].key + "_" + e.param.Name, Values: of(params), Updates: of(update),
			Gradient: math.NaN()}
		f.Value, f.Update = meanMagnitude(f.Values), meanMagnitude(f.Updates)
		if !onDevice {
			f.Gradients = of(gradient)
			f.Gradient = meanMagnitude(f.Gradients)
		}
		out = append(out, f)
	}
	return out
}

// StepNorms returns the Euclidean norms of the last step's gradient and of the update that it subtracted. With an
// executor that keeps vectors on a device, the norm of the gradient is NaN.
func (n *training) StepNorms(update []float32) (gradient, subtracted float64) {
	gradient = math.NaN()
	if _, onDevice := n.keeper(); !onDevice {
		gradient = normOf(n.gradientVector())
	}
	return gradient, normOf(update)
}

// normOf returns the Euclidean norm. It is finite if all values are.
func normOf(v []float32) float64 {
	sum := reduce(vector.For(kernel.Best()).SumSquares, v)
	if sum-sum != 0 { // it may have overflowed in float32
		sum = 0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
	}
	return math.Sqrt(sum)
}

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
		out = append(out, LayerFigures{nd.name, meanMagnitude(v), deadShare(v, shape[0], shape[1]), v})
	}
	return out, nil
}

// deadShare returns the share of units whose activations, [examples, units, …], are all 0.
func deadShare(v []float32, examples, units int) float64 {
	if examples*units == 0 {
		return 0
	}
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

func meanMagnitude(v []float32) float64 {
	return reduce(vector.For(kernel.Best()).SumAbs, v) / float64(max(1, len(v)))
}

// reduce adds up sums of pieces. The pieces are short enough to be summed in float32.
func reduce(sum vector.Reduction, v []float32) (total float64) {
	const piece = 4096
	for from := 0; from < len(v); from += piece {
		total += float64(sum(v[from:min(len(v), from+piece)]))
	}
	return total
}

// LearningRate returns the rate at a step of the first updater that has a learning rate; ok is false if none has.
func (n *blueprint) LearningRate(iteration, epoch int) (rate float64, ok bool) {
	for _, b := range n.layout.blocks {
		if rate, ok = b.updater.Rate(iteration, epoch); ok {
			return rate, true
		}
	}
	return 0, false
}
