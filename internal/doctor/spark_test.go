//go:build spark

package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/checkup"
)

func examine(t *testing.T, want Options) map[string]checkup.Finding {
	t.Helper()
	master := os.Getenv("DL4GO_SPARK")
	if master == "" {
		t.Fatal("DL4GO_SPARK names no Spark Connect server: run make test-spark, or tools/spark.sh with go test -tags " +
			"spark …")
	}
	checks, end, err := Checks(master, engine.Options{Log: quiet}, want)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	for i := range checks {
		checks[i].Deadline = time.Hour
	}
	all := make(map[string]checkup.Finding)
	checkup.Run(t.Context(), checks, func(f checkup.Finding) {
		t.Logf("%s: %s: %s (%s)", f.Check, f.Level, f.Text, f.Fix)
		all[f.Check] = f
	})
	return all
}

// TestSparkHealthy: there is nothing to fix on the tests' own cluster. Warnings about a busy machine are allowed.
func TestSparkHealthy(t *testing.T) {
	dir := t.TempDir()
	all := examine(t, Options{Dir: "file://" + filepath.ToSlash(dir)})
	host, _ := os.Hostname()
	for check, text := range map[string]string{"connection": "sc://127.0.0.1:", "version": "Spark ",
		"encryption": "loopback",
		"settings":   "nothing in the way", "server": "of direct memory, of at most", "artifacts": "allowed",
		"views": "allowed", "transform": "allowed",
		"workers": "dl4go runs on 2 executors of 1 host: " + host, "slots": "2 tasks at a time",
		"kernels": "on all executors",
		"memory":  "a heap of 805.3 MB", "disk": "free on " + host, "clocks": "agree", "lease": "workers reach the server",
		"job": "200 rows went to workers and came back", "persistence": "allowed", "tables": "written, read and dropped",
		"directory": dir} {
		f, ok := all[check]
		busy := check == "memory" || check == "disk" || check == "version"
		if !ok || !strings.Contains(f.Text, text) || f.Level != checkup.OK && !(busy && f.Level == checkup.Warning) {
			t.Errorf("%s: %+v", check, f)
		}
		delete(all, check)
	}
	if len(all) > 0 {
		t.Errorf("also found: %v", all)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestSparkTooFewSlots(t *testing.T) {
	all := examine(t, Options{Workers: 7, Dir: "file:///proc/none"})
	if f := all["slots"]; f.Level != checkup.Warning || !strings.Contains(f.Text, "2 tasks at a time") ||
		!strings.Contains(f.Text, "7 workers are wanted") {
		t.Errorf("%+v", f)
	}
	if f := all["directory"]; f.Level != checkup.Failure || !strings.Contains(fmt.Sprint(f), "/proc/none") {
		t.Errorf("%+v", f)
	}
}
