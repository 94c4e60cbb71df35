package engine

import (
	"bytes"
	"encoding/gob"
	"errors"

	"github.com/dl4go/dl4go/internal/registry"
)

// errorType is a registered type of errors.
type errorType struct {
	find   func(error) []byte // nil if the error contains none
	decode func([]byte) error // nil if the bytes are invalid
}

var errorTypes = registry.New[errorType]("error type")

// RegisterError registers a type of error that reaches the driver from a worker as a value, on every engine: errors.As
// finds it in the WorkerError. Other errors of workers in other processes reach the driver as text. The exported fields
// of the type are sent (see encoding/gob). Call it in init; it panics if the name is taken.
func RegisterError[E error](name string) {
	errorTypes.Add(name, errorType{
		find: func(err error) []byte {
			var e E
			var b bytes.Buffer
			if !errors.As(err, &e) || gob.NewEncoder(&b).Encode(e) != nil {
				return nil
			}
			return b.Bytes()
		},
		decode: func(b []byte) error {
			var e E
			if gob.NewDecoder(bytes.NewReader(b)).Decode(&e) != nil {
				return nil
			}
			return e
		},
	})
}

// ErrorValue is an error of a type that [RegisterError] knows, on its way from a worker to the driver.
type ErrorValue struct {
	Type  string `json:"type"`
	Value []byte `json:"value"`
}

// ErrorValueOf finds an error of a registered type in err, or returns nil.
func ErrorValueOf(err error) *ErrorValue {
	for _, name := range errorTypes.Names() {
		t, _ := errorTypes.Get(name)
		if b := t.find(err); b != nil {
			return &ErrorValue{name, b}
		}
	}
	return nil
}

// In returns an error with this text. It wraps the value, if there is one.
func (v *ErrorValue) In(text string) error {
	if v == nil {
		return errors.New(text)
	}
	t, known := errorTypes.Get(v.Type)
	if !known {
		return errors.New(text)
	}
	value := t.decode(v.Value)
	if value == nil {
		return errors.New(text)
	}
	return &valueError{text, value}
}

type valueError struct {
	text  string
	value error
}

func (e *valueError) Error() string { return e.text }
func (e *valueError) Unwrap() error { return e.value }
