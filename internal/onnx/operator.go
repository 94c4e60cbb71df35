package onnx

import (
	"math"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
)

// passesMasks reports whether a layer passes masks on without applying them.
func passesMasks(l layer.Layer) bool {
	switch l.(type) {
	case layer.LSTM, layer.GravesLSTM:
		return true
	}
	return false
}

// operator writes a layer for which ONNX has an operator, if its formula would have many operations, or operations
// that readers of ONNX files don't know. ok is false for other layers. prefix begins the keys of its parameters.
func (e *exporter) operator(l layer.Layer, prefix string, in flow, low *lowering) (name string, ok bool, err error) {
	param := func(name string) []float32 { return e.params[prefix+name] }
	switch l := l.(type) {
	case layer.Frozen:
		return e.operator(l.Layer, prefix, in, low)
	case layer.FrozenWithBackprop:
		return e.operator(l.Layer, prefix, in, low)
	case layer.LastTimeStep:
		return writeLastStep(e, l, prefix, in, low)
	case layer.Bidirectional:
		return writeBidirectional(e, l, prefix, in)
	case layer.GravesBidirectionalLSTM:
		c, ok := cellOf(l, param)
		if !ok {
			return "", false, nil
		}
		return bothWays(e.graph, c, layer.BidirectionalAdd, prefix, in.name), true, nil
	case layer.BatchNormalization:
		return writeBatchNorm(e, l, prefix, in)
	case layer.KerasBatchNormalization:
		return writeBatchNorm(e, l.Plain(), prefix, in)
	case layer.LayerNormalization:
		return writeLayerNorm(e, l, prefix, in)
	case layer.GroupNormalization:
		return writeGroupNorm(e, l, prefix, in)
	case layer.GlobalPooling:
		return writeGlobalPooling(e, l, in)
	case layer.Embedding:
		x := e.node("Squeeze", []string{in.name, e.ints(1)})
		return e.activated(l.Activation, writeGather(e, l.NIn, l.NOut, l.HasBias, prefix, x), 1), true, nil
	case layer.EmbeddingSequence:
		x := in.name
		if len(in.shapes[0]) == 3 {
			x = e.node("Squeeze", []string{x, e.ints(1)})
		}
		y := e.node("Transpose", []string{writeGather(e, l.NIn, l.NOut, l.HasBias, prefix, x)}, integers("perm", 0, 2, 1))
		return e.activated(l.Activation, y, 2), true, nil
	case layer.RnnOutput:
		return writeEveryStep(e, layer.Dense{NIn: l.NIn, NOut: l.NOut, Activation: l.Activation, NoBias: l.NoBias}, l.Format,
			prefix, in)
	case layer.TimeDistributed:
		if d, ok := l.Layer.(layer.Dense); ok && !d.LayerNorm {
			return writeEveryStep(e, d, l.Format, prefix, in)
		}
		if w, ok := l.Layer.(layer.ElementWise); ok {
			return writeElementWise(e, w, l.Format, prefix, in)
		}
	case layer.Convolution1D:
		return writeConvolution1D(e, l, prefix, in, low)
	case layer.Subsampling1D:
		return writePooling1D(e, l, in, low)
	case layer.LocalResponseNormalization:
		return writeResponses(e, l, in)
	}
	if c, ok := cellOf(l, param); ok {
		return oneWay(e.graph, c, prefix, in.name), true, nil
	}
	return e.imageOperator(l, prefix, in)
}

// overFeatures reports whether an activation of a feature depends on the other features.
func overFeatures(a activation.Activation) bool {
	switch a.(type) {
	case activation.Softmax, activation.LogSoftmax:
		return true
	}
	return false
}

// activated applies an activation. A softmax runs along the axis.
func (g *graph) activated(a activation.Activation, x string, axis int) string {
	switch a.(type) {
	case nil, activation.Identity:
		return x
	case activation.Softmax:
		return g.node("Softmax", []string{x}, integer("axis", axis))
	case activation.LogSoftmax:
		return g.node("LogSoftmax", []string{x}, integer("axis", axis))
	}
	name, ok := g.activation(a, x)
	if !ok {
		name = elementwise(g, a, x)
	}
	return name
}

// elementwise writes the formula of an elementwise activation.
func elementwise(g *graph, a activation.Activation, x string) string {
	var programs []*program.Program
	for range g.points {
		b := program.NewBuilder()
		b.Output("y", a.Apply(b, b.Input("x", 1), activation.Env{}))
		programs = append(programs, b.Build())
	}
	twins, err := align(programs)
	if err != nil {
		panic(err) // the shapes are the same
	}
	t := g.translation(programs, twins, nil)
	t.names[programs[0].Inputs[0].ID] = x
	name, err := t.value(programs[0].Outputs[0].Value)
	if err != nil {
		panic(err) // no activation has other operations
	}
	return name
}

