package distributed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
)

// Tally counts the examples, their labels and their weights. The sums do not depend on the partitions, within 1e-15.
func (d *Data) Tally(ctx context.Context, w data.Weighting) (data.Tally, error) {
	var all data.Tally
	err := d.rows.Map(tally.With(w)).Collect(ctx, func(_ int, row engine.Row) error {
		var part data.Tally
		if err := json.Unmarshal(row.Bytes, &part); err != nil {
			return err
		}
		all.Merge(part)
		return nil
	})
	return all, err
}

var tally = engine.Register("distributed.tally",
	func(_ *engine.Task, w data.Weighting, in engine.Rows, out engine.Writer) error {
		var t data.Tally
		for row, err := range engine.All(in) {
			if err != nil {
				return err
			}
			m, err := data.DecodeRow(row.Bytes)
			if err == nil {
				err = t.Add(m, w)
			}
			if err != nil {
				return engine.Permanent(err)
			}
		}
		return writeJSON(out, t)
	})

func writeJSON(out engine.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return engine.Permanent(err)
	}
	return out.Write(engine.Unindexed(b))
}

// EvaluateWeighted compares the network's output with the labels. Each example counts with its own weight times that of
// its class. numbers is true if the labels are numbers. revert, unless nil, converts these back to their unit. The
// network must have one output.
func EvaluateWeighted[N nn.AnyNetwork](ctx context.Context, m *Network[N], d *Data, w data.Weighting, numbers bool,
	revert *data.Scaler) (*eval.Weighted, error) {
	if err := m.check(d); err != nil {
		return nil, err
	}
	if n := len(m.net.OutputLayers()); n != 1 {
		return nil, errors.New("weighted figures are of networks with one output")
	}
	a, release, err := m.borrow(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer release()
	conf := weightedConfig{applied: a, Weighting: w, Numbers: numbers}
	if revert != nil {
		var b bytes.Buffer
		if err := data.WriteNormalizer(&b, revert); err != nil {
			return nil, err
		}
		conf.Revert = b.Bytes()
	}
	all := &eval.Weighted{Numbers: numbers}
	err = d.rows.Map(weighted.With(conf)).Collect(ctx, func(_ int, row engine.Row) error {
		var part eval.Weighted
		if err := json.Unmarshal(row.Bytes, &part); err != nil {
			return err
		}
		return all.Merge(&part)
	})
	if err != nil {
		return nil, d.explainFor(ctx, m.net, err)
	}
	return all, nil
}

type weightedConfig struct {
	applied
	Weighting data.Weighting
	Numbers   bool
	Revert    []byte // normalizer.bin; nil for none
}

var weighted = engine.Register("distributed.weighted",
	func(t *engine.Task, conf weightedConfig, in engine.Rows, out engine.Writer) error {
		revert, err := readReverting(conf.Revert)
		if err != nil {
			return engine.Permanent(err)
		}
		sum := eval.Weighted{Numbers: conf.Numbers}
		err = conf.onReplicas(t, in, nil, true, func(net *nn.Network, m *data.MultiDataSet) error {
			if err := checkLabels(net, m); err != nil {
				return engine.Permanent(err)
			}
			of := make([]float64, m.Examples()) // before labels change their unit
			for i := range of {
				if of[i], err = conf.Weighting.Of(m, i); err != nil {
					return engine.Permanent(err)
				}
			}
			outputs, err := net.Output(m, false)
			if err == nil && revert != nil {
				err = errors.Join(revert.RevertLabels(outputs, nil), revert.RevertLabels(m.Labels, m.LabelMasks))
			}
			if err != nil {
				return engine.Permanent(err)
			}
			err = sum.Add(m.Labels[0], outputs[0], m.LabelMask(0), func(i int) float64 { return of[i] })
			if err != nil {
				return engine.Permanent(err)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return writeJSON(out, sum)
	})
