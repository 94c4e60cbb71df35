package coordination

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// listing is the fields that a thing's method goes through, each with its form.
type listing struct {
	forms []string
	found map[any]string // by where it is: the name
}

func (l *listing) see(name, form string, field any) {
	l.forms = append(l.forms, name+" "+form)
	l.found[field] = name
}

// listed writes a thing and lists its fields. All exported ones, also of what is in lists, must be there by their own
// names.
func listed(t *testing.T, v any, fields func(*coder)) string {
	t.Helper()
	l := listing{found: map[any]string{}}
	fields(&coder{w: &writer{counts: true}, seen: l.see})
	missing(t, &l, reflect.ValueOf(v).Elem())
	return strings.Join(l.forms, ", ")
}

// missing wants a struct's fields in a listing. Of an entry, each kind has some of them.
func missing(t *testing.T, l *listing, v reflect.Value) {
	t.Helper()
	for i := range v.NumField() {
		field, at := v.Type().Field(i), v.Field(i)
		name, found := l.found[at.Addr().Interface()]
		if !found && v.Type() != reflect.TypeFor[Entry]() || found && name != field.Name {
			t.Errorf("%v.%s goes over the wire as %q", v.Type(), field.Name, name)
		}
		switch {
		case !found: // and so is nothing in it
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

// TestFields: every field of every message goes over the wire by its name, in the order and form of the list that is
// kept.
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

// TestEntryFields: each field of an Entry belongs to some kind.
func TestEntryFields(t *testing.T) {
	found := map[string]bool{}
	for k := UpdateEntry; k <= ConstrainEntry; k++ {
		(&Entry{Kind: k}).fields(&coder{w: &writer{counts: true}, seen: func(name, _ string, _ any) { found[name] = true }})
	}
	for i := range reflect.TypeFor[Entry]().NumField() {
		if name := reflect.TypeFor[Entry]().Field(i).Name; !found[name] {
			t.Errorf("no kind of entry sends %s", name)
		}
	}
}

// TestKinds: a kind makes a message of that kind.
func TestKinds(t *testing.T) {
	for k := range kindBye + 2 {
		if m := blank(k); (m != nil) != (k >= kindHello && k <= kindBye) || m != nil && m.kind() != k {
			t.Errorf("kind %d makes %T", k, m)
		}
	}
}
