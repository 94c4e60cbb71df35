package onnx

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
)

// simple lists the elementwise operators that are activations.
var simple = map[string]bool{"Relu": true, "Tanh": true, "Sigmoid": true, "Softplus": true, "Softsign": true,
	"Selu": true,
	"Elu":  true, "LeakyRelu": true, "ThresholdedRelu": true, "HardSigmoid": true, "HardSwish": true, "Mish": true,
	"Celu": true, "Gelu": true}

// activationNamed returns the activation of an operator. The functions alpha and beta read its settings, given their
// defaults.
func activationNamed(op string, alpha, beta func(usual float64) float64) (activation.Activation, error) {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }
	switch op {
	case "Relu":
		return activation.ReLU{}, nil
	case "Tanh":
		return activation.TanH{}, nil
	case "Sigmoid":
		return activation.Sigmoid{}, nil
	case "Softplus":
		return activation.SoftPlus{}, nil
	case "Softsign":
		return activation.SoftSign{}, nil
	case "Mish":
		return activation.Mish{}, nil
	case "Selu":
		if near(alpha(1.67326319217681884765625), 1.67326319217681884765625) && near(beta(1.05070102214813232421875),
			1.05070102214813232421875) {
			return activation.SELU{}, nil
		}
	case "Elu":
		return settled(activation.ELU{Alpha: alpha(1)})
	case "LeakyRelu":
		return settled(activation.LReLU{Alpha: alpha(0.01)})
	case "ThresholdedRelu":
		return settled(activation.ThresholdedReLU{Theta: alpha(1)})
	case "HardSigmoid":
		switch a, b := alpha(0.2), beta(0.5); {
		case near(a, 0.2) && near(b, 0.5):
			return activation.HardSigmoid{}, nil
		case near(a, 1.0/6) && near(b, 0.5):
			return activation.HardSigmoid6{}, nil
		}
	case "HardSwish":
		return activation.HardSwish{}, nil
	case "Celu":
		return settled(activation.CELU{Alpha: alpha(1)})
	case "Affine":
		if alpha(1) == 1 && beta(0) == 0 {
			return activation.Identity{}, nil
		}
	}
	return nil, fmt.Errorf("the activation %s, with its settings, is none of a network's", op)
}

// settled refuses a setting of 0, because the zero value of an activation means its default.
func settled(a activation.Activation) (activation.Activation, error) {
	if v := reflect.ValueOf(a).Field(0).Float(); v == 0 || v != v {
		return nil, fmt.Errorf("an activation has the setting %v", v)
	}
	return a, nil
}

// readActivation reads an activation.
func readActivation(r *reader, n *onnxfile.Node) error {
	a, err := simpleActivation(n)
	if err != nil {
		return err
	}
	return addActivation(r, n, a)
}

