package layer

import (
	"fmt"
	"reflect"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/regularization"
)

// Parts are what Edit changes of a layer; nil is what the layer has not.
type Parts struct {
	Base        *Base
	Activation  *activation.Activation // of layers that have a Base
	Mode        *ConvolutionMode       // of convolutions and of poolings of images and sequences
	Constraints *[]regularization.Constraint
	Params      []string // the names of the layer's parameters
}

// Edit gives a copy of a layer that f has changed; of a layer around another one both. A frozen layer stays. A layer that
// has parameters but no Base is an error.
func Edit(l Layer, f func(Parts)) (Layer, error) {
	switch l.(type) {
	case Frozen, FrozenWithBackprop:
		return l, nil
	}
	copied := reflect.New(reflect.TypeOf(l)).Elem()
	copied.Set(reflect.ValueOf(l))
	within := false
	for i := range copied.NumField() {
		field := copied.Field(i)
		if field.Type() != reflect.TypeFor[Layer]() || field.IsNil() {
			continue
		}
		edited, err := Edit(field.Interface().(Layer), f)
		if err != nil {
			return nil, err
		}
		field.Set(reflect.ValueOf(edited))
		within = true
	}
	var p Parts
	for _, param := range l.Params() {
		p.Params = append(p.Params, param.Name)
	}
	p.Base, _ = part[Base](copied, "Base")
	if p.Base == nil && len(p.Params) > 0 && !within {
		return nil, fmt.Errorf("the settings of %T cannot be changed: make the layer anew", l)
	}
	if p.Base != nil {
		p.Activation, _ = part[activation.Activation](copied, "Activation")
	}
	switch l.(type) {
	case Subsampling3D, PrimaryCapsules: // as in Deeplearning4j
	default:
		if mode, tag := part[ConvolutionMode](copied, "Mode"); tag == "convolutionMode" {
			p.Mode = mode
		}
	}
	if !within {
		p.Constraints, _ = part[[]regularization.Constraint](copied, "Constraints")
	}
	f(p)
	return copied.Interface().(Layer), nil
}

// part gives a field of a struct, and its member in files; nil where there is none of that type.
func part[T any](of reflect.Value, name string) (*T, string) {
	field, ok := of.Type().FieldByName(name)
	if !ok || field.Type != reflect.TypeFor[T]() {
		return nil, ""
	}
	return of.FieldByIndex(field.Index).Addr().Interface().(*T), field.Tag.Get("dl4j")
}

// Resize gives a copy of a layer with other numbers of inputs and outputs: 0 inputs follow from the input type, and -1
// leaves a number as it is. ok is false where the layer has no such numbers.
func Resize(l Layer, nIn, nOut int) (_ Layer, ok bool) {
	copied := reflect.New(reflect.TypeOf(l)).Elem()
	copied.Set(reflect.ValueOf(l))
	in, out := copied.FieldByName("NIn"), copied.FieldByName("NOut")
	if !in.IsValid() || !out.IsValid() || in.Kind() != reflect.Int || out.Kind() != reflect.Int {
		return l, false
	}
	if nIn >= 0 {
		in.SetInt(int64(nIn))
	}
	if _, norm := l.(BatchNormalization); norm && nOut < 0 {
		nOut = 0 // as many as inputs
	}
	if nOut >= 0 {
		out.SetInt(int64(nOut))
	}
	return copied.Interface().(Layer), true
}
