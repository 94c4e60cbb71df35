package dl4j

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/internal/registry"
)

// ByShortName returns the value of a class by the last part of its name, regardless of case: "adam" for
// org.nd4j.linalg.learning.config.Adam. Its members are those of an object that omits all of them. The error lists the
// known names.
func (c *Classes[T]) ByShortName(name string) (T, error) {
	var none T
	for _, class := range c.Names() {
		if strings.EqualFold(lastPart(class), name) {
			return c.find(class).prototype().Interface().(T), nil
		}
	}
	names := c.ShortNames()
	return none, fmt.Errorf("unknown %s %q: there are %s%s", c.kind, shorten(name), strings.Join(names, ", "),
		registry.Suggest(name, names))
}

// ShortNames lists the last parts of the classes' names in order.
func (c *Classes[T]) ShortNames() []string {
	var names []string
	for _, class := range c.Names() {
		names = append(names, lastPart(class))
	}
	slices.Sort(names)
	return names
}

func lastPart(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }

// Table is a [Classes] of any interface, for programs that handle the tables of all interfaces.
type Table struct{ of *classTable }

// TableOf returns the table of an interface. ok is false if it has none.
func TableOf(t reflect.Type) (table Table, ok bool) {
	of := tableOf(t)
	return Table{of}, of != nil
}

// Kind returns the name of the table's values: "layer".
func (t Table) Kind() string { return t.of.kind }

// Key returns the member with the class name of objects: "@class" in most.
func (t Table) Key() string { return t.of.key }

// Names lists the classes in order, without aliases.
func (t Table) Names() []string {
	t.of.mu.RLock()
	defer t.of.mu.RUnlock()
	return slices.Sorted(maps.Values(t.of.name))
}

// New returns a value of a class or an alias, with the members of an object that omits all of them. ok is false if
// there is no such class.
func (t Table) New(class string) (v reflect.Value, ok bool) {
	of := t.of.find(class)
	if of == nil {
		return v, false
	}
	return of.prototype(), true
}

// FieldInfo is a member of a struct's object.
type FieldInfo struct {
	Name    string
	Aliases []string // other names that can be read
	Type    reflect.Type
	Index   []int // see [reflect.Value.FieldByIndex]
}

// FieldsOf lists the members of a struct's objects in the order of writing, except those that have no effect: see
// [Inert].
func FieldsOf(t reflect.Type) []FieldInfo {
	var list []FieldInfo
	for _, f := range fieldsOf(t).list {
		list = append(list, FieldInfo{f.name, slices.Clone(f.aliases), t.FieldByIndex(f.index).Type, slices.Clone(f.index)})
	}
	return list
}
