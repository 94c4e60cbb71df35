package resident

import (
	"fmt"
	"sync"
)

// registry is what is known to all processes of a program by a name.
type registry[T any] struct {
	mu     sync.Mutex
	byName map[string]T
}

func (r *registry[T]) add(what, name string, v T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.byName[name]; taken {
		panic(fmt.Sprintf("resident: %s %q is registered twice", what, name))
	}
	if r.byName == nil {
		r.byName = map[string]T{}
	}
	r.byName[name] = v
}

func (r *registry[T]) find(name string) (T, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.byName[name]
	return v, ok
}
