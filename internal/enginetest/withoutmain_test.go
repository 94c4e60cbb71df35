package enginetest_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/process"
	"github.com/dl4go/dl4go/internal/spark"
)

// TestWithoutMain opens engines in a package that deliberately has no TestMain. A worker process would run these tests.
func TestWithoutMain(t *testing.T) {
	if os.Getenv(engine.WorkerVariable) != "" {
		t.Fatal("a worker process runs this package's tests")
	}
	opened := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, engine.ErrNoMain) || !strings.Contains(err.Error(), "TestMain") {
			t.Errorf("%s: %v, wanted ErrNoMain, which names TestMain", what, err)
		}
	}
	for _, master := range []string{"processes[2]", "processes[*]", "sc://127.0.0.1:1/;token=secret"} {
		e, err := engine.Open(context.Background(), master, engine.Options{})
		opened(master, err)
		if err == nil {
			e.Close()
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error has the token: %v", master, err)
		}
	}
	_, err := process.New(1, engine.Options{}, process.Options{})
	opened("process.New", err)
	_, err = spark.Open(context.Background(), "sc://127.0.0.1:1", engine.Options{})
	opened("spark.Open", err)
}