// writeGather looks vectors up.
func writeGather(e *exporter, nIn, nOut int, bias bool, prefix, x string) string {
	index := e.node("Cast", []string{x}, integer("to", int(onnxfile.Int64)))
	y := e.node("Gather", []string{e.weights(prefix+"W", transposed(e.params[prefix+"W"], nOut, nIn), nIn, nOut), index},
		integer("axis", 0))
	if bias {
		y = e.node("Add", []string{y, e.weights(prefix+"b", e.params[prefix+"b"], nOut)})
	}
	return y
}

// transposed returns a matrix [rows, columns] as [columns, rows].
func transposed(x []float32, rows, columns int) []float32 {
	out := make([]float32, len(x))
	for r := range rows {
		for c := range columns {
			out[c*rows+r] = x[r*columns+c]
		}
	}
	return out
}

func writeLastStep(e *exporter, l layer.LastTimeStep, prefix string, in flow, low *lowering) (string, bool, error) {
	y, ok, err := e.operator(l.Layer, prefix, in, low)
	if !ok || err != nil {
		return "", ok, err
	}
	axis := 2
	if t, ok := l.Layer.(layer.Sequential); ok && t.DataFormat() == inputtype.NWC {
		axis = 1
	}
	return e.node("Gather", []string{y, e.index(-1)}, integer("axis", axis)), true, nil
}

func writeBidirectional(e *exporter, l layer.Bidirectional, prefix string, in flow) (string, bool, error) {
	var both []cell
	fwd, last := l.Fwd.(layer.LastTimeStep)
	bwd, also := l.Bwd.(layer.LastTimeStep)
	if last != also {
		return "", false, nil
	}
	ways := []layer.Layer{l.Fwd, l.Bwd}
	if last {
		ways = []layer.Layer{fwd.Layer, bwd.Layer}
	}
	for i, way := range ways {
		c, ok := cellOf(way, func(name string) []float32 { return e.params[prefix+"fb"[i:i+1]+name] })
		if !ok || c.directions != 1 {
			return "", false, nil
		}
		both = append(both, c)
	}
	if both[0].op != both[1].op || (both[0].p == nil) != (both[1].p == nil) {
		return "", false, nil
	}
	if last {
		return lastOfBoth(e.graph, both[0].and(both[1]), l.Mode, prefix, in.name), true, nil
	}
	return bothWays(e.graph, both[0].and(both[1]), l.Mode, prefix, in.name), true, nil
}

func writeBatchNorm(e *exporter, l layer.BatchNormalization, prefix string, in flow) (string, bool, error) {
	filled := func(x float64) []float32 {
		out := make([]float32, l.NIn)
		for i := range out {
			out[i] = float32(x)
		}
		return out
	}
	gamma, beta := e.params[prefix+"gamma"], e.params[prefix+"beta"]
	if gamma == nil {
		gamma = filled(l.Gamma)
	}
	if beta == nil {
		beta = filled(l.Beta)
	}
	variance := e.params[prefix+"var"]
	if l.UseLogStd {
		variance = nil
		for _, x := range e.params[prefix+"log10stdev"] {
			variance = append(variance, float32(math.Pow(10, 2*float64(x))))
		}
	}
	rank := len(in.shapes[0])
	return channelsFirst(e.graph, in.name, rank == 4 && l.Format == "NHWC", rank, func(x string) string {
		names := []string{x, e.weights(prefix+"gamma", gamma, l.NIn), e.weights(prefix+"beta", beta, l.NIn),
			e.weights(prefix+"mean", e.params[prefix+"mean"], l.NIn), e.weights(prefix+"var", variance, l.NIn)}
		return e.node("BatchNormalization", names, number("epsilon", l.Eps))
	}), true, nil
}

func writeGlobalPooling(e *exporter, l layer.GlobalPooling, in flow) (string, bool, error) {
	t := in.types[0]
	last := t.ChannelsLast || t.Kind == inputtype.RecurrentKind && t.Format == inputtype.NWC ||
		len(l.Dimensions) > 0 && l.Dimensions[0] == 1
	if l.Pooling == layer.PNormPooling && l.PNorm != 2 || last && bool(l.KeepDimensions) {
		return "", false, nil
	}
	keep := 0
	if l.KeepDimensions {
		keep = 1
	}
	var axes []int
	for i := 2; i < len(in.shapes[0]); i++ {
		if axes = append(axes, i); last {
			axes[len(axes)-1]--
		}
	}
	op := map[layer.PoolingType]string{layer.MaxPooling: "ReduceMax", layer.AvgPooling: "ReduceMean",
		layer.SumPooling:   "ReduceSum",
		layer.PNormPooling: "ReduceL2"}
	return e.reduced(op[l.Pooling], in.name, keep, axes...), true, nil
}

