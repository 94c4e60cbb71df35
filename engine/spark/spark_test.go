//go:build spark

package spark_test

import (
	"context"
	"os"
	"testing"

	"github.com/dl4go/dl4go/engine"
	_ "github.com/dl4go/dl4go/engine/spark"
	"github.com/dl4go/dl4go/internal/enginetest"
	"github.com/dl4go/dl4go/internal/faulttest"
)

func TestMain(m *testing.M) {
	faulttest.Main()
	for _, driver := range drivers {
		driver()
	}
	os.Exit(m.Run())
}

// drivers are what this program does in place of its tests, where its environment says so.
var drivers []func()

func open(t *testing.T) engine.Engine {
	t.Helper()
	return openWith(t, engine.Options{})
}

func openWith(t *testing.T, o engine.Options) engine.Engine {
	t.Helper()
	master := os.Getenv("DL4GO_SPARK")
	if master == "" {
		t.Fatal("DL4GO_SPARK names no Spark Connect server: run make test-spark, or tools/spark.sh with go test -tags spark …")
	}
	e, err := engine.Open(context.Background(), master, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestConformance(t *testing.T) { enginetest.Run(t, openWith) }
