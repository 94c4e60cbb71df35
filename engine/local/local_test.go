package local_test

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/enginetest"
	_ "github.com/dl4go/dl4go/engine/local"
)

func open(t *testing.T, master string, o engine.Options) engine.Engine {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	e, err := engine.Open(context.Background(), master, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestConformance(t *testing.T) {
	for _, master := range []string{"local[2]", "local[5]"} {
		t.Run(master, func(t *testing.T) {
			enginetest.Run(t, func(t *testing.T) engine.Engine { return open(t, master, engine.Options{TempDir: t.TempDir()}) })
		})
	}
}
