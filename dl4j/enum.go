package dl4j

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Enum has values under the names that a Deeplearning4j enum has for them ("RELU", "MCXENT"). It is filled in init
// functions; afterwards it is safe for concurrent use.
type Enum[T any] struct {
	kind  string
	value map[string]T
}

// NewEnum makes an empty one. kind says in error messages what a T is: "activation".
func NewEnum[T any](kind string) *Enum[T] { return &Enum[T]{kind, map[string]T{}} }

// Register enters a value under its names, in capitals.
func (e *Enum[T]) Register(v T, names ...string) {
	for _, n := range names {
		e.value[n] = v
	}
}

// ByName gives the value of a name, in any case of letters. The error lists the names that there are.
func (e *Enum[T]) ByName(name string) (T, error) {
	v, ok := e.value[strings.ToUpper(name)]
	if !ok {
		return v, fmt.Errorf("unknown %s %q: there are %s", e.kind, name, strings.Join(e.Names(), ", "))
	}
	return v, nil
}

// Names lists the names in order.
func (e *Enum[T]) Names() []string { return slices.Sorted(maps.Keys(e.value)) }
