package nn

import (
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// lowerVectors emits a program that works on the flat vectors only. The order of an update is that of Deeplearning4j's
// BaseMultiLayerUpdater: gradient normalisation, L1 and L2, the updater, weight decay. Of the parameters in used, the
// program updates only the rows in use. With alone, it reads and stores each parameter by itself, because on a device
// each is an array of its own.
func (n *blueprint) lowerVectors(p purpose, alone bool, used []usedRows) (*lowered, error) {
	l := n.newLowered(true, false)
	switch p {
	case forApply:
		return l, program.Try(func() { l.apply(alone) })
	case forConstraints:
		return l, program.Try(func() {
			for _, e := range n.layout.entries {
				if len(e.param.Constraints) > 0 {
					l.Store(program.Params, e.offset, l.constrained(e.param, l.View(program.Params, e.offset, e.size)))
				}
			}
		})
	case forPenalty:
		return l, program.Try(func() { l.Output("penalty", l.penalty()) })
	}
	if err := n.trainable(); err != nil {
		return nil, err
	}
	return l, program.Try(func() {
		scalars := make([][]*program.Value, len(n.layout.blocks))
		for i := range n.layout.blocks {
			scalars[i] = l.updaterScalars(i)
		}
		if p == forResidual {
			l.factor = l.Input("factor0")
		}
		for _, s := range n.parts(alone, used) {
			l.emitPart(s, scalars[s.block], p)
		}
	})
}

// trainable returns the reason why the network can be used in inference only; nil if it can be trained.
func (n *blueprint) trainable() error {
	for i, nd := range n.nodes {
		if u, ok := nd.layer.(layer.Untrainable); ok {
			if err := u.Untrainable(); err != nil {
				return n.at(i, err)
			}
		}
	}
	return n.layout.untrainable
}

// trainableIfMade refuses a new network that cannot be trained. It accepts networks from files: they can be used in
// inference.
func (n *blueprint) trainableIfMade(c Configuration) error {
	if c.written.file {
		return nil
	}
	return n.trainable()
}

// apply subtracts the update in ranges. With alone, each parameter is a range of its own, and otherwise each parameter
// with constraints.
func (l *lowered) apply(alone bool) {
	from, end := 0, l.n.layout.params
	move := func(to int, p layer.Param) {
		if to > from {
			w := l.Sub(l.View(program.Params, from, to-from), l.View(program.Update, from, to-from))
			l.Store(program.Params, from, l.constrained(p, w))
		}
		from = to
	}
	for _, e := range l.n.layout.entries {
		if alone || len(e.param.Constraints) > 0 {
			move(e.offset, layer.Param{})
			move(e.offset+e.size, e.param)
		}
	}
	move(end, layer.Param{})
}

// constrained applies a parameter's constraints, in their order, to its new values, which are flat.
func (l *lowered) constrained(p layer.Param, w *program.Value) *program.Value {
	if len(p.Constraints) == 0 {
		return w
	}
	flat := w.Shape
	w = l.Reshape(w, p.Stored()...)
	for _, c := range p.Constraints {
		w = regularization.ApplyConstraint(l.Builder, c, w, p.Order)
	}
	return l.Reshape(w, flat...)
}

// updaterScalars declares the numbers that a block's updater needs.
func (l *lowered) updaterScalars(i int) []*program.Value {
	u := l.n.layout.blocks[i].updater
	var out []*program.Value
	for k := range u.Scalars(0, 0) {
		out = append(out, l.scalar(func(iteration, epoch int) float64 { return u.Scalars(iteration, epoch)[k] }))
	}
	return out
}

func (l *lowered) emitPart(s part, scalars []*program.Value, p purpose) {
	b := l.n.layout.blocks[s.block]
	first := l.n.layout.entries[s.first]
	of := l.n.nodes[first.node].name
	if l.n.layout.entries[s.last-1].node != first.node {
		of = "several layers"
	}
	l.Scope = program.Scope{Layer: of, Phase: program.Updating}
	w := l.get(s, program.Params, s.offset)
	g := l.normalised(s)
	for _, r := range first.param.Regularization {
		if r.Phase() == regularization.BeforeUpdater {
			g = r.Emit(l.Builder, w, g, l.scalar(r.Coefficient), nil)
		}
	}
	var state []*program.Value
	_, sized := b.updater.(updater.Sized)
	for i := range b.updater.States() {
		if at, length := b.stateAt(i, s.offset, s.size); sized {
			state = append(state, l.View(program.State, at, length))
		} else {
			state = append(state, l.get(s, program.State, at))
		}
	}
	update, newState := l.step(b.updater, w, g, state, scalars)
	for _, r := range first.param.Regularization {
		if r.Phase() == regularization.AfterUpdater {
			lr := l.scalar(func(iteration, epoch int) float64 {
				if lr, has := b.updater.Rate(iteration, epoch); has {
					return lr
				}
				return 1
			})
			update = r.Emit(l.Builder, w, update, l.scalar(r.Coefficient), lr)
		}
	}
	for i, v := range newState {
		v = l.Unary(program.Flush, v) // velocities of weights without gradients decay to denormals
		if at, _ := b.stateAt(i, s.offset, s.size); sized {
			l.Store(program.State, at, v)
		} else {
			l.put(s, program.State, at, v)
		}
	}
	switch p {
	case forUpdate:
		l.Store(program.Update, s.offset, update)
	case forResidual:
		l.Store(program.Residual, s.offset, l.Add(l.View(program.Residual, s.offset, s.size), l.Mul(update, l.factor)))
	default:
		l.put(s, program.Params, s.offset, l.constrained(first.param, l.Sub(w, update)))
	}
}

// step emits an updater's formula.
func (l *lowered) step(u updater.Updater, w, g *program.Value, state, scalars []*program.Value) (
	update *program.Value, newState []*program.Value) {
	if of, ok := u.(updater.Weighted); ok {
		return of.EmitFor(l.Builder, w, g, state, scalars)
	}
	return u.Emit(l.Builder, g, state, scalars)
}

// normalised returns a part's gradient after its layer's gradient normalisation.
func (l *lowered) normalised(s part) *program.Value {
	n := l.n
	e := n.layout.entries[s.first]
	set := n.nodes[e.node].layer.Settings()
	g := l.gradient(s)
	t := l.Fill(set.GradientNormalizationThreshold)
	var of, scale *program.Value // the norm is computed from the gradient times the scale
	switch set.GradientNormalization {
	case layer.RenormalizeL2PerLayer, layer.ClipL2PerLayer:
		offset, size := n.layout.nodeRange(e.node)
		of, scale = l.Norm(l.View(program.Gradient, offset, size), 0)
	case layer.RenormalizeL2PerParam, layer.ClipL2PerParam:
		of, scale = l.Norm(l.View(program.Gradient, e.offset, e.size), 0)
	case layer.ClipElementWiseAbsolute:
		return l.Clip(g, -set.GradientNormalizationThreshold, set.GradientNormalizationThreshold)
	default:
		return g
	}
	if set.GradientNormalization == layer.ClipL2PerLayer || set.GradientNormalization == layer.ClipL2PerParam {
		unscaled := l.Div(l.Fill(1), scale)
		return l.Mul(l.Mul(g, scale), l.Select(l.Binary(program.Greater, of, l.Mul(t, scale)), l.Div(t, of), unscaled))
	}
	return l.Div(l.Mul(g, scale), l.Select(l.Binary(program.Equal, of, l.Fill(0)), l.Fill(1e-5), of))
}

// penalty emits the regularisation's part of the score. As in Deeplearning4j, vertices and layers on SameDiff do not
// count.
func (l *lowered) penalty() *program.Value {
	total := l.Fill(0)
	for _, e := range l.n.layout.entries {
		if _, ok := l.n.nodes[e.node].layer.(vertexLayer); ok || !layer.Scored(l.n.nodes[e.node].layer) {
			continue
		}
		for _, r := range e.param.Regularization {
			w := l.View(program.Params, e.offset, e.size)
			total = l.Add(total, r.Score(l.Builder, w, l.scalar(r.Coefficient)))
		}
	}
	return total
}

// regularised reports whether any parameter has a regularisation.
func (n *blueprint) regularised() bool {
	for _, e := range n.layout.entries {
		if len(e.param.Regularization) > 0 {
			return true
		}
	}
	return false
}
