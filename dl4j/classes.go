package dl4j

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/dl4go/dl4go/internal/registry"
)

// Classes is the table of the implementations of the interface T, by their full Java class names in files. It is safe
// for concurrent use.
type Classes[T any] struct{ *classTable }

// classTable is Classes without its type parameter.
type classTable struct {
	kind string // the name of a T in error messages: "layer"
	key  string // the member with the class name
	of   *registry.Table[*class]
	mu   sync.RWMutex // guards name
	name map[reflect.Type]string
}

type class struct {
	concrete  reflect.Type
	prototype func() reflect.Value
}

var (
	tablesMu sync.RWMutex
	tables   = map[reflect.Type]*classTable{}
)

// NewClasses makes the table of the interface T, which must not have one yet. kind is the name of a T in error
// messages: "updater".
func NewClasses[T any](kind string) *Classes[T] { return NewClassesKeyed[T](kind, defaultKey) }

// defaultKey is the member with the class name in most objects.
const defaultKey = "@class"

// NewClassesKeyed is NewClasses for interfaces whose objects have the class name in another member than "@class", such
// as "type" in Deeplearning4j's distributions.
func NewClassesKeyed[T any](kind, key string) *Classes[T] {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Interface || t.NumMethod() == 0 {
		panic(fmt.Sprintf("dl4j: classes of %v, which is not an interface with methods", t))
	}
	c := &classTable{kind: kind, key: key, of: registry.New[*class](kind + " class"), name: map[reflect.Type]string{}}
	tablesMu.Lock()
	defer tablesMu.Unlock()
	if tables[t] != nil {
		panic(fmt.Sprintf("dl4j: a second table of classes of %v", t))
	}
	tables[t] = c
	return &Classes[T]{c}
}

func tableOf(t reflect.Type) *classTable {
	tablesMu.RLock()
	defer tablesMu.RUnlock()
	return tables[t]
}

// Register registers the implementation that the constructor returns: a struct or a pointer to one, with the values of
// members that a file omits. It panics if the name is taken. A type that is registered under two names is written
// under the first. A mistake in the tags of its fields panics when the first value is read or written: a program does
// not look through hundreds of classes to begin.
func (c *Classes[T]) Register(name string, constructor func() T) {
	concrete := reflect.TypeOf(constructor())
	c.of.Add(name, &class{concrete, func() reflect.Value { return reflect.ValueOf(constructor()) }})
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, named := c.name[concrete]; !named {
		c.name[concrete] = name
	}
}

// Alias allows an old or a short name of a registered class in files. It is never written.
func (c *Classes[T]) Alias(alias, name string) {
	of, err := c.of.Find(name)
	if err != nil {
		panic(err)
	}
	c.of.Add(alias, of)
}

// NameOf returns the class name under which v is written, or false if its type is not registered.
func (c *Classes[T]) NameOf(v T) (string, bool) { return c.nameOf(reflect.TypeOf(v)) }

func (c *classTable) find(name string) *class {
	found, _ := c.of.Get(name)
	return found
}

func (c *classTable) nameOf(t reflect.Type) (string, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	name, ok := c.name[t]
	return name, ok
}

// Names lists the class names in order, without aliases.
func (c *Classes[T]) Names() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Sorted(maps.Values(c.name))
}
