package engine

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/dl4go/dl4go/internal/registry"
)

// Scheme is a kind of engine, known by the beginning of its master strings.
type Scheme struct {
	Name  string // the text before "[" or "://"
	Forms string // its master strings, for messages: "local, local[N], local[*]"
	// Remote is true if the workers are on other machines, so that Options.Connection and WorkerBinaries apply.
	Remote bool
	Open   func(ctx context.Context, master string, o Options) (Engine, error)
}

// RegisterScheme makes a kind of engine known to Open. Engines call it in init.
func RegisterScheme(s Scheme) {
	schemes.Add(s.Name, s)
}

var schemes = registry.New[Scheme]("engine")

// unknown says why no engine has a name, and what to do.
func unknown(name string) string {
	switch name {
	case "local", "processes":
		return "this program lacks the engine; import github.com/dl4go/dl4go/distributed"
	case "sc":
		return "this program lacks the engine; import github.com/dl4go/dl4go"
	}
	return "no engine of this program takes it" + registry.Suggest(name, schemes.Names())
}

// Open starts the engine that a master string names, such as local[2].
func Open(ctx context.Context, master string, o Options) (Engine, error) {
	name := master
	if i := strings.IndexAny(master, "[:"); i >= 0 {
		name = master[:i]
	}
	s, ok := schemes.Get(name)
	if !ok {
		return nil, &MasterError{master, unknown(name)}
	}
	o = o.WithDefaults()
	if !s.Remote && (o.Connection != Connection{} || len(o.WorkerBinaries) > 0) {
		o.Log.Warn("options of the connection and of worker binaries have no effect: the workers are on this machine",
			"master", master)
	}
	if s.Remote && (o.StorageMemory != 0 || o.TempDir != "") {
		o.Log.Warn("options of storage memory and of the temporary directory have no effect: the cluster has settings of "+
			"its own for these",
			"master", withoutSecrets(master))
	}
	return s.Open(ctx, master, o)
}

// MasterError means that no engine of the program accepts a master string.
type MasterError struct{ Master, Reason string }

func (e *MasterError) Error() string {
	var forms []string
	for _, name := range schemes.Names() {
		s, _ := schemes.Get(name)
		forms = append(forms, s.Forms)
	}
	sort.Strings(forms)
	return fmt.Sprintf("master %q: %s; there is %s", withoutSecrets(e.Master), e.Reason, strings.Join(forms, "; "))
}

// withoutSecrets removes parts of a master string that may hold a token: a user before the host, and everything after
// the host.
func withoutSecrets(master string) string {
	from := 0
	if i := strings.Index(master, "://"); i >= 0 {
		from = i + len("://")
	}
	end := strings.IndexAny(master[from:], "/;?#=,& ")
	if end < 0 {
		end = len(master) - from
	}
	shown := master[:from+end]
	if i := strings.LastIndexByte(shown, '@'); i >= 0 {
		shown = master[:from] + "…" + shown[i:]
	}
	if from+end < len(master) {
		shown += "…"
	}
	return shown
}
