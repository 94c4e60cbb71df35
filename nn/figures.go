package nn

import (
	"math"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/nn/layer"
)

// ParamFigures holds mean magnitudes of a parameter's numbers at one step.
type ParamFigures struct {
	Key                     string // as in [ParamInfo]
	Kind                    layer.Kind
	Value, Gradient, Update float64
	// Values, Gradients and Updates are the numbers themselves. They belong to the network and are valid until its
	// next step. Gradients is nil if the executor does not return gradients.
	Values, Gradients, Updates []float32
}

// StepFigures describes one step.
type StepFigures struct {
	// Gradient and Update are the Euclidean norms of the gradient, and of the update that the step subtracted, over all
	// parameters. An executor that keeps vectors on a device does not return gradients; Gradient is NaN then.
	Gradient, Update float64
	// Params has the trainable parameters. Those of an executor without gradients have NaN as their Gradient.
	Params []ParamFigures
}

// StepFigures returns the figures of the last step, given the update that it subtracted. update has the parameters'
// length.
func (n *training) StepFigures(update []float32) StepFigures { return n.stepFigures(update, false) }

// FiguresSince is [Network.StepFigures], given the parameters before the step instead of the update. It overwrites
// before with the update.
func (n *training) FiguresSince(before []float32) StepFigures { return n.stepFigures(before, true) }

func (n *training) stepFigures(update []float32, since bool) StepFigures {
	params, gradient := n.Params(), n.gradientVector()
	_, onDevice := n.keeper()
	var all sums
	out := StepFigures{Gradient: math.NaN()}
	for _, e := range n.layout.entries {
		of := func(v []float32) []float32 { return v[e.offset : e.offset+e.size] }
		f := ParamFigures{Key: n.nodes[e.node].key + "_" + e.param.Name, Kind: e.param.Kind, Values: of(params),
			Updates: of(update), Gradient: math.NaN()}
		if !onDevice {
			f.Gradients = of(gradient)
		}
		s := f.sums(since)
		all.gradientSquares += s.gradientSquares
		all.updateSquares += s.updateSquares
		if e.param.Frozen {
			continue
		}
		size := float64(max(1, e.size))
		f.Value, f.Update = s.value/size, s.update/size
		if !onDevice {
			f.Gradient = s.gradient / size
		}
		out.Params = append(out.Params, f)
	}
	if out.Update = math.Sqrt(all.updateSquares); !onDevice {
		out.Gradient = math.Sqrt(all.gradientSquares)
	}
	return out
}

// sums are sums over a parameter's numbers: of magnitudes, and of squares.
type sums struct{ value, gradient, update, gradientSquares, updateSquares float64 }

// sums goes through the numbers once, in pieces that stay in the first cache. With since, Updates has the values before
// the step, and the update replaces them.
func (f *ParamFigures) sums(since bool) (s sums) {
	k := vector.For(kernel.Best())
	for from := 0; from < len(f.Values); from += piece {
		to := min(len(f.Values), from+piece)
		values, updates := f.Values[from:to], f.Updates[from:to]
		if since {
			k.Sub(updates, updates, values)
		}
		s.value += float64(k.SumAbs(values))
		s.update += float64(k.SumAbs(updates))
		s.updateSquares += squares(k, updates)
		if f.Gradients != nil {
			s.gradient += float64(k.SumAbs(f.Gradients[from:to]))
			s.gradientSquares += squares(k, f.Gradients[from:to])
		}
	}
	return s
}

// normOf returns the Euclidean norm. It is finite if all values are.
func normOf(v []float32) float64 {
	k, sum := vector.For(kernel.Best()), 0.0
	for from := 0; from < len(v); from += piece {
		sum += squares(k, v[from:min(len(v), from+piece)])
	}
	return math.Sqrt(sum)
}

// squares returns the sum of squares of a piece. It is finite if all values are.
func squares(k *vector.Set, v []float32) float64 {
	sum := float64(k.SumSquares(v))
	if sum-sum != 0 { // it may have overflowed in float32
		sum = 0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
	}
	return sum
}

// piece is how many numbers are summed in float32. Sums of pieces are added in float64.
const piece = 4096

func meanMagnitude(v []float32) (mean float64) {
	sum := vector.For(kernel.Best()).SumAbs
	for from := 0; from < len(v); from += piece {
		mean += float64(sum(v[from:min(len(v), from+piece)]))
	}
	return mean / float64(max(1, len(v)))
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
