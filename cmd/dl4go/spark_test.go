//go:build spark

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/worker"
)

func server(t *testing.T) string {
	t.Helper()
	master := os.Getenv("DL4GO_SPARK")
	if master == "" {
		t.Fatal("DL4GO_SPARK names no Spark Connect server: run make test-spark, or tools/spark.sh with go test -tags " +
			"spark …")
	}
	return master
}

// TestSparkScripts runs testdata/spark, with the commands of TestScripts. $SPARK is the cluster's master string,
// $WEBPAGE that of a server that is not Spark, $SELF a program.
func TestSparkScripts(t *testing.T) {
	master := server(t)
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "spark"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("SPARK", master)
			e.Setenv("WEBPAGE", strings.Replace(web.URL, "http", "sc", 1))
			self, err := os.Executable()
			e.Setenv("SELF", self)
			e.Setenv("TMPDIR", e.Cd)
			sameCollector(e)
			return err
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "done": done,
			"quiet": quiet},
	})
}

// TestSparkInterrupt sends the signal of a Ctrl-C to a training run on the cluster, in its second epoch.
func TestSparkInterrupt(t *testing.T) {
	interruptTraining(t, "--master", server(t), "--averaging-frequency", "20")
	await.Until(t, "the workers to end", func() (any, bool) {
		all := workers(t)
		return all, all == nil
	})
}

// workers lists the processes of this program that Spark has started on this machine.
func workers(t *testing.T) (found []string) {
	t.Helper()
	build, err := worker.Build()
	if err != nil {
		t.Fatal(err)
	}
	programs, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range programs {
		if path, err := os.Readlink(link); err == nil && strings.Contains(path, "/dl4go-"+build) {
			found = append(found, fmt.Sprint(link, " ", path))
		}
	}
	return found
}
