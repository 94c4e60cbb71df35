package onnx

import (
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
)

// cell is a recurrent layer in ONNX's form, or two of them for two directions.
type cell struct {
	op         string // LSTM, GRU or RNN
	n, nIn     int
	w, r, b, p []float32 // of each direction, one after the other; the peepholes p may be nil
	kinds      []activation.Activation
	format     string
	directions int
	attributes []*onnxfile.Attribute
}

// cellOf converts a layer's weights to ONNX's order. ok is false if ONNX does not have the layer or its activations.
func cellOf(l layer.Layer, param func(name string) []float32) (c cell, ok bool) {
	switch l := l.(type) {
	case layer.LSTM:
		c = lstm(l.NIn, l.NOut, l.Format, l.GateActivation, l.Activation, param, "")
	case layer.GravesLSTM:
		c = lstm(l.NIn, l.NOut, l.Format, l.GateActivation, l.Activation, param, "")
	case layer.GravesBidirectionalLSTM:
		c = lstm(l.NIn, l.NOut, l.Format, l.GateActivation, l.Activation, param, "F").
			and(lstm(l.NIn, l.NOut, l.Format, l.GateActivation, l.Activation, param, "B"))
	case layer.SimpleRnn:
		if l.LayerNorm {
			return c, false
		}
		c = cell{op: "RNN", n: l.NOut, nIn: l.NIn, w: slices.Clone(param("W")), r: slices.Clone(param("RW")),
			b: withZeros(param("b"), l.NOut), kinds: []activation.Activation{l.Activation}, format: l.Format, directions: 1}
	case layer.GRU:
		c = gru(l, param)
	default:
		return c, false
	}
	for _, a := range c.kinds {
		if _, _, known := stepActivation(a); !known {
			return c, false
		}
	}
	return c, true
}

// gru keeps the gates in the layer's order: update, reset, candidate.
func gru(l layer.GRU, param func(string) []float32) cell {
	size := 3 * l.NOut
	c := cell{op: "GRU", n: l.NOut, nIn: l.NIn, w: slices.Clone(param("W")), r: slices.Clone(param("RW")),
		b: make([]float32, 2*size), kinds: []activation.Activation{l.GateActivation, l.Activation}, format: l.Format,
		directions: 1}
	copy(c.b, param("b"))
	copy(c.b[size:], param("rb"))
	if !l.ResetBefore {
		c.attributes = []*onnxfile.Attribute{integer("linear_before_reset", 1)}
	}
	return c
}

// lstm reorders the gates to input, output, forget, cell. In the layer they are cell, forget, output, input.
func lstm(nIn, n int, format string, gate, act activation.Activation, param func(string) []float32,
	suffix string) cell {
	blocks := func(x []float32, size int) []float32 {
		var out []float32
		for k := 3; k >= 0; k-- {
			out = append(out, x[k*size:(k+1)*size]...)
		}
		return out
	}
	rw := param("RW" + suffix)
	c := cell{op: "LSTM", n: n, nIn: nIn, w: blocks(param("W"+suffix), n*nIn), r: blocks(rw, n*n),
		b:     withZeros(blocks(param("b"+suffix), n), 4*n),
		kinds: []activation.Activation{gate, act, act}, format: format, directions: 1}
	if peepholes := rw[4*n*n:]; len(peepholes) > 0 {
		c.p = blocks(withZeros(peepholes, n), n)[n:]
	}
	return c
}

// withZeros appends n zeros to x, because ONNX has a second bias.
func withZeros(x []float32, n int) []float32 { return append(slices.Clone(x), make([]float32, n)...) }

// and appends the other direction to a cell.
func (c cell) and(o cell) cell {
	c.w, c.r, c.b, c.p = append(c.w, o.w...), append(c.r, o.r...), append(c.b, o.b...), append(c.p, o.p...)
	c.kinds = append(c.kinds, o.kinds...)
	c.directions++
	return c
}

// stepActivation returns the name of an activation within a recurrent operator, and its settings. ok is false if there
// is none.
func stepActivation(a activation.Activation) (name string, settings []float32, ok bool) {
	switch a.(type) {
	case activation.Identity:
		return "Affine", []float32{1, 0}, true
	case activation.SELU, activation.HardTanH, activation.ReLU6, activation.HardSwish, activation.LogSoftmax,
		activation.Exponential:
		return "", nil, false
	}
	name, attributes := operatorOf(a)
	for _, x := range attributes {
		settings = append(settings, x.Float)
	}
	return name, settings, name != ""
}

// recurrent writes a cell over an activation x, and returns Y [time, directions, batch, n].
func (g *graph) recurrent(c cell, prefix, x string) string { return g.states(c, prefix, x, 1)[0] }

