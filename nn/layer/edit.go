package layer

import (
	"fmt"
	"reflect"
)

// Edit gives a copy of a layer whose Base f has changed. Layers without parameters have none, and stay; a layer that has
// parameters but no Base is an error.
func Edit(l Layer, f func(*Base)) (Layer, error) {
	copied := reflect.New(reflect.TypeOf(l)).Elem()
	copied.Set(reflect.ValueOf(l))
	if b := copied.FieldByName("Base"); b.IsValid() && b.CanSet() && b.Type() == reflect.TypeFor[Base]() {
		f(b.Addr().Interface().(*Base))
		return copied.Interface().(Layer), nil
	}
	if len(l.Params()) > 0 {
		return nil, fmt.Errorf("the settings of %T cannot be changed: make the layer anew", l)
	}
	return l, nil
}

// Resize gives a copy of a layer with other numbers of inputs and outputs: 0 inputs follow from the input type, and -1
// leaves the number of outputs as it is. ok is false where the layer has no such numbers.
func Resize(l Layer, nIn, nOut int) (_ Layer, ok bool) {
	copied := reflect.New(reflect.TypeOf(l)).Elem()
	copied.Set(reflect.ValueOf(l))
	in, out := copied.FieldByName("NIn"), copied.FieldByName("NOut")
	if !in.IsValid() || !out.IsValid() || in.Kind() != reflect.Int || out.Kind() != reflect.Int {
		return l, false
	}
	in.SetInt(int64(nIn))
	if _, norm := l.(BatchNormalization); norm && nOut < 0 {
		nOut = 0 // as many as inputs
	}
	if nOut >= 0 {
		out.SetInt(int64(nOut))
	}
	return copied.Interface().(Layer), true
}
