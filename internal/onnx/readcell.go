package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
)

// cells makes a layer for each direction, and their parameters. With two directions, the names begin with an f or a b.
func cells(r *reader, n *onnxfile.Node, directions, nIn int) ([]layer.Layer, map[string][]float32, error) {
	gates := map[string]int{"LSTM": 4, "GRU": 3, "RNN": 1}[n.Op]
	w, dims, err := r.weights(n, 1, 3)
	if err != nil {
		return nil, nil, err
	}
	size := dims[1] / gates
	rw, rdims, err := r.weights(n, 2, 3)
	if err != nil {
		return nil, nil, err
	}
	if want := []int{directions, gates * size, nIn}; size < 1 || !slices.Equal(dims, want) {
		return nil, nil, fmt.Errorf("weights W have the dimensions %v: %v should be there", dims, want)
	}
	if want := []int{directions, gates * size, size}; !slices.Equal(rdims, want) {
		return nil, nil, fmt.Errorf("weights R have the dimensions %v: %v should be there", rdims, want)
	}
	bias := make([]float32, 2*directions*gates*size)
	if given(n, 3) {
		b, bdims, err := r.weights(n, 3, 2)
		if err != nil {
			return nil, nil, err
		}
		if want := []int{directions, 2 * gates * size}; !slices.Equal(bdims, want) {
			return nil, nil, fmt.Errorf("biases B have the dimensions %v: %v should be there", bdims, want)
		}
		bias = b
	}
	var peepholes []float32
	if n.Op == "LSTM" && given(n, 7) {
		p, pdims, err := r.weights(n, 7, 2)
		if err != nil {
			return nil, nil, err
		}
		if want := []int{directions, 3 * size}; !slices.Equal(pdims, want) {
			return nil, nil, fmt.Errorf("peepholes P have the dimensions %v: %v should be there", pdims, want)
		}
		peepholes = p
	}
	kinds, err := stepActivations(n, directions)
	if err != nil {
		return nil, nil, err
	}
	var layers []layer.Layer
	params := map[string][]float32{}
	for d := range directions {
		part := func(x []float32) []float32 { return x[d*len(x)/directions : (d+1)*len(x)/directions] }
		prefix := ""
		if directions == 2 {
			prefix = "fb"[d : d+1]
		}
		c := cellRead{n, nIn, size, part(w), part(rw), part(bias), part(peepholes), kinds[d*len(kinds)/directions:]}
		l, own := c.layer()
		layers = append(layers, l)
		for name, x := range own {
			params[prefix+name] = x
		}
	}
	return layers, params, nil
}

// cellRead is one direction of a recurrent node.
type cellRead struct {
	node                  *onnxfile.Node
	nIn, size             int
	w, r, bias, peepholes []float32
	kinds                 []activation.Activation
}

// layer is the direction's layer with its parameters.
func (c cellRead) layer() (layer.Layer, map[string][]float32) {
	half := len(c.bias) / 2
	sum := make([]float32, half)
	for i := range sum {
		sum[i] = c.bias[i] + c.bias[half+i]
	}
	switch c.node.Op {
	case "RNN":
		return layer.SimpleRnn{NIn: c.nIn, NOut: c.size, Activation: c.kinds[0]},
			map[string][]float32{"W": c.w, "RW": c.r, "b": sum}
	case "GRU":
		l := layer.GRU{NIn: c.nIn, NOut: c.size, GateActivation: c.kinds[0], Activation: c.kinds[1]}
		if attributeInt(c.node, "linear_before_reset", 0) == 0 {
			l.ResetBefore = true
			return l, map[string][]float32{"W": c.w, "RW": c.r, "b": sum}
		}
		return l, map[string][]float32{"W": c.w, "RW": c.r, "b": c.bias[:half], "rb": c.bias[half:]}
	}
	blocks := func(x []float32, size int) (out []float32) { // input, output, forget, cell → cell, forget, output, input
		for k := 3; k >= 0; k-- {
			out = append(out, x[k*size:(k+1)*size]...)
		}
		return out
	}
	n := c.size
	params := map[string][]float32{"W": blocks(c.w, n*c.nIn), "RW": blocks(c.r, n*n), "b": blocks(sum, n)}
	if len(c.peepholes) == 0 {
		l := layer.NewLSTM(n)
		l.NIn, l.GateActivation, l.Activation = c.nIn, c.kinds[0], c.kinds[1]
		return l, params
	}
	l := layer.NewGravesLSTM(n)
	l.NIn, l.GateActivation, l.Activation = c.nIn, c.kinds[0], c.kinds[1]
	for k := 2; k >= 0; k-- { // input, output, forget → forget, output, input
		params["RW"] = append(params["RW"], c.peepholes[k*n:(k+1)*n]...)
	}
	return l, params
}

// stepActivations returns the activations of a recurrent node.
func stepActivations(n *onnxfile.Node, directions int) ([]activation.Activation, error) {
	names := map[string][]string{"LSTM": {"Sigmoid", "Tanh", "Tanh"}, "GRU": {"Sigmoid", "Tanh"}, "RNN": {"Tanh"}}[n.Op]
	if directions == 2 {
		names = append(slices.Clone(names), names...)
	}
	count := len(names)
	if a := n.Attribute("activations"); a != nil {
		names = a.Texts
	}
	if len(names) != count {
		return nil, fmt.Errorf("it has the activations %v: there should be %d", names, count)
	}
	next := func(list *onnxfile.Attribute) func(usual float64) float64 {
		return func(usual float64) float64 {
			if list == nil || len(list.Floats) == 0 {
				return usual
			}
			x := list.Floats[0]
			list.Floats = list.Floats[1:]
			return float64(x)
		}
	}
	copied := func(a *onnxfile.Attribute) *onnxfile.Attribute {
		if a == nil {
			return nil
		}
		b := *a
		return &b
	}
	alpha, beta := next(copied(n.Attribute("activation_alpha"))), next(copied(n.Attribute("activation_beta")))
	var out []activation.Activation
	for _, name := range names {
		a, err := activationNamed(name, alpha, beta)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	if half := count / directions; n.Op == "LSTM" {
		for i := 0; i < count; i += half {
			if out[i+1] != out[i+2] {
				return nil, errors.New("the activations of the cell and of the result differ")
			}
		}
	}
	return out, nil
}
