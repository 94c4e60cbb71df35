package masters

import (
	"slices"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
)

// Range is a part of the flat parameter vector: From inclusive, To exclusive.
type Range struct{ From, To int }

// Statistics returns the ranges that hold statistics, such as batch normalisation's mean and variance. No gradient
// moves them.
func Statistics(net *nn.Network) []Range {
	var all []Range
	for _, p := range net.ParamTable() {
		if p.Kind == layer.Statistic {
			all = append(all, Range{p.Offset, p.Offset + p.Size})
		}
	}
	return all
}

// Constrained reports whether the network has constraints.
func Constrained(net *nn.Network) bool {
	return slices.ContainsFunc(net.ParamTable(), func(p nn.ParamInfo) bool { return p.Constrained })
}
