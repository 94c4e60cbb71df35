package engine_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/local"
)

// TestMasterErrorHasNoSecrets checks errors for misspelt master strings, which may have a token anywhere.
func TestMasterErrorHasNoSecrets(t *testing.T) {
	for master, shown := range map[string]string{
		"sparc://host:15002/;token=SECRET": `"sparc://host:15002…"`, "sparc://SECRET@host:1": `"sparc://…@host:1"`,
		"scc:host;token=SECRET": `"scc:host…"`, "token=SECRET": `"token…"`, "sparc://host?SECRET": `"sparc://host…"`,
		"locla[2]": `"locla[2]"`, "spark://host:7077": `"spark://host:7077"`,
	} {
		_, err := engine.Open(context.Background(), master, engine.Options{})
		if err == nil || !strings.Contains(err.Error(), shown) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v", master, err)
		}
	}
}

// TestMissingEngine: the error for an engine that the program lacks names the package to import.
func TestMissingEngine(t *testing.T) {
	_, err := engine.Open(t.Context(), "sc://127.0.0.1:1", engine.Options{})
	if err == nil || !strings.Contains(err.Error(), "lacks the engine; import github.com/dl4go/dl4go;") {
		t.Error(err)
	}
}

func init() {
	engine.RegisterScheme(engine.Scheme{Name: "far", Forms: "far (a test's)", Remote: true,
		Open: func(context.Context, string, engine.Options) (engine.Engine, error) {
			return local.New(1, engine.Options{}), nil
		}})
}

func TestOptionsWithoutEffect(t *testing.T) {
	var log bytes.Buffer
	o := engine.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}
	for _, c := range []struct {
		master string
		change func(*engine.Options)
		warns  bool
	}{
		{"local[1]", func(*engine.Options) {}, false},
		{"local[1]", func(o *engine.Options) { o.Connection.CAFile = "x" }, true},
		{"local[1]", func(o *engine.Options) { o.WorkerBinaries = map[string]string{"linux/arm64": "x"} }, true},
		{"local[1]", func(o *engine.Options) { o.StorageMemory, o.TempDir = 1, t.TempDir() }, false},
		{"far", func(o *engine.Options) { o.Connection.CAFile = "x" }, false},
		{"far", func(o *engine.Options) { o.StorageMemory = 1 }, true},
		{"far", func(o *engine.Options) { o.TempDir = "x" }, true},
	} {
		log.Reset()
		o := o
		c.change(&o)
		e, err := engine.Open(context.Background(), c.master, o)
		if err != nil {
			t.Fatal(err)
		}
		e.Close()
		if (log.Len() > 0) != c.warns {
			t.Errorf("%s: logged %q", c.master, log.String())
		}
	}
}

var same = engine.Register("engine_test.same", func(_ *engine.Task, _ struct{}, in engine.Rows,
	out engine.Writer) error {
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
})

func TestProgress(t *testing.T) {
	var calls, last atomic.Int64
	e, err := engine.Open(context.Background(), "local[2]", engine.Options{Progress: func(p engine.Progress) {
		calls.Add(1)
		if p.Done > p.Tasks || p.Done < 1 || p.Running > 2 {
			t.Errorf("%+v", p)
		}
		last.Store(int64(p.Done))
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	rows := make([][]engine.Row, 5)
	for i := range rows {
		rows[i] = []engine.Row{{Index: int64(i)}}
	}
	if n, err := engine.Parallelize(e, rows).Map(same.With(struct{}{})).Count(context.Background()); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	if calls.Load() != 5 || last.Load() != 5 {
		t.Errorf("told %d times, at the end of %d tasks", calls.Load(), last.Load())
	}
}
