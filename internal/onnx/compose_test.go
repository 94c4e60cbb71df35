package onnx

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
)

// TestActivationsAgain: every elementwise activation is written as nodes that are read as the same activation.
func TestActivationsAgain(t *testing.T) {
	acts := append([]activation.Activation{}, plainActivations...)
	for _, s := range settables {
		acts = append(acts, s.make(0.7))
	}
	acts = append(acts, activation.ELU{Alpha: 0.3}, activation.LReLU{Alpha: -0.2},
		activation.Formula{Text: "mul(z, log(add(abs(z), 2)))"})
	for _, a := range acts {
		want, err := dl4j.Marshal(&a)
		if err != nil {
			t.Fatal(err)
		}
		got, err := activationAgain(a)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s was read as %s: %v", want, got, err)
		}
	}
}

// activationAgain writes and reads a network with an activation, and returns the activation's JSON.
func activationAgain(a activation.Activation) ([]byte, error) {
	net, err := nn.New(nn.Configuration{Layers: []layer.Layer{layer.Dense{NOut: 3, Activation: a},
		layer.Output{NOut: 2, Loss: loss.MSE{}, Activation: activation.Identity{}}}, InputType: inputtype.FeedForward(4)})
	if err != nil {
		return nil, err
	}
	defer net.Close()
	var b bytes.Buffer
	if err := Write(&b, net, Options{}); err != nil {
		return nil, err
	}
	again, err := Read(b.Bytes(), ReadOptions{})
	if err != nil {
		return nil, err
	}
	defer again.Close()
	m, ok := nn.As[*nn.MultiLayer](again)
	if !ok {
		return nil, errors.New("it is not layers in a row")
	}
	dense, ok := m.Config().Layers[0].(layer.Dense)
	if !ok {
		return nil, fmt.Errorf("the first layer is %T", m.Config().Layers[0])
	}
	return dl4j.Marshal(&dense.Activation)
}

// TestLongFormulas: elementwise nodes in a row take bounded time and memory, also without an order.
func TestLongFormulas(t *testing.T) {
	row := func(op string, count int) (nodes []*onnxfile.Node) {
		for i := range count {
			in, out := fmt.Sprint("v", i), fmt.Sprint("v", i+1)
			if i == 0 {
				in = "x"
			}
			if i == count-1 {
				out = "y"
			}
			inputs := []string{in}
			if op == "Mul" {
				inputs = []string{in, in} // a tree of 2ⁿ terms
			}
			nodes = append(nodes, &onnxfile.Node{Op: op, Name: "a/" + out, Inputs: inputs, Outputs: []string{out}})
		}
		return nodes
	}
	for op, count := range map[string]int{"Abs": 4000, "Mul": 60, "Tanh": 100} {
		if err := check(fileOf(t, row(op, count)...)); err != nil {
			t.Errorf("%d %s: %v", count, op, err)
		}
	}
	if net, err := Read(fileOf(t, row("Abs", 30)...), ReadOptions{}); err != nil {
		t.Errorf("30 Abs: %v", err)
	} else {
		net.Close()
	}
	loop := []*onnxfile.Node{{Op: "Relu", Name: "a", Inputs: []string{"b"}, Outputs: []string{"y"}},
		{Op: "Relu", Name: "b", Inputs: []string{"y"}, Outputs: []string{"b"}},
		{Op: "Mul", Name: "c", Inputs: []string{"y", "b"}, Outputs: []string{"c"}}}
	if _, err := Read(fileOf(t, loop...), ReadOptions{}); err == nil {
		t.Error("nodes that read each other were read")
	}
}
