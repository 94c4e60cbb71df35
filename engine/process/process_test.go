package process_test

import (
	"io"
	"log/slog"
	"os"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/enginetest"
	"github.com/dl4go/dl4go/engine/process"
	"github.com/dl4go/dl4go/engine/worker"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

func open(t *testing.T, slots int, o engine.Options, p process.Options) engine.Engine {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	e, err := process.New(slots, o, p)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestConformance(t *testing.T) {
	for _, f := range []worker.Framing{worker.Binary, worker.Text} {
		t.Run(f.Protocol(), func(t *testing.T) {
			enginetest.Run(t, func(t *testing.T) engine.Engine {
				return open(t, 2, engine.Options{TempDir: t.TempDir()}, process.Options{Framing: f})
			})
		})
	}
}