// writeEveryStep writes a dense layer over the steps of sequences.
func writeEveryStep(e *exporter, l layer.Dense, format, prefix string, in flow) (string, bool, error) {
	if format == "" || len(in.shapes[0]) != 3 {
		return "", false, nil
	}
	x, first := in.name, format != inputtype.NWC
	if first {
		x = e.node("Transpose", []string{x}, integers("perm", 0, 2, 1))
	}
	y := e.node("MatMul", []string{x, e.weights(prefix+"W", transposed(e.params[prefix+"W"], l.NOut, l.NIn), l.NIn,
		l.NOut)})
	if !l.NoBias {
		y = e.node("Add", []string{y, e.weights(prefix+"b", e.params[prefix+"b"], l.NOut)})
	}
	if y = e.activated(l.Activation, y, 2); first {
		y = e.node("Transpose", []string{y}, integers("perm", 0, 2, 1))
	}
	return y, true, nil
}

// writeElementWise writes factors and summands over the steps of sequences.
func writeElementWise(e *exporter, l layer.ElementWise, format, prefix string, in flow) (string, bool, error) {
	if format == "" || len(in.shapes[0]) != 3 {
		return "", false, nil
	}
	dims, axis := []int{l.NIn, 1}, 1
	if format == inputtype.NWC {
		dims, axis = dims[:1], 2
	}
	y := e.node("Mul", []string{in.name, e.weights(prefix+"W", e.params[prefix+"W"], dims...)})
	y = e.node("Add", []string{y, e.weights(prefix+"b", e.params[prefix+"b"], dims...)})
	return e.activated(l.Activation, y, axis), true, nil
}

// find finds the only operation of a kind in a program, at every point; ok is false if there is none, or if it
// differs.
func find[O interface {
	program.Op
	comparable
}](l *lowering) (op O, ok bool) {
	for i, p := range l.programs {
		count := 0
		for _, n := range p.Nodes {
			if o, is := n.Op.(O); is {
				if count++; count > 1 || i > 0 && o != op {
					return op, false
				}
				op = o
			}
		}
		if count == 0 {
			return op, false
		}
	}
	return op, true
}

// window1D returns the window over the height of an image that is a sequence.
func window1D(w program.Window, k int) []*onnxfile.Attribute {
	list := []*onnxfile.Attribute{integers("kernel_shape", k), integers("strides", w.StrideH),
		integers("pads", w.PadTop, w.PadBottom)}
	if w.DilationH != 1 {
		list = append(list, integers("dilations", w.DilationH))
	}
	return list
}

func writeConvolution1D(e *exporter, l layer.Convolution1D, prefix string, in flow, low *lowering) (string, bool,
	error) {
	op, ok := find[program.Conv2D](low)
	if !ok || overFeatures(l.Activation) {
		return "", false, nil
	}
	k, w := l.Kernel[0], e.params[prefix+"W"] // stored as [k, nIn, nOut]
	turned := make([]float32, len(w))
	for i := range k {
		for c := range l.NIn {
			for o := range l.NOut {
				turned[(o*l.NIn+c)*k+i] = w[(i*l.NIn+c)*l.NOut+o]
			}
		}
	}
	return channelsFirst(e.graph, in.name, l.Format == inputtype.NWC, 3, func(x string) string {
		names := []string{x, e.weights(prefix+"W", turned, l.NOut, l.NIn, k)}
		if !l.NoBias {
			names = append(names, e.weights(prefix+"b", e.params[prefix+"b"], l.NOut))
		}
		return e.activated(l.Activation, e.node("Conv", names, window1D(op.Window, k)...), 2)
	}), true, nil
}

func writePooling1D(e *exporter, l layer.Subsampling1D, in flow, low *lowering) (string, bool, error) {
	op, ok := find[program.Pool2D](low)
	if !ok || l.Pooling != layer.MaxPooling && l.Pooling != layer.AvgPooling {
		return "", false, nil
	}
	attributes, name := window1D(op.Window, l.Kernel[0]), "AveragePool"
	switch {
	case l.Pooling == layer.MaxPooling:
		name = "MaxPool"
	case l.IncludePad:
		attributes = append(attributes, integer("count_include_pad", 1))
	}
	if op.Window.DilationH != 1 && name == "AveragePool" {
		e.need(dilatedAverageOpset)
	}
	return channelsFirst(e.graph, in.name, l.DataFormat() == inputtype.NWC, 3, func(x string) string {
		return e.node(name, []string{x}, attributes...)
	}), true, nil
}

// writeResponses writes a local response normalisation. ONNX divides its alpha by the number of channels.
func writeResponses(e *exporter, l layer.LocalResponseNormalization, in flow) (string, bool, error) {
	if in.types[0].ChannelsLast || int(l.N)%2 == 0 {
		return "", false, nil
	}
	n := int(l.N)
	return e.node("LRN", []string{in.name}, number("alpha", l.Alpha*float64(n)), number("beta", l.Beta),
		number("bias", l.K), integer("size", n)), true, nil
}
