package keras

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/vertex"
)

// lossSetting is the loss of an output, from the file.
type lossSetting struct {
	settings
	name   string
	factor float64
}

// readLosses reads the loss of each output.
func readLosses(b *builder, m *model, out []value) {
	if b.training == nil {
		return
	}
	c := b.a.compile
	var names []string
	for _, r := range m.outputs {
		names = append(names, r.layer)
	}
	losses, weights := perOutput(c, "loss", names), perOutput(c, "loss_weights", names)
	if losses == nil {
		b.notices = append(b.notices,
			"the model was compiled without a loss, or with one that is not read: the network has none")
		b.training = nil
		return
	}
	for i := range out {
		s := lossSetting{factor: 1}
		if weights != nil {
			s.factor, _ = weights[i].(float64)
		}
		s.settings = newSettings("the loss of "+names[i], nil)
		switch v := losses[i].(type) {
		case string:
			s.name = v
		case map[string]any:
			s.name, _ = v["class_name"].(string)
			switch config := v["config"].(type) {
			case map[string]any:
				if s.name == "function" {
					s.name, _ = config["name"].(string)
				}
				s.settings.m = config
			case string:
				s.name = config
			}
		}
		if s.name == "" {
			b.cannot("output %s has no loss", names[i])
		}
		if r, ok := s.m["reduction"].(string); ok && !slices.Contains([]string{"sum_over_batch_size",
			"auto", "mean"}, r) {
			b.cannot("the loss of %s has the reduction %s", names[i], shown(r))
		}
		act := activation.Activation(activation.Identity{})
		if ending := endingOf(b, out[i], out); ending != nil {
			act = *ending
		}
		b.training.losses = append(b.training.losses, readLoss(b, s, out[i], act))
	}
}

// perOutput returns a setting for each output. The file has one for all, a list, or an object by name; nil if it has
// none.
func perOutput(c settings, key string, names []string) []any {
	switch v := c.get(key).(type) {
	case nil:
		return nil
	case []any:
		if len(v) == len(names) {
			return v
		}
	case map[string]any:
		if _, one := v["class_name"]; one {
			return slices.Repeat([]any{v}, len(names))
		}
		var list []any
		for _, name := range names {
			list = append(list, v[name])
		}
		return list
	default:
		return slices.Repeat([]any{v}, len(names))
	}
	c.wrong(key, fmt.Sprintf("one for each of %d outputs", len(names)))
	return nil
}

// readLoss returns the loss of an output with this shape and the activation act. If there is no counterpart, it
// returns nil and records a reason.
func readLoss(b *builder, s lossSetting, t value, act activation.Activation) loss.Loss {
	a := loss.Adjusted{Factor: s.factor, StepMean: t.rank() > 1, Smoothing: s.float("label_smoothing", 0)}
	single := 1 / float64(t.channels())
	logits := s.bool("from_logits", false)
	switch plain(s.name) {
	case "mse", "meansquarederror":
		a.Loss = loss.MSE{}
	case "mae", "meanabsoluteerror":
		a.Loss = loss.MAE{}
	case "mape", "meanabsolutepercentageerror":
		a.Loss = loss.MAPE{}
	case "msle", "meansquaredlogarithmicerror":
		a.Loss = loss.MSLE{}
	case "categoricalcrossentropy", "sparsecategoricalcrossentropy":
		if logits {
			a.Logits = activation.Softmax{}
		} else if _, ok := act.(activation.Softmax); !ok {
			b.cannot("the loss %s follows no softmax, and is not from logits", s.name)
			return nil
		}
		x := loss.NewMCXENT()
		x.SoftmaxClipEps = 1e-7
		if a.Loss = loss.Loss(x); plain(s.name)[0] == 's' {
			a.Loss = loss.SparseMCXENT{MCXENT: x}
			if s.m["ignore_class"] != nil || t.rank() > 2 {
				b.cannot("the loss %s has an ignore_class, or class numbers of cells", s.name)
				return nil
			}
		}
	case "binarycrossentropy":
		if logits {
			a.Logits = activation.Sigmoid{}
		}
		a.Loss, a.Sets = loss.XENT{ClipEps: 1e-7}, true
		a.Factor *= single
	case "kld", "kldivergence", "kullbackleiblerdivergence":
		a.Loss = loss.KLD{}
	case "poisson":
		a.Loss = loss.Poisson{}
		a.Factor *= single
	case "hinge":
		a.Loss, a.Signs = loss.Hinge{}, true
		a.Factor *= single
	case "squaredhinge":
		a.Loss, a.Signs = loss.SquaredHinge{}, true
		a.Factor *= single
	case "categoricalhinge":
		a.Loss = loss.CategoricalHinge{}
	case "cosinesimilarity", "cosineproximity":
		a.Loss = loss.CosineProximity{}
		if axis := s.list("axis", -8); axis != nil && axis[0] != -1 {
			a.Loss = nil
		}
	case "huber", "huberloss":
		a.Loss = loss.Huber{Delta: s.float("delta", 1)}
	case "logcosh":
		a.Loss = loss.LogCosh{}
	}
	if a.Loss == nil {
		b.cannot("the loss %s has no counterpart", shown(s.name))
		return nil
	}
	if a.Factor == 1 && !a.StepMean && a.Logits == nil && a.Smoothing == 0 && !a.Signs {
		return a.Loss
	}
	if a.Factor == 1 {
		a.Factor = 0
	}
	return a
}

