package nn

import (
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// purpose says what a program computes.
type purpose int

const (
	forOutput      purpose = iota // the network's outputs
	forActivations                // the activations of every layer
	forScore                      // the loss of each example
	forEvaluation                 // the network's outputs, and then the loss of each example
	forSum                        // the gradient of the sum of the losses, and that sum
	forMean                       // the gradient of the mean of the losses, and the sum of the losses
	forRows                       // as forMean; where a step updates only rows in use, the gradient of these alone
	forUpdate                     // updater state and update vector from the gradient
	forResidual                   // updater state from the gradient; the update times a factor is added to the residual
	forFit                        // as forMean, and then forStep, in one computation
	forShare                      // as forMean, and then forUpdate, in one computation
	forStep                       // updater state and parameters from the gradient
	forApply                      // parameters from the update vector
	forConstraints                // parameters held to their constraints
	forPenalty                    // the regularisation's part of the score
)

// weighs reports whether the weights of examples count, which is the case in training.
func (p purpose) weighs() bool {
	switch p {
	case forSum, forMean, forRows, forFit, forShare:
		return true
	}
	return false
}

// shapes are the shapes of a minibatch's arrays; nil for a missing array.
type shapes struct {
	features, featureMasks, labels, labelMasks []tensor.Shape
	weights                                    tensor.Shape // only for training
}

func shapesOf(m *data.MultiDataSet, p purpose) shapes {
	list := func(arrays []*tensor.Dense) []tensor.Shape {
		out := make([]tensor.Shape, len(arrays))
		for i, a := range arrays {
			if a != nil {
				out[i] = a.Shape.Clone()
			}
		}
		return out
	}
	s := shapes{features: list(m.Features), featureMasks: list(m.FeatureMasks), labelMasks: list(m.LabelMasks)}
	if p == forScore || p == forEvaluation || p.weighs() {
		s.labels = list(m.Labels)
	}
	if p.weighs() && m.Weights != nil {
		s.weights = m.Weights.Shape.Clone()
	}
	return s
}

// lowered is a network as operations.
type lowered struct {
	*program.Builder
	n        *blueprint
	batch    int   // number of examples
	rowsIn   []int // rows that flow into each node
	rowsOut  []int // rows that flow out of each node
	training bool
	carries  bool                 // the program begins with the states of recurrent layers, and returns the new ones
	in       [][]layer.Activation // the inputs of each node
	out      []layer.Activation
	params   []map[string]*program.Value
	set      []map[string]*program.Value // gradients set by layers
	scalars  []func(iteration, epoch int) float64
	noise    map[[2]int]*program.Value // the numbers of weight noise, by node and parameter
	states   []stateKey                // states that a run begins with and returns
	kept     map[stateKey]*program.Value
	used     []usedRows     // parameters of which a step updates only the rows in use
	factor   *program.Value // of updates, in forResidual
}

func (n *blueprint) newLowered(training, carries bool) *lowered {
	return &lowered{Builder: program.NewBuilder(), n: n, training: training, carries: carries,
		kept: map[stateKey]*program.Value{}}
}

// scalar declares a scalar input that is computed from iteration and epoch.
func (l *lowered) scalar(f func(iteration, epoch int) float64) *program.Value {
	l.scalars = append(l.scalars, f)
	return l.Input(fmt.Sprintf("scalar%d", len(l.scalars)-1))
}

func (l *lowered) optional(name string, list []tensor.Shape, i int) *program.Value {
	if i >= len(list) || list[i] == nil {
		return nil
	}
	return l.Input(fmt.Sprintf("%s%d", name, i), list[i]...)
}

// forward emits the forward pass of all layers.
func (l *lowered) forward(s shapes) error {
	n := l.n
	l.batch = s.features[0][0]
	l.rowsIn, l.rowsOut = n.rows(l.batch)
	var inputs []layer.Activation
	var ts []inputtype.Type
	for i, shape := range s.features {
		t, err := inputtype.Of(shape)
		if err != nil {
			return err
		}
		ts = append(ts, t)
		inputs = append(inputs, layer.Activation{Value: l.Input(fmt.Sprintf("features%d", i), shape...),
			Mask: l.optional("featureMask", s.featureMasks, i), Type: t})
	}
	types, _, err := n.types(ts)
	if err != nil {
		return err
	}
	labelMask := map[int]*program.Value{} // by output node
	for k, i := range n.outputs {
		labelMask[i] = l.optional("labelMask", s.labelMasks, k)
	}
	for i, nd := range n.nodes {
		var in []layer.Activation
		l.params = append(l.params, n.layout.views(l.Builder, i))
		l.set = append(l.set, map[string]*program.Value{})
		c := l.context(i)
		c.LabelMask = labelMask[i]
		l.carry(i, c)
		l.Scope = program.Scope{Layer: nd.name, Phase: program.Forward}
		err := program.Try(func() {
			for k, from := range nd.in {
				a := layer.Activation{}
				if from < 0 {
					a = inputs[-1-from]
				} else {
					a = l.out[from]
				}
				if nd.pre != nil {
					a.Value, a.Mask = nd.pre.Apply(l.Builder, a.Value, a.Mask, a.Type, l.rowsIn[i])
				}
				a.Type = types[i][k]
				if d := nd.layer.Settings().Dropout; d != nil && l.training {
					a.Value = d.Emit(l.Builder, a.Value, l.scalar(d.Value), c.Stream)
				}
				if m := labelMask[i]; m != nil {
					a.Mask = m
				}
				in = append(in, a)
			}
			l.in = append(l.in, in)
			l.out = append(l.out, nd.layer.Forward(c, in))
		})
		if err != nil {
			return n.at(i, err)
		}
	}
	return nil
}

func (l *lowered) context(i int) *layer.Context {
	return &layer.Context{Builder: l.Builder, Batch: l.rowsIn[i], Training: l.training, Stream: uint64(i) << 8,
		Params: l.noisy(i), Gradients: l.set[i], Scalar: l.scalar}
}

// losses emits the loss of each example, [batch], summed over the outputs and over the example's steps and rows.
// scored are the losses for the score: there, an output's several rows of one example count by their mean.
func (l *lowered) losses(s shapes) (total, scored *program.Value, err error) {
	for k, i := range l.n.outputs {
		scorer, err := l.n.scorer(i)
		if err != nil {
			return nil, nil, err
		}
		labels := l.optional("labels", s.labels, k)
		if labels == nil {
			return nil, nil, errors.New("there are no labels to score by")
		}
		if err := l.n.checkLabels(i, scorer.LabelShape(l.out[i].Type, l.rowsOut[i]), labels.Shape); err != nil {
			return nil, nil, err
		}
		l.Scope = program.Scope{Layer: l.n.nodes[i].name, Phase: program.Forward}
		err = program.Try(func() {
			rows := scorer.Score(l.context(i), l.in[i], labels, l.optional("labelMask", s.labelMasks, k))
			many := l.rowsOut[i]
			if m := rows.Shape.Size(); m != many {
				rows = l.Sum(l.Reshape(rows, many, m/many), 1)
			}
			if many != l.batch {
				rows = l.Sum(l.Transpose(l.Reshape(rows, many/l.batch, l.batch), 1, 0), 1) // in the same order for any batch
			}
			mean := rows
			if many != l.batch && l.n.mean {
				mean = l.Mul(rows, l.Fill(float64(l.batch)/float64(many)))
			}
			if total != nil {
				rows, mean = l.Add(total, rows), l.Add(scored, mean)
			}
			total, scored = rows, mean
		})
		if err != nil {
			return nil, nil, l.n.at(i, err)
		}
	}
	if s.weights != nil {
		w := l.Reshape(l.Input("weights0", s.weights...), l.batch)
		total, scored = l.Mul(total, w), l.Mul(scored, w)
	}
	return total, scored, nil
}

// lowerData emits a program that works on a minibatch.
func (n *blueprint) lowerData(p purpose, training, carries bool, s shapes) (*lowered, error) {
	l := n.newLowered(training, carries)
	if err := l.forward(s); err != nil {
		return nil, err
	}
	switch p {
	case forOutput, forEvaluation:
		for _, i := range n.outputs {
			l.Output(n.nodes[i].name, l.out[i].Value)
		}
		if p == forOutput {
			return l, nil
		}
	case forActivations:
		for i := range n.nodes {
			l.Output(n.nodes[i].name, l.out[i].Value)
		}
		return l, nil
	}
	rows, scored, err := l.losses(s)
	if err != nil {
		return nil, err
	}
	if p == forScore || p == forEvaluation {
		l.Output("losses", scored)
		return l, nil
	}
	l.Output("loss", l.SumAll(scored))
	weight := 1.0
	if p != forSum && n.mean {
		weight = 1 / float64(l.rowsOut[n.outputs[0]]) // Deeplearning4j divides by the rows of the first labels
	}
	return l, program.Try(func() { l.backward(p, rows, weight) })
}

// backward stores the gradient of every parameter. A gradient that a layer sets itself counts only if a gradient
// reaches the layer. None reaches the layers below a frozen one.
func (l *lowered) backward(p purpose, rows *program.Value, weight float64) {
	var wrt []*program.Value
	for _, e := range l.n.layout.entries {
		wrt = append(wrt, l.params[e.node][e.param.Name])
	}
	grads := l.Gradients(rows, l.Fill(weight, rows.Shape...), wrt)
	reached := l.n.reached()
	for i, e := range l.n.layout.entries {
		g := grads[i]
		if set := l.set[e.node][e.param.Name]; set != nil && reached[e.node] {
			g = set
		}
		if p == forRows && l.onlyRows(i, g) {
			continue
		}
		if g == nil {
			g = l.Fill(0, e.param.Stored()...)
		}
		l.Store(program.Gradient, e.offset, g)
	}
}