// states is recurrent with the first count results: Y, and the last states Y_h [directions, batch, n].
func (g *graph) states(c cell, prefix, x string, count int) []string {
	var alpha, beta []float32
	names := &onnxfile.Attribute{Name: "activations", Type: onnxfile.TextsAttribute}
	for _, a := range c.kinds {
		name, settings, _ := stepActivation(a)
		names.Texts = append(names.Texts, name)
		if len(settings) > 0 {
			alpha = append(alpha, settings[0])
		}
		if len(settings) > 1 {
			beta = append(beta, settings[1])
		}
	}
	attributes := append([]*onnxfile.Attribute{integer("hidden_size", c.n), names}, c.attributes...)
	if alpha != nil {
		attributes = append(attributes, &onnxfile.Attribute{Name: "activation_alpha", Type: onnxfile.FloatsAttribute,
			Floats: alpha})
	}
	if beta != nil {
		attributes = append(attributes, &onnxfile.Attribute{Name: "activation_beta", Type: onnxfile.FloatsAttribute,
			Floats: beta})
	}
	if c.directions == 2 {
		attributes = append(attributes, text("direction", "bidirectional"))
	}
	d, gates := c.directions, len(c.w)/(c.directions*c.n*c.nIn)
	in := []string{g.node("Transpose", []string{x}, integers("perm", toSteps(c.format)...)),
		g.weights(prefix+"W", c.w, d, gates*c.n, c.nIn), g.weights(prefix+"R", c.r, d, gates*c.n, c.n),
		g.weights(prefix+"B", c.b, d, 2*gates*c.n)}
	if c.p != nil {
		in = append(in, "", "", "", g.weights(prefix+"P", c.p, d, 3*c.n))
	}
	return g.nodes(c.op, in, count, attributes...)
}

// toSteps is the permutation of sequences to [time, batch, n], and fromSteps its inverse.
func toSteps(format string) []int {
	if format == inputtype.NWC {
		return []int{1, 0, 2}
	}
	return []int{2, 0, 1}
}

func fromSteps(format string) []int {
	if format == inputtype.NWC {
		return []int{1, 0, 2}
	}
	return []int{1, 2, 0}
}

// oneWay writes a recurrent layer with one direction.
func oneWay(g *graph, c cell, prefix, x string) string {
	y := g.node("Squeeze", []string{g.recurrent(c, prefix, x), g.ints(1)})
	return g.node("Transpose", []string{y}, integers("perm", fromSteps(c.format)...))
}

// bothWays writes a recurrent layer with two directions.
func bothWays(g *graph, c cell, mode layer.BidirectionalMode, prefix, x string) string {
	y := g.recurrent(c, prefix, x)
	if mode == layer.BidirectionalConcat {
		if c.format == inputtype.NWC {
			return g.node("Reshape", []string{g.node("Transpose", []string{y}, integers("perm", 2, 0, 1, 3)),
				g.ints(0, 0, int64(2*c.n))})
		}
		return g.node("Reshape", []string{g.node("Transpose", []string{y}, integers("perm", 2, 1, 3, 0)),
			g.ints(0, int64(2*c.n), -1)})
	}
	attributes := []*onnxfile.Attribute{integer("axis", 1)}
	if g.opset >= 18 {
		attributes = append(attributes, integer("num_outputs", 2))
	}
	y = g.together(mode, g.nodes("Split", []string{y}, 2, attributes...))
	return g.node("Transpose", []string{g.node("Squeeze", []string{y, g.ints(1)})}, integers("perm",
		fromSteps(c.format)...))
}

// together writes the sum, the product or the mean of two directions.
func (g *graph) together(mode layer.BidirectionalMode, ways []string) string {
	if mode == layer.BidirectionalMul {
		return g.node("Mul", ways)
	}
	y := g.node("Add", ways)
	if mode == layer.BidirectionalAverage {
		y = g.node("Mul", []string{y, g.scalar(0.5)})
	}
	return y
}

// lastOfBoth writes the last states of a recurrent layer with two directions.
func lastOfBoth(g *graph, c cell, mode layer.BidirectionalMode, prefix, x string) string {
	h := g.states(c, prefix, x, 2)[1]
	if mode == layer.BidirectionalConcat {
		return g.node("Reshape", []string{g.node("Transpose", []string{h}, integers("perm", 1, 0, 2)),
			g.ints(0, int64(2*c.n))})
	}
	var ways []string
	for i := range 2 {
		ways = append(ways, g.node("Gather", []string{h, g.index(int64(i))}, integer("axis", 0)))
	}
	return g.together(mode, ways)
}
