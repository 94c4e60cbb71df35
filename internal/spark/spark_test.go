//go:build spark

package spark_test

import (
	"context"
	"os"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/enginetest"
	"github.com/dl4go/dl4go/internal/faulttest"
	_ "github.com/dl4go/dl4go/internal/spark"
)

func TestMain(m *testing.M) {
	faulttest.Main()
	for _, driver := range drivers {
		driver()
	}
	os.Exit(common.Run(m))
}

// common has the engine of tests that leave it unchanged.
var common enginetest.Common

// shared returns the common engine.
func shared(t *testing.T) engine.Engine {
	t.Helper()
	return common.Open(t, master(t), engine.Options{})
}

// master returns the address of the Spark of these tests.
func master(t *testing.T) string {
	t.Helper()
	master := os.Getenv("DL4GO_SPARK")
	if master == "" {
		t.Fatal("DL4GO_SPARK names no Spark Connect server: run make test-spark, or tools/spark.sh with go test -tags " +
			"spark …")
	}
	return master
}

// drivers are functions that this program runs instead of its tests if its environment says so.
var drivers []func()

func open(t *testing.T) engine.Engine {
	t.Helper()
	return openWith(t, engine.Options{})
}

func openWith(t *testing.T, o engine.Options) engine.Engine {
	t.Helper()
	e, err := engine.Open(context.Background(), master(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestConformance(t *testing.T) { enginetest.RunTogether(t, openWith) }
