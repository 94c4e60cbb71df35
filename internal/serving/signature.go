package serving

import (
	"context"
	"fmt"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/serve"
	"github.com/dl4go/dl4go/tensor"
)

// TensorInfo describes an input or an output. An extent of −1 may be any: the number of examples, or of steps of a
// sequence.
type TensorInfo struct {
	Name     string  `json:"name"`
	Datatype string  `json:"datatype"`
	Shape    []int64 `json:"shape"`
}

// Signature describes the inputs and outputs of a model.
type Signature struct{ Inputs, Outputs []TensorInfo }

// dryLengths are the lengths of sequences with which a model is tried: extents of outputs that differ between them are
// open.
var dryLengths = [2]int{32, 33}

// signatureOf finds the signature of a predictor, and compiles the programs of its minibatches.
func signatureOf(ctx context.Context, p *serve.Predictor, most int) (Signature, error) {
	var s Signature
	net := p.Network()
	inputs, outputs := []string{"input"}, []string{"output"}
	if g, ok := nn.As[*nn.Graph](net); ok {
		inputs, outputs = g.Config().Inputs, g.Config().Outputs
	}
	types := typesOf(net)
	if len(types) != len(inputs) {
		return s, fmt.Errorf("the network has %d inputs, and %d types of them", len(inputs), len(types))
	}
	known := true
	for i, t := range types {
		info := TensorInfo{Name: inputs[i], Datatype: "FP32", Shape: []int64{-1}}
		if known = known && t.Kind != inputtype.Unknown; t.Kind != inputtype.Unknown {
			for _, n := range t.Shape(1)[1:] {
				info.Shape = append(info.Shape, open(n))
			}
		}
		s.Inputs = append(s.Inputs, info)
	}
	if !known { // then each request tells its shapes
		for _, name := range outputs {
			s.Outputs = append(s.Outputs, TensorInfo{name, "FP32", []int64{-1}})
		}
		return s, nil
	}
	var tried [2][]*tensor.Dense
	for k, steps := range dryLengths {
		var err error
		if tried[k], err = p.Predict(ctx, zeros(s.Inputs, 1, steps)...); err != nil {
			return s, err
		}
	}
	for i, y := range tried[0] {
		info := TensorInfo{Name: outputs[i], Datatype: "FP32", Shape: []int64{-1}}
		for d, n := range y.Shape[1:] {
			if n != tried[1][i].Shape[d+1] {
				n = 0
			}
			info.Shape = append(info.Shape, open(n))
		}
		s.Outputs = append(s.Outputs, info)
	}
	return s, warm(ctx, p, s, most)
}

// warm compiles the programs of all sizes if the shapes are fixed.
func warm(ctx context.Context, p *serve.Predictor, s Signature, most int) error {
	for _, in := range s.Inputs {
		for _, n := range in.Shape[1:] {
			if n < 0 {
				return nil
			}
		}
	}
	for size := 2; size <= min(most, 64); size *= 2 {
		if _, err := p.Predict(ctx, zeros(s.Inputs, size, 1)...); err != nil {
			return err
		}
	}
	return nil
}

func open(n int) int64 {
	if n < 1 {
		return -1
	}
	return int64(n)
}

// zeros returns inputs with the given numbers of examples and steps.
func zeros(inputs []TensorInfo, examples, steps int) (list []*tensor.Dense) {
	for _, in := range inputs {
		shape := []int{examples}
		for _, n := range in.Shape[1:] {
			if n < 0 {
				n = int64(steps)
			}
			shape = append(shape, int(n))
		}
		list = append(list, tensor.New(shape...))
	}
	return list
}

// typesOf returns the types of a network's inputs. If the configuration has none, it uses the first layer's size.
func typesOf(net *nn.Network) []inputtype.Type {
	types := net.InputTypes()
	m, ok := nn.As[*nn.MultiLayer](net)
	if !ok || types[0].Kind != inputtype.Unknown {
		return types
	}
	switch first := m.Config().Layers[0].(type) {
	case layer.Dense, layer.Output:
		n, _ := first.(layer.Sized).Sizes()
		return []inputtype.Type{inputtype.FeedForward(n)}
	}
	return types
}
