package dl4j

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/internal/registry"
)

// ByShortName returns the value of a class by the last part of its name, in any case of letters: "adam" for
// org.nd4j.linalg.learning.config.Adam. Its members are those of an object that leaves all out. The error lists the
// names that there are.
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

// Table is [Classes] of any interface, for programs that handle values of all kinds.
type Table struct{ of *classTable }

// TableOf returns the table of an interface. ok is false where it has none.
func TableOf(t reflect.Type) (table Table, ok bool) {
	of := tableOf(t)
	return Table{of}, of != nil
}

// Kind says in words what is in the table: "layer".
func (t Table) Kind() string { return t.of.kind }

// Key is the member in which objects have their class: "@class" in most.
func (t Table) Key() string { return t.of.key }

// Names lists the classes in order, without aliases.
func (t Table) Names() []string {
	t.of.mu.RLock()
	defer t.of.mu.RUnlock()
	return slices.Sorted(maps.Values(t.of.name))
}

// New returns a value of a class, or of an alias, whose members are those of an object that leaves all out. ok is
// false if there is no such class.
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
	Aliases []string // names that are read, too
	Type    reflect.Type
	Index   []int // see [reflect.Value.FieldByIndex]
}

// FieldsOf lists the members of a struct's objects, in the order in which they are written. Those that have no effect
// ([Inert]) are not among them.
func FieldsOf(t reflect.Type) []FieldInfo {
	var list []FieldInfo
	for _, f := range fieldsOf(t).list {
		list = append(list, FieldInfo{f.name, slices.Clone(f.aliases), t.FieldByIndex(f.index).Type, slices.Clone(f.index)})
	}
	return list
}
