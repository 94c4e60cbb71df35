// Package registry has tables of values that are registered under a name: layers, storage schemes, operations, hooks.
// All of them report a second registration and an unknown name with the same words.
package registry

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Table has values by name. It is safe for concurrent use.
type Table[T any] struct {
	kind string
	mu   sync.RWMutex
	of   map[string]entry[T]
}

type entry[T any] struct {
	value T
	at    [depth]uintptr // the callers that registered it
}

// depth is the number of callers that are recorded: the one that registers, and functions that do so for it.
const depth = 4

// New makes an empty table. kind is the name of a T in error messages: "activation".
func New[T any](kind string) *Table[T] { return &Table[T]{kind: kind, of: map[string]entry[T]{}} }

// Add adds a value. If the name is taken, the programmer has made a mistake: Add panics and names both places.
func (t *Table[T]) Add(name string, v T) {
	e := entry[T]{value: v}
	runtime.Callers(2, e.at[:])
	t.mu.Lock()
	defer t.mu.Unlock()
	if first, taken := t.of[name]; taken {
		panic(fmt.Sprintf("%s %q is registered twice: at %s and at %s", t.kind, name, place(first.at[:]), place(e.at[:])))
	}
	t.of[name] = e
}

// Get returns the value of a name.
func (t *Table[T]) Get(name string) (T, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	e, ok := t.of[name]
	return e.value, ok
}

// Find is Get with an error that lists the known names, and the nearest one.
func (t *Table[T]) Find(name string) (T, error) {
	v, ok := t.Get(name)
	if ok {
		return v, nil
	}
	names := t.Names()
	if len(names) == 0 {
		return v, fmt.Errorf("unknown %s %q: there are none in this program", t.kind, shorten(name))
	}
	return v, fmt.Errorf("unknown %s %q: there are %s%s", t.kind, shorten(name), strings.Join(names, ", "),
		Suggest(name, names))
}

// Names lists the names in order.
func (t *Table[T]) Names() []string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Sorted(maps.Keys(t.of))
}

// place returns the file and line of the first caller that is not itself a registering function.
func place(at []uintptr) string {
	for frames := runtime.CallersFrames(at); ; {
		f, more := frames.Next()
		name := strings.ReplaceAll(f.Function, "[...]", "")
		name = strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
		if !more || !strings.HasPrefix(name, "register") && name != "alias" {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
	}
}
