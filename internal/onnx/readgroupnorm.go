package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
)

// readInstanceNorm reads a normalisation of each channel. Between two Reshapes, it is one of groups of channels.
func readInstanceNorm(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	groups := v.groups
	if groups == 0 {
		if len(v.axes) < 3 {
			return fmt.Errorf("it normalises the axes %q: those of sequences or images should be here", v.labels())
		}
		groups = v.axes[1].size
	}
	return addGroupNorm(r, n, v, groups, attributeFloat(n, "epsilon", 1e-5))
}

// readGroupNorm reads a normalisation of groups of channels.
func readGroupNorm(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	groups := attributeInt(n, "num_groups", 0)
	if groups < 1 || groups > maxExtent {
		return fmt.Errorf("it has %d groups", groups)
	}
	return addGroupNorm(r, n, v, int(groups), attributeFloat(n, "epsilon", 1e-5))
}

// addGroupNorm adds the layer. The factors and the summands are those of channels or of groups.
func addGroupNorm(r *reader, n *onnxfile.Node, v *value, groups int, eps float64) error {
	if v.order != nil || v.recurrent != nil || len(v.axes) < 2 || v.axes[0].label != batchAxis ||
		v.axes[1].label != channelAxis && v.axes[1].label != featureAxis {
		return fmt.Errorf("it normalises the axes %q: the channels should be in the second dimension", v.labels())
	}
	channels := v.axes[1].size
	if channels < 1 || groups < 1 || channels%groups != 0 {
		return fmt.Errorf("its %d groups do not divide %d channels", groups, channels)
	}
	l := layer.GroupNormalization{NIn: channels, Groups: groups, Eps: max(eps, leastEps)}
	params := map[string][]float32{}
	for i, name := range []string{"gamma", "beta"} {
		x, _, err := r.weights(n, i+1, 1)
		if err != nil {
			return err
		}
		if len(x) != channels && len(x) != groups {
			return fmt.Errorf("operand %d has %d elements, for %d channels in %d groups", i+1, len(x), channels, groups)
		}
		each := channels / len(x)
		for k := range channels {
			params[name] = append(params[name], x[k/each])
		}
	}
	if !slices.ContainsFunc(params["gamma"], func(x float32) bool { return x != 1 }) &&
		!slices.ContainsFunc(params["beta"], func(x float32) bool { return x != 0 }) {
		l.NoScale, l.NoCenter, params = true, true, map[string][]float32{}
	}
	from, err := asVector(r, n, v.from, v)
	if err != nil {
		return err
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{from}}, params)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	if y != nil {
		y.groups = v.groups
	}
	r.set(n, y)
	return err
}

// toGroups reports whether a Reshape puts channels into groups, for an InstanceNormalization, and notes it.
func toGroups(r *reader, n *onnxfile.Node, v *value, to []int) bool {
	next := firstReader(r, n.Outputs[0])
	if next == nil || next.Op != "InstanceNormalization" || len(to) != 3 || len(v.axes) < 2 || to[1] < 1 ||
		r.readers[n.Outputs[0]] != 1 {
		return false
	}
	w := *v
	w.groups = to[1]
	r.set(n, &w)
	return true
}

// fromGroups reads the Reshape that puts channels side by side again.
func fromGroups(r *reader, n *onnxfile.Node, v *value, to []int) error {
	w := *v
	w.groups = 0
	sizes := sizesOf(v.axes)
	for i, d := range to {
		if len(to) != len(sizes) || d != sizes[i] && d != -1 && sizes[i] != -1 && i > 0 {
			return errors.New("the groups of channels become other axes than they were")
		}
	}
	r.set(n, &w)
	return nil
}
