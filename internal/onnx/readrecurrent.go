package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// readRecurrent reads an LSTM, a GRU or an RNN.
func readRecurrent(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	first := attributeInt(n, "layout", 0) == 1
	if want := map[bool]string{false: "tbf", true: "btf"}[first]; v.labels() != want ||
		r.types[v.from].Kind != inputtype.RecurrentKind {
		return fmt.Errorf("it reads the axes %q: those of sequences, %q, should be here; "+
			"save the model with the examples as "+
			"the first dimension (batch_first)", v.labels(), want)
	}
	if err := checkRecurrent(r, n); err != nil {
		return err
	}
	directions := 1
	direction := attributeText(n, "direction", "forward")
	switch direction {
	case "forward":
	case "bidirectional":
		directions = 2
	default:
		return fmt.Errorf("the direction is %q: forward and bidirectional have layers", direction)
	}
	layers, params, err := cells(r, n, directions, v.axes[2].size)
	if err != nil {
		return err
	}
	if directions == 2 {
		return bothDirections(r, n, v, layers, params, first)
	}
	if len(n.Outputs) > 2 && n.Outputs[2] != "" && r.readers[n.Outputs[2]] > 0 {
		return errors.New("its last cell state is read: no layer gives it")
	}
	steps, state := n.Outputs[0], ""
	if len(n.Outputs) > 1 {
		state = n.Outputs[1]
	}
	hasSteps, hasState := steps != "" && r.readers[steps] > 0, state != "" && r.readers[state] > 0
	unit := axis{directionAxis, 1}
	lastState := func(last nn.GraphVertex, params map[string][]float32) error {
		name, err := r.add(n, last, params)
		if err != nil {
			return err
		}
		axes := axesOf(r.types[name])
		if axes = append([]axis{unit}, axes...); first {
			axes[0], axes[1] = axes[1], axes[0]
		}
		r.values[state] = &value{from: name, axes: axes}
		return nil
	}
	if hasState && !hasSteps {
		return lastState(nn.GraphVertex{Layer: layer.LastTimeStep{Layer: layers[0]}, Inputs: []string{v.from}}, params)
	}
	name, err := r.add(n, nn.GraphVertex{Layer: layers[0], Inputs: []string{v.from}}, params)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	if err != nil {
		return err
	}
	at := 1
	if first {
		at = 2
	}
	y.axes = slices.Insert(y.axes, at, unit)
	r.values[steps] = y
	if hasState {
		y.shared = true
		return lastState(nn.GraphVertex{Vertex: vertex.LastTimeStep{}, Inputs: []string{name}}, nil)
	}
	return nil
}

// checkRecurrent refuses settings that no layer has.
func checkRecurrent(r *reader, n *onnxfile.Node) error {
	if given(n, 4) {
		return errors.New("it has sequence_lens: leave them out, and give a mask to the network")
	}
	for i := 5; i <= 6; i++ {
		if !given(n, i) || i == 6 && n.Op != "LSTM" {
			continue
		}
		if c := r.constants[n.Inputs[i]]; c == nil || !c.zero() {
			return errors.New("it begins with a state other than 0")
		}
	}
	if n.Attribute("clip") != nil || attributeInt(n, "input_forget", 0) != 0 {
		return errors.New("it has clip, or input_forget")
	}
	return nil
}
