package onnx

import (
	"math"
	"reflect"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
)

// activation writes an activation as ONNX's operator for it. ok is false if ONNX has none: then the operations of its
// formula are written.
func (g *graph) activation(kind activation.Activation, x string) (name string, ok bool) {
	if _, exact := kind.(activation.GELUExact); exact { // from op set 20 on, there is Gelu
		phi := g.node("Erf", []string{g.node("Mul", []string{x, g.scalar(1 / math.Sqrt2)})})
		half := g.node("Mul", []string{x, g.scalar(0.5)})
		return g.node("Mul", []string{half, g.node("Add", []string{phi, g.scalar(1)})}), true
	}
	op, attributes := operatorOf(kind)
	switch op {
	case "":
		return "", false
	case "Clip":
		lo, hi := -1.0, 1.0
		if _, six := kind.(activation.ReLU6); six {
			lo, hi = 0, 6
		}
		return g.node(op, []string{x, g.scalar(lo), g.scalar(hi)}), true
	}
	return g.node(op, []string{x}, attributes...), true
}

// operatorOf returns ONNX's operator for an activation, except a softmax; "" if it has none. A logarithm of a softmax
// runs along the last axis.
func operatorOf(kind activation.Activation) (op string, attributes []*onnxfile.Attribute) {
	switch a := kind.(type) {
	case activation.ReLU:
		if a == (activation.ReLU{}) {
			return "Relu", nil
		}
	case activation.TanH:
		return "Tanh", nil
	case activation.Sigmoid:
		return "Sigmoid", nil
	case activation.SoftPlus:
		return "Softplus", nil
	case activation.SoftSign:
		return "Softsign", nil
	case activation.SELU:
		return "Selu", nil
	case activation.LogSoftmax:
		return "LogSoftmax", []*onnxfile.Attribute{integer("axis", -1)}
	case activation.HardSwish:
		return "HardSwish", nil
	case activation.HardSigmoid6:
		return "HardSigmoid", []*onnxfile.Attribute{number("alpha", 1.0/6), number("beta", 0.5)}
	case activation.HardTanH, activation.ReLU6:
		return "Clip", nil
	case activation.Exponential:
		return "Exp", nil
	case activation.HardSigmoid:
		return "HardSigmoid", []*onnxfile.Attribute{number("alpha", 0.2), number("beta", 0.5)}
	case activation.ELU:
		return "Elu", []*onnxfile.Attribute{number("alpha", member(a, "alpha"))}
	case activation.LReLU:
		return "LeakyRelu", []*onnxfile.Attribute{number("alpha", member(a, "alpha"))}
	case activation.ThresholdedReLU:
		return "ThresholdedRelu", []*onnxfile.Attribute{number("alpha", member(a, "theta"))}
	}
	return "", nil
}

// member returns a number of an activation, by its name in files.
func member(a interface{ MarshalTree() (any, error) }, name string) float64 {
	tree, _ := a.MarshalTree()
	members, _ := tree.(dl4j.Object)
	for _, m := range members {
		if m.Name == name {
			x, _ := m.Value.(float64)
			return x
		}
	}
	return 0
}

// activationsOf lists the activations of a layer or a vertex, and of inner layers.
func activationsOf(of any) (list []activation.Activation) {
	v := reflect.ValueOf(of)
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return nil
	}
	for i := range v.NumField() {
		f := v.Field(i)
		if !f.CanInterface() {
			if v.Type().Field(i).Anonymous { // such as embedding, whose exported fields are the layer's
				for k := range f.NumField() {
					if a, ok := inside(f.Field(k)); ok {
						list = append(list, a)
					}
				}
			}
			continue
		}
		switch x := f.Interface().(type) {
		case activation.Activation:
			list = append(list, x)
		case layer.Layer:
			list = append(list, activationsOf(x)...)
		}
	}
	return list
}

func inside(f reflect.Value) (a activation.Activation, ok bool) {
	if f.CanInterface() {
		a, ok = f.Interface().(activation.Activation)
	}
	return a, ok
}
