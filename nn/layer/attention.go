package layer

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
)

// DotProductAttention weights the steps of a sequence by how well they match queries: softmax(Q·Kᵀ/√d)·V (Vaswani and
// others, "Attention is all you need", 2017). Attention layers and vertices use it (ND4J: the operations
// dotProductAttention and multiHeadDotProductAttention).
//
// With projection, Q, K and V are Heads projections, of HeadSize each, of queries, keys and values, and Wo combines
// the results of the heads into Out. Without it, Q, K and V are queries, keys and values themselves, and d is their
// size.
type DotProductAttention struct {
	Queries, Keys, Values int // sizes of their vectors
	Out                   int
	Heads, HeadSize       int
	Project               bool
}

// Complete sets a Heads of 0 to 1 and a HeadSize of 0 to Out/Heads, and checks the rest. Without projection Out may be
// 0; it is the size of the input then.
func (a DotProductAttention) Complete() (DotProductAttention, error) {
	const most = 1 << 24
	if a.Heads == 0 {
		a.Heads = 1
	}
	if a.Project {
		if err := positive(min(a.Queries, a.Keys, a.Values), a.Out); err != nil {
			return a, err
		}
	}
	switch {
	case a.Heads < 1 || a.Heads > most:
		return a, fmt.Errorf("nHeads is %d: it must be from 1 to %d", a.Heads, most)
	case a.HeadSize == 0 && a.Out%a.Heads != 0:
		return a, fmt.Errorf("nHeads is %d: it must be a divisor of nOut, %d, where headSize is not set", a.Heads, a.Out)
	}
	if a.HeadSize == 0 {
		a.HeadSize = a.Out / a.Heads
	}
	switch {
	case a.HeadSize < 0 || a.HeadSize > most || a.Project && a.HeadSize == 0:
		return a, fmt.Errorf("headSize is %d: it must be from 1 to %d", a.HeadSize, most)
	case a.Project:
		return a, nil
	case a.Heads != 1:
		return a, fmt.Errorf("projectInput must be true for %d heads", a.Heads)
	case a.Queries != a.Keys || a.Keys != a.Values || a.Out != a.Values && a.Out != 0:
		return a, fmt.Errorf("projectInput must be true where nIn (queries %d, keys %d, values %d) is not nOut, %d",
			a.Queries, a.Keys, a.Values, a.Out)
	}
	return a, positive(a.Values, a.Values)
}

// params returns Wq, Wk and Wv [heads, headSize, …] and Wo [heads·headSize, out], drawn with the fans of
// Deeplearning4j's layers; none without projection.
func (a DotProductAttention) params(s SameDiff) []Param {
	all := float64(a.Heads * a.HeadSize)
	in := weights.FanInOut{In: all, Out: float64(a.Out)}
	return a.Params(s, in, in, in, weights.FanInOut{In: float64(a.Keys), Out: float64(a.HeadSize)})
}

// Params returns the parameters with the settings of s, drawn with the fans q of Wq and so on.
func (a DotProductAttention) Params(s SameDiff, q, k, v, o weights.FanInOut) []Param {
	if !a.Project {
		return nil
	}
	return []Param{
		s.weight("Wq", q, a.Heads, a.HeadSize, a.Queries),
		s.weight("Wk", k, a.Heads, a.HeadSize, a.Keys),
		s.weight("Wv", v, a.Heads, a.HeadSize, a.Values),
		s.weight("Wo", o, a.Heads*a.HeadSize, a.Out),
	}
}

// Emit returns [batch, steps of q, out] for queries q, keys k and values v, each [batch, steps, size]. Keys whose mask
// [batch, steps of k], or [batch, 1], is 0 have no weight, unless all keys of an example are masked.
func (a DotProductAttention) Emit(c *Context, q, k, v, mask *program.Value) *program.Value {
	off := absent(c, mask, k.Shape[0], k.Shape[1])
	if !a.Project {
		return attend(c.Builder, q, k, v, off)
	}
	b := c.Builder
	y := attend(b, a.heads(b, q, c.Params["Wq"]), a.heads(b, k, c.Params["Wk"]), a.heads(b, v, c.Params["Wv"]), off)
	return a.join(b, y, c.Params["Wo"])
}

// heads projects x [batch, steps, size] by w [heads, headSize, size]: [batch·heads, steps, headSize].
func (a DotProductAttention) heads(b *program.Builder, x, w *program.Value) *program.Value {
	rows, steps, size := x.Shape[0], x.Shape[1], x.Shape[2]
	w = b.Reshape(w, a.Heads*a.HeadSize, size)
	p := b.Apply(program.MatMul{TransB: true}, b.Reshape(x, rows*steps, size), w)
	p = b.Transpose(b.Reshape(p, rows, steps, a.Heads, a.HeadSize), 0, 2, 1, 3)
	return b.Reshape(p, rows*a.Heads, steps, a.HeadSize)
}

// join combines the heads' results [batch·heads, steps, headSize] into [batch, steps, out].
func (a DotProductAttention) join(b *program.Builder, y, wo *program.Value) *program.Value {
	rows, steps := y.Shape[0]/a.Heads, y.Shape[1]
	y = b.Transpose(b.Reshape(y, rows, a.Heads, steps, a.HeadSize), 0, 2, 1, 3)
	y = b.Apply(program.MatMul{}, b.Reshape(y, rows*steps, a.Heads*a.HeadSize), wo)
	return b.Reshape(y, rows, steps, a.Out)
}

// absent returns the offset to the scores of keys, [batch, 1, 1, steps]: −1e9 where the mask is 0. It is nil without a
// mask.
func absent(c *Context, mask *program.Value, rows, steps int) *program.Value {
	if mask == nil {
		return nil
	}
	if mask.Shape[1] == 1 {
		mask = c.BroadcastTo(mask, rows, steps)
	}
	return c.Reshape(c.Mul(c.Sub(mask, c.Fill(1)), c.Fill(1e9)), rows, 1, 1, steps)
}

// attend is softmax(q·kᵀ/√d + off)·v for [batch·heads, steps, d]; off [batch, 1, 1, steps of k] may be nil.
func attend(b *program.Builder, q, k, v, off *program.Value) *program.Value {
	scores := b.Mul(b.Apply(program.MatMul{TransB: true}, q, k), b.Fill(1/math.Sqrt(float64(q.Shape[2]))))
	if off != nil {
		shape, rows := scores.Shape, off.Shape[0]
		scores = b.Reshape(b.Add(b.Reshape(scores, rows, shape[0]/rows, shape[1], shape[2]), off), shape...)
	}
	return b.Apply(program.MatMul{}, b.Apply(program.Softmax{Dim: 2}, scores), v)
}
