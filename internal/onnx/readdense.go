package onnx

import (
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/weights"
)

// defaultInit is the initialisation of layers that are read, for drawing new parameters.
var defaultInit weights.Init = weights.Xavier{}

// operators reads the nodes of each operator.
var operators map[string]func(r *reader, n *onnxfile.Node) error

func init() {
	operators = map[string]func(r *reader, n *onnxfile.Node) error{
		"Gemm": readGemm, "MatMul": readMatMul,
		"Conv": readConv, "ConvTranspose": readConvTranspose,
		"MaxPool": readPool, "AveragePool": readPool, "LpPool": readPool,
		"GlobalMaxPool": readGlobalPool, "GlobalAveragePool": readGlobalPool, "GlobalLpPool": readGlobalPool,
		"ReduceMax": readGlobalPool, "ReduceMean": readGlobalPool, "ReduceSum": readGlobalPool,
		"ReduceL2":           readGlobalPool,
		"LayerNormalization": readLayerNorm, "InstanceNormalization": readInstanceNorm,
		"GroupNormalization": readGroupNorm, "LpNormalization": readL2Norm,
		"BatchNormalization": readBatchNorm, "LRN": readResponses, "PRelu": readPRelu,
		"LSTM": readRecurrent, "GRU": readRecurrent, "RNN": readRecurrent,
		"Gather": readGather, "Flatten": readFlatten, "Reshape": readReshape,
		"Transpose": readTranspose, "Squeeze": readSqueeze, "Unsqueeze": readSqueeze,
		"Concat": readConcat, "Pad": readPad, "Resize": readResize, "Upsample": readResize,
		"Identity": readPass, "Cast": readCast, "Dropout": readPass,
		"Add": readArithmetic, "Sub": readArithmetic, "Mul": readArithmetic, "Div": readArithmetic,
		"Max": readCombination, "Min": readCombination, "Mean": readCombination, "Sum": readCombination,
		"Slice": readSlice, "Split": readSplit,
		"Clip": readClip, "Softmax": readSoftmax, "LogSoftmax": readSoftmax,
	}
	for op := range simple {
		operators[op] = readActivation
	}
}

// readGemm reads x·W + b.
func readGemm(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	w, dims, err := r.weights(n, 1, 2)
	if err != nil {
		return err
	}
	if attributeInt(n, "transA", 0) != 0 {
		return errors.New("transA is set: the examples should be the first dimension")
	}
	if attributeInt(n, "transB", 0) == 0 {
		w, dims = transposed(w, dims[0], dims[1]), []int{dims[1], dims[0]}
	}
	scale(w, attributeFloat(n, "alpha", 1))
	var bias []float32
	if given(n, 2) {
		c := r.constants[n.Inputs[2]]
		if c == nil {
			return errors.New("the bias should be a constant")
		}
		if bias, _, err = c.numbers(); err != nil {
			return err
		}
		if len(bias) == 1 && dims[0] > 1 {
			bias = repeated(bias[0], dims[0])
		}
		scale(bias, attributeFloat(n, "beta", 1))
	}
	return addDense(r, n, v, w, dims[1], dims[0], bias)
}

func scale(x []float32, by float64) {
	if by != 1 {
		for i := range x {
			x[i] *= float32(by)
		}
	}
}

func repeated(x float32, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = x
	}
	return out
}

// readMatMul reads x·W, for vectors or for the steps of sequences. A sum that follows is the bias.
func readMatMul(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	w, dims, err := r.weights(n, 1, 2)
	if err != nil {
		return err
	}
	return addDense(r, n, v, transposed(w, dims[0], dims[1]), dims[0], dims[1], nil)
}

// addDense adds a dense layer. w is [out, in], as in the flat vector.
func addDense(r *reader, n *onnxfile.Node, v *value, w []float32, in, out int, bias []float32) error {
	if v.order != nil && len(v.order) == in {
		w = reordered(w, v.order, in)
		v = &value{from: v.from, axes: v.axes}
	}
	l := layer.Dense{NIn: in, NOut: out, Activation: activation.Identity{}, NoBias: layer.Not(bias == nil)}
	params := map[string][]float32{"W": w}
	if bias != nil {
		params["b"] = bias
	}
	switch labels := v.labels(); {
	case v.recurrent != nil || v.order != nil:
		return errors.New("the directions of a recurrent layer, or the elements, lie in another order than layers take them")
	case labels == "bf" && r.types[v.from].Kind != inputtype.RecurrentKind:
		name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, params)
		if err != nil {
			return err
		}
		r.set(n, r.whole(name))
		return nil
	case labels == "btf" || labels == "tbf":
		name, err := r.add(n, nn.GraphVertex{Layer: layer.TimeDistributed{Layer: l}, Inputs: []string{v.from}}, params)
		if err != nil {
			return err
		}
		y, err := r.like(name, v)
		r.set(n, y)
		return err
	}
	if v.labels() == "bhwc" {
		return addPixelwise(r, n, v, in, out, params)
	}
	return fmt.Errorf("the product is over the axes %q: vectors, or the steps of sequences, should be here", v.labels())
}

// addPixelwise adds a dense layer of each pixel: a convolution with a kernel of one pixel.
func addPixelwise(r *reader, n *onnxfile.Node, v *value, in, out int, params map[string][]float32) error {
	one := [2]int{1, 1}
	l := layer.Convolution2D{NIn: in, NOut: out, Activation: activation.Identity{},
		NoBias: layer.Not(params["b"] == nil), Kernel: one, Stride: one, Dilation: one, Mode: layer.Truncate}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, params)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}

// reordered returns the rows of w [out, in] for inputs in another order: input order[i] gets the weight of i.
func reordered(w []float32, order []int, in int) []float32 {
	out := make([]float32, len(w))
	for row := 0; row < len(w); row += in {
		for i, k := range order {
			out[row+k] = w[row+i]
		}
	}
	return out
}

// last returns the vertex of a value if nothing else reads the value. Such a vertex may be changed.
func (r *reader) last(n *onnxfile.Node, i int) *made {
	v := r.values[n.Inputs[i]]
	if v == nil || v.shared || v.recurrent != nil {
		return nil
	}
	k, ok := r.at[v.from]
	if !ok {
		return nil
	}
	return r.vertices[k]
}

// addBias adds a bias to a layer that has none yet. ok is false if the layer does not allow it.
func addBias(r *reader, m *made, bias []float32) (ok bool) {
	switch l := m.Layer.(type) {
	case layer.Dense:
		if ok = bool(l.NoBias) && l.Activation == (activation.Identity{}) && len(bias) == l.NOut; ok {
			l.NoBias = false
			m.Layer = l
		}
	case layer.TimeDistributed:
		d, dense := l.Layer.(layer.Dense)
		if ok = dense && bool(d.NoBias) && d.Activation == (activation.Identity{}) && len(bias) == d.NOut; ok {
			d.NoBias = false
			l.Layer = d
			m.Layer = l
		}
	case layer.Convolution2D:
		if ok = bool(l.NoBias) && l.Activation == (activation.Identity{}) && len(bias) == l.NOut; ok {
			l.NoBias = false
			m.Layer = l
		}
	}
	if ok {
		m.params["b"] = bias
	}
	return ok
}