// addActivation adds an activation to the layer before it, or makes a layer of it.
func addActivation(r *reader, n *onnxfile.Node, a activation.Activation) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	if m := r.last(n, 0); m != nil && setActivation(m, a) {
		r.set(n, v)
		return nil
	}
	if v.recurrent != nil {
		return errors.New("the directions of a recurrent layer are not joined yet")
	}
	if v, err = r.settled(n, v); err != nil {
		return err
	}
	name, err := r.add(n, nn.GraphVertex{Layer: layer.Activate{Activation: a}, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}

// settled returns the value as the network has it, except for the order of its axes: images that the model flattens
// become vectors.
func (r *reader) settled(n *onnxfile.Node, v *value) (*value, error) {
	if v.order != nil {
		return nil,
			errors.New("images with the channels last were flattened in the order of channels first, before other than a " +
				"dense layer")
	}
	from, err := asVector(r, n, v.from, v)
	if err != nil || from == v.from {
		return v, err
	}
	return r.like(from, v)
}

// setActivation sets the activation of a layer that has none yet. ok is false if the layer does not allow it.
func setActivation(m *made, a activation.Activation) (ok bool) {
	l, ok := withActivation(m.Layer, a)
	if ok {
		m.Layer = l
	}
	return ok
}

func withActivation(l layer.Layer, a activation.Activation) (layer.Layer, bool) {
	identity := func(x activation.Activation) bool { return x == activation.Activation(activation.Identity{}) }
	switch l := l.(type) {
	case layer.Dense:
		ok := identity(l.Activation)
		l.Activation = a
		return l, ok
	case layer.ElementWise:
		ok := identity(l.Activation)
		l.Activation = a
		return l, ok
	case layer.TimeDistributed:
		within, ok := withActivation(l.Layer, a)
		l.Layer = within
		return l, ok
	case layer.Convolution2D:
		ok := identity(l.Activation)
		l.Activation = a
		return l, ok
	case layer.Convolution1D:
		ok := identity(l.Activation)
		l.Activation = a
		return l, ok
	case layer.Convolution3D:
		ok := identity(l.Activation)
		l.Activation = a
		return l, ok
	case layer.DepthwiseConvolution2D:
		ok := identity(l.Activation)
		l.Activation = a
		return l, ok
	case layer.Deconvolution2D:
		ok := identity(l.Activation)
		l.Activation = a
		return l, ok
	}
	return l, false
}

// readSoftmax reads a softmax along the features, or its logarithm. For images, and for sequences with the features
// first, it belongs to a loss layer, which the output becomes.
func readSoftmax(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	usual := int64(-1)
	if r.opset < 13 {
		usual = 1
	}
	at, err := axisIndex(attributeInt(n, "axis", usual), len(v.axes))
	if err != nil {
		return err
	}
	a := v.axes[at]
	if a.label != featureAxis && a.label != channelAxis || r.opset < 13 && at != len(v.axes)-1 {
		return fmt.Errorf("it is along the axis %d of %q: that of the features should be here", at, v.labels())
	}
	kind := activation.Activation(activation.Softmax{})
	if n.Op == "LogSoftmax" {
		kind = activation.LogSoftmax{}
	}
	natural := axesOf(r.types[v.from])
	if natural[len(natural)-1].label == a.label {
		return addActivation(r, n, kind)
	}
	if v, err = r.settled(n, v); err != nil {
		return err
	}
	if m := r.last(n, 0); m != nil { // for the steps of sequences: a dense layer works on rows
		if t, ok := m.Layer.(layer.TimeDistributed); ok && setActivation(&made{GraphVertex: nn.GraphVertex{Layer: t}}, kind) {
			setActivation(m, kind)
			r.set(n, v)
			return nil
		}
	}
	l, err := lossOf(r.types[v.from], kind)
	if err != nil {
		return err
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}

// readClip refuses limits that are not numbers: compose replaces other limits by an activation.
func readClip(*reader, *onnxfile.Node) error {
	return errors.New("its limits should be numbers, and constants")
}

// readPRelu reads a learned slope.
func readPRelu(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	if len(n.Inputs) < 2 || r.constants[n.Inputs[1]] == nil {
		return errors.New("the slope should be a constant")
	}
	w, dims, err := r.constants[n.Inputs[1]].numbers()
	if err != nil {
		return err
	}
	if !r.asNetwork(v) {
		return fmt.Errorf("the axes %q do not lie as layers have them", v.labels())
	}
	for len(dims) < len(v.axes)-1 {
		dims = append([]int{1}, dims...)
	}
	if len(dims) == len(v.axes) && dims[0] == 1 {
		dims = dims[1:]
	}
	if len(dims) != len(v.axes)-1 {
		return fmt.Errorf("the slope has the dimensions %v", dims)
	}
	l := layer.PReLU{Activation: activation.Identity{}}
	reversed := make([]int, len(dims))
	for i, d := range dims {
		if reversed[i] = len(dims) - 1 - i; d == 1 && v.axes[i+1].size != 1 {
			l.SharedAxes = append(l.SharedAxes, i+1)
		}
	}
	turned := make([]float32, len(w)) // stored column by column
	for i, place := range places(dims, reversed) {
		turned[i] = w[place]
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, map[string][]float32{"W": turned})
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}
