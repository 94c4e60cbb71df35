package dl4j

import (
	"iter"
	"reflect"
	"strings"
)

// Map is an object with values of one type, in the order of the file: for example a graph's vertices, whose order
// matters. The zero value is an empty map.
type Map[V any] struct {
	names  []string
	values map[string]V
}

// Len returns the number of members.
func (m *Map[V]) Len() int { return len(m.names) }

// Names returns the names in order. The slice belongs to the map.
func (m *Map[V]) Names() []string { return m.names }

// Get returns the value of that name.
func (m *Map[V]) Get(name string) (V, bool) {
	v, ok := m.values[name]
	return v, ok
}

// Set sets the value of a name. A new name goes to the end.
func (m *Map[V]) Set(name string, v V) {
	if m.values == nil {
		m.values = map[string]V{}
	}
	if _, ok := m.values[name]; !ok {
		m.names = append(m.names, name)
	}
	m.values[name] = v
}

// All returns names and values in order.
func (m *Map[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, n := range m.names {
			if !yield(n, m.values[n]) {
				return
			}
		}
	}
}

// MarshalTree returns the members in order.
func (m Map[V]) MarshalTree() (any, error) {
	o := Object{}
	for n, v := range m.All() {
		tree, err := encode(reflect.ValueOf(&v).Elem())
		if err != nil {
			return nil, within(n, err)
		}
		o = append(o, Member{n, tree})
	}
	return o, nil
}

// UnmarshalTree reads an object; null is an empty map.
func (m *Map[V]) UnmarshalTree(tree any) error {
	*m = Map[V]{}
	if tree == nil {
		return nil
	}
	o, ok := tree.(Object)
	if !ok {
		return mismatch(tree, "an object")
	}
	for _, x := range o {
		var v V
		if err := FromTree(x.Value, &v); err != nil {
			return within(x.Name, err)
		}
		m.Set(strings.Clone(x.Name), v)
	}
	return nil
}
