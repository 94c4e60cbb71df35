package engine

import (
	"context"
	"fmt"
	"sort"
	"strings"
)

// Scheme is a kind of engine, known by how its master strings begin.
type Scheme struct {
	Name  string // what stands before "[" or "://"
	Forms string // the master strings it takes, for messages: "local, local[N], local[*]"
	Open  func(ctx context.Context, master string, o Options) (Engine, error)
}

// RegisterScheme makes a kind of engine known to Open. Engines call it in init.
func RegisterScheme(s Scheme) {
	if _, taken := schemes[s.Name]; taken {
		panic(fmt.Sprintf("master strings %q are registered twice", s.Name))
	}
	schemes[s.Name] = s
}

var schemes = map[string]Scheme{}

// Open starts the engine that a master string names, such as local[2].
func Open(ctx context.Context, master string, o Options) (Engine, error) {
	name := master
	if i := strings.IndexAny(master, "[:"); i >= 0 {
		name = master[:i]
	}
	s, ok := schemes[name]
	if !ok {
		return nil, &MasterError{master, "no engine of this program takes it"}
	}
	return s.Open(ctx, master, o.WithDefaults())
}

// MasterError is a master string that no engine takes.
type MasterError struct{ Master, Reason string }

func (e *MasterError) Error() string {
	var forms []string
	for _, s := range schemes {
		forms = append(forms, s.Forms)
	}
	sort.Strings(forms)
	return fmt.Sprintf("master %q: %s; there is %s", e.Master, e.Reason, strings.Join(forms, "; "))
}
