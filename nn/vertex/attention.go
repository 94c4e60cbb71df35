package vertex

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
)

// Attention computes, for each step of its first input, a mean of the steps of the third, weighted by how well the
// steps of the second match (Deeplearning4j: AttentionVertex). The inputs are queries [batch, nInQueries, time], keys
// [batch, nInKeys, steps] and values [batch, nInValues, steps]. The output is [batch, nOut, time], by
// layer.DotProductAttention.
//
// With ProjectInput there are NHeads projections Wq, Wk and Wv [nHeads, headSize, nIn…], and Wo [nHeads·headSize,
// nOut] combines the results of the heads. Without it, all sizes are the same and there are no parameters. Steps that
// are masked in the keys or values are ignored. The mask of the queries sets results to 0, and is passed on.
type Attention struct {
	SameDiff
	// NInQueries, NInKeys and NInValues follow from the types of the inputs if they are 0.
	NInQueries   int  `dl4j:"ninQueries"`
	NInKeys      int  `dl4j:"ninKeys"`
	NInValues    int  `dl4j:"ninValues"`
	NOut         int  `dl4j:"nout"`
	HeadSize     int  `dl4j:"headSize"`     // nOut/NHeads if it is 0
	NHeads       int  `dl4j:"nheads"`       // 1 if it is 0
	ProjectInput bool `dl4j:"projectInput"` // needed for several heads, and if the sizes differ
	// WeightInit is a name of Deeplearning4j's enum WeightInit; XAVIER if it is empty.
	WeightInit string `dl4j:"weightInit,zeronull"`
}

func (v Attention) attention() layer.DotProductAttention {
	return layer.DotProductAttention{Queries: v.NInQueries, Keys: v.NInKeys, Values: v.NInValues, Out: v.NOut,
		Heads:    v.NHeads,
		HeadSize: v.HeadSize, Project: v.ProjectInput}
}

// Complete fills in settings that are left open.
func (v Attention) Complete(d layer.Defaults, in []inputtype.Type) (Vertex, error) {
	if err := inputs(in, 3, 3); err != nil {
		return nil, fmt.Errorf("%w: queries, keys and values", err)
	}
	for i, n := range []*int{&v.NInQueries, &v.NInKeys, &v.NInValues} {
		if *n == 0 && in[i].Kind == inputtype.RecurrentKind {
			*n = in[i].Size
		}
	}
	if !v.ProjectInput && v.NOut == 0 {
		v.NOut = v.NInValues
	}
	a, err := v.attention().Complete()
	if err != nil {
		return nil, err
	}
	v.NHeads, v.HeadSize = a.Heads, a.HeadSize
	if v.SameDiff, v.WeightInit, err = v.SameDiff.complete(v.WeightInit, d); err != nil {
		return nil, err
	}
	v.SameDiff = v.with(v.Params(), "queries", "keys", "values")
	return v, v.layer(v.WeightInit).CheckWeights(v.Params())
}

// OutputType is a sequence with a vector of nOut for each query.
func (v Attention) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	if err := inputs(in, 3, 3); err != nil {
		return inputtype.Type{}, err
	}
	names := []string{"queries", "keys", "values"}
	for i, n := range []int{v.NInQueries, v.NInKeys, v.NInValues} {
		if t := in[i]; t.Kind != inputtype.RecurrentKind || t.Size != n && t.Size != 0 {
			return t, fmt.Errorf("takes sequences of vectors of %d as %s, got %v", n, names[i], t)
		}
	}
	if k, n := in[1].TimeSteps, in[2].TimeSteps; k > 0 && n > 0 && k != n {
		return in[1], fmt.Errorf("takes as many keys as values, got %v and %v", in[1], in[2])
	}
	return inputtype.Recurrent(v.NOut, in[0].TimeSteps), nil
}

// Params are Wq, Wk, Wv and Wo if the inputs are projected.
func (v Attention) Params() []layer.Param {
	fan := func(in, out int) weights.FanInOut { return weights.FanInOut{In: float64(in), Out: float64(out)} }
	return v.attention().Params(v.layer(v.WeightInit), fan(v.NInQueries, v.HeadSize), fan(v.NInKeys, v.HeadSize),
		fan(v.NInValues, v.HeadSize), fan(v.NHeads*v.HeadSize, v.NOut))
}

// Forward emits the formula.
func (v Attention) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	steps := func(a layer.Activation) *program.Value { return c.Transpose(channelsFirst(c, a), 0, 2, 1) }
	mask := in[1].Mask
	if mask == nil {
		mask = in[2].Mask
	} else if in[2].Mask != nil {
		mask = c.Min(mask, in[2].Mask)
	}
	y := c.Transpose(v.attention().Emit(c, steps(in[0]), steps(in[1]), steps(in[2]), mask), 0, 2, 1)
	if m := in[0].Mask; m != nil {
		y = c.Mul(y, c.Reshape(m, m.Shape[0], 1, m.Shape[1]))
	}
	return layer.Activation{Value: y, Mask: in[0].Mask, Type: inputtype.Recurrent(v.NOut, y.Shape[2])}
}

func init() {
	Classes.Register(javaPackage+"AttentionVertex", func() Vertex { return Attention{NHeads: 1} })
}
