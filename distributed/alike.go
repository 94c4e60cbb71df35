package distributed

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
)

// onReplicas is [applied.alike] on networks for inference.
func (a applied) onReplicas(t *engine.Task, in engine.Rows, keys []string, labels bool,
	f func(*nn.Network, *data.MultiDataSet) error) error {
	nets, err := a.replicas(t)
	if err != nil {
		return err
	}
	var last *data.MultiDataSet // the first example of the last minibatch checked
	return a.alike(t, in, keys, labels, func(m *data.MultiDataSet) error {
		checked := last != nil && data.SameShapes(last, m)
		last = m.Slice(0, 1)
		return nets.use(t.Context(), func(net *nn.Network) error {
			if !checked {
				if err := net.Check(m); err != nil {
					return engine.Permanent(err)
				}
			}
			return f(net, m)
		})
	})
}

// alike calls f with the partition's examples in minibatches whose arrays and masks have the same shapes, so that no
// example's result depends on others. It drops labels, unless labels is set or they have a mask. It reports errors of f
// for the minibatch's first example.
func (a applied) alike(t *engine.Task, in engine.Rows, keys []string, labels bool,
	f func(*data.MultiDataSet) error) error {
	var batch []*data.MultiDataSet
	at := 0 // position of the batch's first example
	apply := func() error {
		if len(batch) == 0 {
			return nil
		}
		m, err := data.Merge(batch)
		if err != nil {
			return engine.Permanent(err)
		}
		first := example{t.Partition, at, m.Meta, keys}
		at += len(batch)
		batch = batch[:0]
		if err = f(m); engine.IsPermanent(err) {
			return engine.Permanent(fmt.Errorf("%v: %w", first, err))
		}
		return err
	}
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		m, err := data.DecodeRow(row.Bytes)
		if err != nil {
			return engine.Permanent(fmt.Errorf("%v: %w", example{partition: t.Partition, at: at + len(batch)}, err))
		}
		if !labels && !slices.ContainsFunc(m.LabelMasks, func(mask *tensor.Dense) bool { return mask != nil }) {
			m.Labels, m.LabelMasks = nil, nil
		}
		if len(batch) == a.Batch || len(batch) > 0 && !data.SameShapes(batch[0], m) {
			if err := apply(); err != nil {
				return err
			}
		}
		batch = append(batch, m)
	}
	return apply()
}
