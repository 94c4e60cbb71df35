package dl4j

import (
	"strings"

	"github.com/dl4go/dl4go/internal/registry"
)

// Enum has values by the names of a Deeplearning4j enum ("RELU", "MCXENT"). It is safe for concurrent use.
type Enum[T any] struct {
	names *registry.Table[T]
}

// NewEnum makes an empty enum. kind is the name of a T in error messages: "activation".
func NewEnum[T any](kind string) *Enum[T] { return &Enum[T]{registry.New[T](kind)} }

// Register adds a value under its names, in capitals.
func (e *Enum[T]) Register(v T, names ...string) {
	for _, n := range names {
		e.names.Add(n, v)
	}
}

// ByName returns the value of a name, regardless of case. The error lists the known names.
func (e *Enum[T]) ByName(name string) (T, error) {
	if v, ok := e.names.Get(strings.ToUpper(name)); ok {
		return v, nil
	}
	return e.names.Find(name)
}

// Names lists the names in order.
func (e *Enum[T]) Names() []string { return e.names.Names() }
