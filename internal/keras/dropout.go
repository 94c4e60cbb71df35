package keras

import (
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
)

// dropout reads the layers that are active in training only. Keras' rate is the dropped share.
func dropout(b *builder, l *kerasLayer, in value) value {
	rate := l.float("rate", 0)
	if l.m["rate"] == nil {
		rate = l.float("p", 0)
	}
	deviation := l.float("stddev", 0)
	if rate < 0 || rate >= 1 || deviation < 0 {
		l.refuse("the rate is %g: it must be in [0, 1)", rate)
	}
	if l.m["noise_shape"] != nil {
		b.cannot("layer %s has a noise_shape", l.name)
	}
	if rate == 0 && deviation == 0 {
		return in
	}
	keep := 1 - rate
	spatial := false
	base := layer.Base{}
	switch l.class {
	case "Dropout":
		base.Dropout = regularization.NewDropout(keep)
	case "GaussianDropout":
		base.Dropout = regularization.GaussianDropout{Rate: rate}
	case "GaussianNoise":
		base.Dropout = regularization.GaussianNoise{Std: deviation}
	case "AlphaDropout":
		base.Dropout = regularization.NewAlphaDropout(keep)
	default:
		base.Dropout, spatial = regularization.SpatialDropout{P: keep}, true
	}
	of := layer.Layer(layer.Dropout{Base: base})
	if l.frozen {
		return in
	}
	if !spatial {
		out := in
		out.from = b.add(l.name, of, in.from)
		return out
	}
	first := b.channelsFirst(l.name+"-channels-first", in)
	first.from = b.add(l.name, of, first.from)
	return b.channelsLast(l.name+"-channels-last", first)
}

// activityRegularization only changes the loss.
func activityRegularization(b *builder, l *kerasLayer, in value) value {
	l.float("l1", 0)
	l.float("l2", 0)
	b.cannot("layer %s is an ActivityRegularization", l.name)
	return in
}
