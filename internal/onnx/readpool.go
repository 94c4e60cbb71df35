package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
)

// readPool reads a pooling.
func readPool(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	axes, err := spatial(v)
	if err != nil {
		return err
	}
	s, err := slidingOf(r, n, axes, nil)
	if err != nil {
		return err
	}
	if len(n.Outputs) > 1 && n.Outputs[1] != "" && r.readers[n.Outputs[1]] > 0 {
		return errors.New("its indices are read: no layer gives them")
	}
	include, p := attributeInt(n, "count_include_pad", 0) != 0, int(attributeInt(n, "p", 2))
	over := s.mode
	if attributeInt(n, "ceil_mode", 0) != 0 && !s.roundedUp(axes) {
		return errors.New("ceil_mode is set, and the last window lies over the end: no layer pads only there")
	}
	if s.uneven() {
		return fmt.Errorf("its padding %v and %v is neither even nor SAME_UPPER", s.before, s.after)
	}
	kind := map[string]layer.PoolingType{"MaxPool": layer.MaxPooling, "AveragePool": layer.AvgPooling,
		"LpPool": layer.PNormPooling}[n.Op]
	include = include && s.mode == over // there is no other padding than that over the end, which does not count
	var l layer.Layer
	switch len(axes) {
	case 1:
		l = layer.Subsampling1D{Pooling: kind, Kernel: one(s.kernel), Stride: one(s.stride), Padding: one(s.before),
			Dilation: one(s.dilation), Mode: s.mode, IncludePad: include, PNorm: p}
	case 2:
		l = layer.Subsampling{Pooling: kind, Kernel: two(s.kernel), Stride: two(s.stride), Padding: two(s.before),
			Dilation: two(s.dilation), Mode: s.mode, IncludePad: include, PNorm: p}
	default:
		if kind == layer.AvgPooling && !include && !slices.Equal(s.before, repeat(0, 3)) || kind == layer.PNormPooling {
			return errors.New("no layer pools volumes in this way")
		}
		l = layer.Subsampling3D{Pooling: kind, Kernel: three(s.kernel), Stride: three(s.stride), Padding: three(s.before),
			Dilation: three(s.dilation), Mode: s.mode}
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}

// roundedUp reports whether all windows are whole, or whether the mode Same, which it sets, has the same windows. Same
// pads at both ends, and by one at the end only.
func (s *sliding) roundedUp(axes []axis) bool {
	whole, same := true, s.mode == layer.Truncate
	for i, a := range axes {
		reach := (s.kernel[i]-1)*s.dilation[i] + 1
		room := a.size + s.before[i] + s.after[i] - reach
		if a.size < 1 || room < 0 {
			return false
		}
		whole = whole && room%s.stride[i] == 0
		out := (room+s.stride[i]-1)/s.stride[i] + 1
		over := (out-1)*s.stride[i] + reach - a.size
		same = same && s.before[i] == 0 && s.after[i] == 0 && out == (a.size+s.stride[i]-1)/s.stride[i] && over <= 1
	}
	if !whole && same {
		s.mode = layer.Same
	}
	return whole || same
}

// readGlobalPool reads a pooling of all steps or pixels, including one written as a reduction.
func readGlobalPool(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	keep := true
	reduced := make([]bool, len(v.axes))
	if n.Op[0] == 'R' {
		keep = attributeInt(n, "keepdims", 1) != 0
		list, err := r.list(n, "axes", 1)
		if err != nil {
			return err
		}
		for _, a := range list {
			i, err := axisIndex(a, len(v.axes))
			if err != nil {
				return err
			}
			reduced[i] = true
		}
	} else {
		for i := 2; i < len(reduced); i++ {
			reduced[i] = true
		}
	}
	var axes []axis
	for i, a := range v.axes {
		space := slices.Contains([]byte{timeAxis, depthAxis, heightAxis, widthAxis}, a.label)
		switch {
		case reduced[i] != space && a.label != unitAxis:
			return fmt.Errorf("it reduces others than the axes of time or space of %q", v.labels())
		case reduced[i] && keep:
			axes = append(axes, axis{unitAxis, 1})
		case !reduced[i] && a.label == channelAxis:
			axes = append(axes, axis{featureAxis, a.size})
		case !reduced[i]:
			axes = append(axes, a)
		}
	}
	l := layer.GlobalPooling{Pooling: map[string]layer.PoolingType{"GlobalMaxPool": layer.MaxPooling,
		"ReduceMax":         layer.MaxPooling,
		"GlobalAveragePool": layer.AvgPooling, "ReduceMean": layer.AvgPooling, "ReduceSum": layer.SumPooling,
		"ReduceL2": layer.PNormPooling, "GlobalLpPool": layer.PNormPooling}[n.Op], PNorm: int(attributeInt(n, "p", 2))}
	if v.order != nil || v.recurrent != nil || len(axes) < 2 || r.types[v.from].Kind == 0 {
		return fmt.Errorf("it pools %q", v.labels())
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	r.set(n, &value{from: name, axes: axes})
	return nil
}