// addIdentity adds a vertex that returns a tensor unchanged.
func addIdentity(b *builder, t value) string {
	return b.add(t.from+"-output", layer.Activate{Activation: activation.Identity{}}, t.from)
}

// usesOf counts the vertices and outputs that read a tensor.
func usesOf(b *builder, t value, out []value) (n int) {
	for _, v := range b.vertices {
		for _, in := range v.Inputs {
			if in == t.from {
				n++
			}
		}
	}
	for _, o := range out {
		if o.from == t.from {
			n++
		}
	}
	return n
}

// endingOf returns the activation of the layer that computes an output, if it can be separated from the layer.
func endingOf(b *builder, t value, out []value) *activation.Activation {
	at := b.at[t.from]
	if at < 0 || usesOf(b, t, out) != 1 {
		return nil
	}
	switch l := b.vertices[at].Layer.(type) {
	case layer.Dense:
		return &l.Activation
	case layer.TimeDistributed:
		if d, ok := l.Layer.(layer.Dense); ok {
			return &d.Activation
		}
	case layer.FrozenWithBackprop:
		if d, ok := l.Layer.(layer.Dense); ok {
			return &d.Activation
		}
	case layer.Convolution1D:
		return &l.Activation
	case layer.Convolution2D:
		return &l.Activation
	case layer.Convolution3D:
		return &l.Activation
	case layer.Activate:
		return &l.Activation
	}
	return nil
}

// takeEnding removes the activation of a vertex.
func takeEnding(b *builder, t value) {
	none := activation.Identity{}
	switch l := b.vertices[b.at[t.from]].Layer.(type) {
	case layer.Dense:
		l.Activation = none
		b.vertices[b.at[t.from]].Layer = l
	case layer.TimeDistributed:
		d := l.Layer.(layer.Dense)
		d.Activation = none
		l.Layer = d
		b.vertices[b.at[t.from]].Layer = l
	case layer.FrozenWithBackprop:
		d := l.Layer.(layer.Dense)
		d.Activation = none
		l.Layer = d
		b.vertices[b.at[t.from]].Layer = l
	case layer.Convolution1D:
		l.Activation = none
		b.vertices[b.at[t.from]].Layer = l
	case layer.Convolution2D:
		l.Activation = none
		b.vertices[b.at[t.from]].Layer = l
	case layer.Convolution3D:
		l.Activation = none
		b.vertices[b.at[t.from]].Layer = l
	case layer.Activate:
		l.Activation = none
		b.vertices[b.at[t.from]].Layer = l
	}
}

// scoreOutput adds the loss to an output, and returns the name of its vertex. The loss belongs to the last dense
// layer, or to a new layer behind it.
func scoreOutput(b *builder, t value, of loss.Loss, out []value) string {
	act := activation.Activation(activation.Identity{})
	ending := endingOf(b, t, out)
	if ending != nil {
		act = *ending
	}
	if ending != nil {
		v := &b.vertices[b.at[t.from]]
		switch l := v.Layer.(type) {
		case layer.Dense:
			v.Layer = layer.Output{Base: l.Base, NIn: l.NIn, NOut: l.NOut, Activation: act,
				NoBias: l.NoBias, Loss: of}
			return t.from
		case layer.TimeDistributed:
			if d := l.Layer.(layer.Dense); t.mask == "" {
				v.Layer = layer.RnnOutput{Base: d.Base, NIn: d.NIn, NOut: d.NOut, Activation: act,
					NoBias: d.NoBias, Loss: of,
					Format: inputtype.NWC}
				return t.from
			}
		}
		takeEnding(b, t)
	}
	return addLossLayer(b, t, act, of)
}

// addLossLayer adds a layer with the activation and the loss.
func addLossLayer(b *builder, t value, act activation.Activation, of loss.Loss) string {
	var last layer.Layer
	from := t.from
	switch t.rank() {
	case 1:
		last = layer.Loss{Activation: act, Loss: of, NIn: t.channels()}
	case 2:
		last = layer.RnnLoss{Activation: act, Loss: of, Format: inputtype.NWC}
		if t.mask != "" {
			from = b.add(from+"-masked", vertex.Masked{}, from, t.mask)
		}
	case 3:
		l := layer.CnnLoss{Format: nhwc}
		l.Activation, l.Loss = act, of
		last = l
	default:
		l := layer.Cnn3DLoss{Format: ndhwc}
		l.Activation, l.Loss = act, of
		last = l
	}
	return b.add(t.from+"-loss", last, from)
}
