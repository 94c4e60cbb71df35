package coordination

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// listing lists the fields that a fields method visits, each with its form.
type listing struct {
	forms []string
	found map[any]string // names by address
}

func (l *listing) see(name, form string, field any) {
	l.forms = append(l.forms, name+" "+form)
	l.found[field] = name
}

// listed encodes a value and lists its fields. All exported fields, including those of list elements, must be listed
// under their own names.
func listed(t *testing.T, v any, fields func(*coder)) string {
	t.Helper()
	l := listing{found: map[any]string{}}
	fields(&coder{w: &writer{counts: true}, seen: l.see})
	missing(t, &l, reflect.ValueOf(v).Elem())
	return strings.Join(l.forms, ", ")
}

// missing reports the fields of a struct that a listing lacks. Each kind of entry has only some fields.
func missing(t *testing.T, l *listing, v reflect.Value) {
	t.Helper()
	for i := range v.NumField() {
		field, at := v.Type().Field(i), v.Field(i)
		name, found := l.found[at.Addr().Interface()]
		if !found && v.Type() != reflect.TypeFor[Entry]() || found && name != field.Name {
			t.Errorf("%v.%s goes over the wire as %q", v.Type(), field.Name, name)
		}
		switch {
		case !found: // then none of its fields is found
		case at.Kind() == reflect.Struct:
			missing(t, l, at)
		case at.Kind() == reflect.Slice:
			for k := range at.Len() {
				if e := reflect.Indirect(at.Index(k)); e.Kind() == reflect.Struct {
					missing(t, l, e)
				}
			}
		}
	}
}

// TestFields checks that every field of every message is encoded under its name, in the order and form of the stored
// list.
func TestFields(t *testing.T) {
	var lines []string
	for _, m := range messages() {
		line := listed(t, m, func(c *coder) { c.message(m) })
		if log, is := m.(*Log); is {
			line = "First uint, Keep uint, Entries list"
			for _, e := range log.Entries {
				lines = append(lines, fmt.Sprintf("Entry %d own=%v: %s", e.Kind, e.Own, listed(t, e, e.fields)))
			}
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %d: %s", nameOf(m), m.kind(), line)))
	}
	for _, k := range checkpoints()[:1] {
		lines = append(lines, nameOf(k)+": "+listed(t, k, k.fields))
	}
	slices.Sort(lines)
	golden(t, "testdata/fields.txt", slices.Compact(lines))
}

// TestEntryFields checks that each field of an Entry belongs to some kind.
func TestEntryFields(t *testing.T) {
	found := map[string]bool{}
	for k := UpdateEntry; k <= SumEntry; k++ {
		(&Entry{Kind: k}).fields(&coder{w: &writer{counts: true}, seen: func(name, _ string, _ any) { found[name] = true }})
	}
	for i := range reflect.TypeFor[Entry]().NumField() {
		if name := reflect.TypeFor[Entry]().Field(i).Name; !found[name] {
			t.Errorf("no kind of entry sends %s", name)
		}
	}
}

// TestKinds checks that blank makes a message of the given kind.
func TestKinds(t *testing.T) {
	for k := range kindBye + 2 {
		if m := blank(k); (m != nil) != (k >= kindHello && k <= kindBye) || m != nil && m.kind() != k {
			t.Errorf("kind %d makes %T", k, m)
		}
	}
}
