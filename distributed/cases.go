package distributed

import (
	"context"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
)

// EvaluateCases adds the examples of a data set to cases, in the order of the data, until the cases are full. Each
// example has the network's output, and those with the largest losses also have their features. revert, unless nil,
// converts labels and outputs back to their unit. by is the normalizer that the data went through, which converts
// features back to theirs; nil if there is none.
func EvaluateCases[N nn.AnyNetwork](ctx context.Context, m *Network[N], d *Data, by data.Normalizer,
	revert *data.Scaler, cases ...*eval.Cases) error {
	full := func(c *eval.Cases) bool { return c.Full() }
	if !slices.ContainsFunc(cases, func(c *eval.Cases) bool { return !c.Full() }) {
		return nil
	}
	first := cases[0].Seen()
	p, err := m.Predict(ctx, d, PredictOptions{Revert: revert, Labels: true})
	if err != nil {
		return err
	}
	defer p.Release()
	err = p.Data().Examples(ctx, func(x *data.MultiDataSet) error {
		if revert != nil {
			if err := revert.RevertLabels(x.Labels, x.LabelMasks); err != nil {
				return err
			}
		}
		key := ""
		if len(x.Meta) > 0 {
			key = keyText(x.Meta[0], d.keys)
		}
		for _, c := range cases {
			if k := c.Output; k < len(x.Labels) && k < len(x.Features) {
				c.Add(key, x.Labels[k], x.Features[k], x.LabelMask(k))
			}
		}
		if slices.ContainsFunc(cases, full) {
			return ErrStop
		}
		return nil
	})
	if err != nil {
		return err
	}
	return giveFeatures(ctx, d, by, first, cases)
}

// giveFeatures reads the data once more, up to the last example whose features are wanted. first is the index of the
// data's first example.
func giveFeatures(ctx context.Context, d *Data, by data.Normalizer, first int, cases []*eval.Cases) error {
	wanted := map[int][]*eval.Cases{}
	last := -1
	for _, c := range cases {
		for _, at := range c.Wanted() {
			wanted[at] = append(wanted[at], c)
			last = max(last, at)
		}
	}
	if last < first {
		return nil
	}
	at := first
	return d.Examples(ctx, func(x *data.MultiDataSet) error {
		to := wanted[at]
		if to != nil && by != nil {
			if err := by.Revert(x); err != nil {
				return err
			}
		}
		for _, c := range to {
			c.Feature(at, x.Features[0].Data)
		}
		if at++; at > last {
			return ErrStop
		}
		return nil
	})
}
