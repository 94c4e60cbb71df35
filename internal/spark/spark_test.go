//go:build spark

package spark_test

import (
	"context"
	"fmt"
	"os"
	"sync"
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
	code := m.Run()
	if common.engine != nil {
		if err := common.engine.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "closing the tests' engine:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// common is the engine of tests that leave it unchanged. Sharing it saves the second that opening a session takes.
var common struct {
	sync.Mutex
	engine engine.Engine
}

// shared returns the common engine.
func shared(t *testing.T) engine.Engine {
	t.Helper()
	common.Lock()
	defer common.Unlock()
	if common.engine == nil {
		e, err := engine.Open(context.Background(), master(t), engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		common.engine = e
	}
	return common.engine
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
