package layer

import (
	"fmt"
	"reflect"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/regularization"
)

// Parts are the parts of a layer that Edit changes; a part that the layer lacks is nil.
type Parts struct {
	Base        *Base
	Activation  *activation.Activation // of layers with a Base
	Mode        *ConvolutionMode       // of convolutions and of poolings of images and sequences
	Constraints *[]regularization.Constraint
	Params      []string // the names of the layer's parameters
}

// Edit returns a copy of a layer that f has changed. If the layer wraps another one, f changes both. Edit does not
// change frozen layers. A layer with parameters but without a Base is an error.
func Edit(l Layer, f func(Parts)) (Layer, error) {
	switch l.(type) {
	case Frozen, FrozenWithBackprop:
		return l, nil
	}
	copied := copyOf(l)
	wraps := false
	for _, inner := range within(copied) {
		edited, err := Edit(*inner, f)
		if err != nil {
			return nil, err
		}
		*inner, wraps = edited, true
	}
	var p Parts
	for _, param := range l.Params() {
		p.Params = append(p.Params, param.Name)
	}
	p.Base, _ = part[Base](copied, "Base")
	if p.Base == nil && len(p.Params) > 0 && !wraps {
		return nil, fmt.Errorf("the settings of %T cannot be changed, as it does not embed layer.Base: make the layer again",
			l)
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
	if !wraps {
		p.Constraints, _ = part[[]regularization.Constraint](copied, "Constraints")
	}
	f(p)
	return copied.Interface().(Layer), nil
}

// copyOf returns a copy of a layer with settable fields.
func copyOf(l Layer) reflect.Value {
	copied := reflect.New(reflect.TypeOf(l)).Elem()
	copied.Set(reflect.ValueOf(l))
	return copied
}

// within returns the inner layers of a layer: its exported fields of type Layer that are not nil.
func within(of reflect.Value) (inner []*Layer) {
	if of.Kind() != reflect.Struct {
		return nil
	}
	for i := range of.NumField() {
		field := of.Field(i)
		if field.Type() == reflect.TypeFor[Layer]() && field.CanSet() && !field.IsNil() {
			inner = append(inner, field.Addr().Interface().(*Layer))
		}
	}
	return inner
}

// part returns a field of a struct, and the field's name in files; nil if there is none of that type.
func part[T any](of reflect.Value, name string) (*T, string) {
	if of.Kind() != reflect.Struct {
		return nil, ""
	}
	field, ok := of.Type().FieldByName(name)
	if !ok || !field.IsExported() || field.Type != reflect.TypeFor[T]() {
		return nil, ""
	}
	at := of
	for _, i := range field.Index {
		if at.Kind() == reflect.Pointer { // the target of a pointer is not copied
			return nil, ""
		}
		at = at.Field(i)
	}
	return at.Addr().Interface().(*T), field.Tag.Get("dl4j")
}

// Follower is a layer with parameters that has as many outputs as inputs, such as [BatchNormalization]. If transfer
// learning changes the number of its inputs, the layers after it change, too.
type Follower interface{ Follows() }

// Follows reports whether a layer is a [Follower].
func Follows(l Layer) bool {
	_, follows := l.(Follower)
	return follows
}

// Resize returns a copy of a layer with other numbers of inputs and outputs. With 0 inputs, the number follows from
// the input type; -1 keeps a number. ok is false if the layer has no such numbers.
func Resize(l Layer, nIn, nOut int) (_ Layer, ok bool) {
	copied := copyOf(l)
	in, _ := part[int](copied, "NIn")
	out, _ := part[int](copied, "NOut")
	if in == nil || out == nil {
		return l, false
	}
	if nIn >= 0 {
		*in = nIn
	}
	if Follows(l) && nOut < 0 {
		nOut = 0 // as many as inputs
	}
	if nOut >= 0 {
		*out = nOut
	}
	return copied.Interface().(Layer), true
}
