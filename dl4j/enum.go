package dl4j

import (
	"strings"

	"github.com/dl4go/dl4go/internal/registry"
)

// Enum has values under the names that a Deeplearning4j enum has for them ("RELU", "MCXENT"). It is safe for concurrent
// use.
type Enum[T any] struct {
	names *registry.Table[T]
}

// NewEnum makes an empty one. kind says in error messages what a T is: "activation".
func NewEnum[T any](kind string) *Enum[T] { return &Enum[T]{registry.New[T](kind)} }

// Register enters a value under its names, in capitals.
func (e *Enum[T]) Register(v T, names ...string) {
	for _, n := range names {
		e.names.Add(n, v)
	}
}

// ByName returns the value of a name, in any case of letters. The error lists the names that there are.
func (e *Enum[T]) ByName(name string) (T, error) {
	if v, ok := e.names.Get(strings.ToUpper(name)); ok {
		return v, nil
	}
	return e.names.Find(name)
}

// Names lists the names in order.
func (e *Enum[T]) Names() []string { return e.names.Names() }
