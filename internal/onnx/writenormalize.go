package onnx

import (
	"slices"

	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// vertexOperator writes a vertex that has fewer nodes than its formula has operations. ok is false for other vertices.
func (e *exporter) vertexOperator(v vertex.Vertex, in flow) (name string, ok bool) {
	rank := len(in.shapes[0])
	switch v := v.(type) {
	case vertex.L2Normalize:
		axes := v.Dimensions
		for d := 1; d < rank && len(v.Dimensions) == 0; d++ {
			axes = append(axes, d)
		}
		eps := member(v, "eps")
		if !(eps > 0) {
			return "", false
		}
		norm := e.node("Max", []string{e.reduced("ReduceL2", in.name, 1, axes...), e.scalar(eps)})
		return e.node("Div", []string{in.name, norm}), true
	case vertex.Bilinear:
		last := in.types[0].ChannelsLast
		return channelsFirst(e.graph, in.name, last, rank, func(x string) string {
			scales := []float32{1, 1, float32(v.Size[0]), float32(v.Size[1])}
			return e.node("Resize", []string{x, "", e.reals(scales, 4)}, text("mode", "linear"),
				text("coordinate_transformation_mode", "half_pixel"))
		}), true
	}
	return "", false
}

// writeLayerNorm writes a layer normalisation. ONNX normalises the last dimensions.
func writeLayerNorm(e *exporter, l layer.LayerNormalization, prefix string, in flow) (string, bool, error) {
	rank := len(in.shapes[0])
	var there []int
	for d := range rank {
		if !slices.Contains(l.Axes, d) {
			there = append(there, d)
		}
	}
	there = append(there, l.Axes...)
	back := make([]int, rank)
	for i, d := range there {
		back[d] = i
	}
	size := 1
	for _, n := range l.Shape {
		size *= n
	}
	gamma := repeated(1, size)
	if !l.NoScale {
		gamma = e.params[prefix+"gamma"]
	}
	x, moved := in.name, !slices.IsSorted(there)
	if moved {
		x = e.node("Transpose", []string{x}, integers("perm", there...))
	}
	operands := []string{x, e.weights(prefix+"gamma", gamma, l.Shape...)}
	if !l.NoCenter {
		operands = append(operands, e.weights(prefix+"beta", e.params[prefix+"beta"], l.Shape...))
	}
	y := e.node("LayerNormalization", operands, integer("axis", -len(l.Axes)), number("epsilon", l.Eps))
	if moved {
		y = e.node("Transpose", []string{y}, integers("perm", back...))
	}
	return y, true, nil
}

// writeGroupNorm writes a normalisation of groups as one of the channels of an array [batch, groups, …].
func writeGroupNorm(e *exporter, l layer.GroupNormalization, prefix string, in flow) (name string, ok bool,
	err error) {
	gamma, beta := repeated(1, l.NIn), repeated(0, l.NIn)
	if !l.NoScale {
		gamma = e.params[prefix+"gamma"]
	}
	if !l.NoCenter {
		beta = e.params[prefix+"beta"]
	}
	rank := len(in.shapes[0])
	last := in.types[0].UnitsLast()
	name = channelsFirst(e.graph, in.name, last, rank, func(x string) string {
		if l.Groups == l.NIn && rank > 2 {
			return e.node("InstanceNormalization", []string{x, e.weights(prefix+"gamma", gamma, l.NIn),
				e.weights(prefix+"beta", beta, l.NIn)}, number("epsilon", l.Eps))
		}
		extents := make([]extent, rank)
		for _, s := range in.shapes {
			s = s.Clone()
			if last {
				s = slices.Concat(s[:1], s[rank-1:], s[1:rank-1])
			}
			for i, n := range s {
				extents[i] = append(extents[i], n)
			}
		}
		var shape string
		if shape, err = e.shape(extents); err != nil {
			return ""
		}
		y := e.node("InstanceNormalization", []string{e.node("Reshape", []string{x, e.ints(0, int64(l.Groups), -1)}),
			e.reals(repeated(1, l.Groups), l.Groups), e.reals(repeated(0, l.Groups), l.Groups)}, number("epsilon", l.Eps))
		y = e.node("Reshape", []string{y, shape})
		dims := make([]int, rank-1)
		for i := range dims {
			dims[i] = 1
		}
		dims[0] = l.NIn
		if !l.NoScale {
			y = e.node("Mul", []string{y, e.weights(prefix+"gamma", gamma, dims...)})
		}
		if !l.NoCenter {
			y = e.node("Add", []string{y, e.weights(prefix+"beta", beta, dims...)})
		}
		return y
	})
	return name, err == nil, err
}
