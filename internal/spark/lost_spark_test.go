//go:build spark

package spark

import (
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/faulttest"
)

// executors lists the executors' processes of the Spark of these tests.
func executors(t *testing.T) (found []int) {
	files := os.Getenv("DL4GO_SPARK_FILES")
	if files == "" {
		t.Fatal("DL4GO_SPARK_FILES names no folder: tools/spark.sh with sets it")
	}
	if real, err := filepath.EvalSymlinks(files); err == nil {
		files = real // the path in /proc
	}
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range all {
		at, _ := os.Readlink(proc + "/cwd")
		line, _ := os.ReadFile(proc + "/cmdline")
		program, _ := os.Readlink(proc + "/exe") // YARN's containers also have a shell
		if pid, err := strconv.Atoi(filepath.Base(proc)); err == nil && filepath.Base(program) == "java" &&
			strings.HasPrefix(at, files+"/work") && strings.Contains(string(line), "CoarseGrainedExecutorBackend") {
			found = append(found, pid)
		}
	}
	return found
}

// TestSparkLostExecutor loses an executor. The driver's rows on it must be sent again, and the kept rows made from them
// and an exchange must be computed again.
func TestSparkLostExecutor(t *testing.T) {
	var sent []engine.Progress
	e := openHere(t, os.Getenv("DL4GO_SPARK"), engine.Options{Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Progress: func(p engine.Progress) {
			if p.ToSend > 0 {
				sent = append(sent, p)
			}
		}})
	if !e.OnThisMachine() {
		t.Error("the executors are on this machine, but not for the engine")
	}
	if strings.HasPrefix(e.carrier.session.Version(), "3.") {
		return // Spark 3 has no checkpoints for the driver's rows
	}
	const n, size = 6, 3 << 20
	rows := numbered(e, n, size) // more than is sent at once
	a := engine.Assignment{Order: []int64{5, 4, 3, 2, 1, 0}, Ends: []int{2, 4, 6}}
	kept := rows.Map(echo.With(false)).Persist(engine.DiskOnly)
	moved := rows.Exchange(a).Persist(engine.DiskOnly)
	read := func(d *engine.Dataset) {
		t.Helper()
		if got, err := d.Map(echo.With(false)).Count(t.Context()); err != nil || got != n {
			t.Fatalf("%d rows, error %v", got, err)
		}
	}
	read(rows)
	if len(sent) < 2 || sent[0].Sent <= 0 || sent[len(sent)-1].Sent != n*size || sent[0].ToSend != n*size {
		t.Errorf("on the way: %v", sent)
	}
	read(kept)
	read(moved)
	first := e.kept[rows]
	for i, pid := range executors(t) {
		how := syscall.SIGKILL
		if i > 0 {
			how = syscall.SIGTERM // the executor refuses tasks while it ends
		}
		if err := syscall.Kill(pid, how); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			read(kept)
		}
		read(rows)
		read(moved)
	}
	if e.kept[rows] == first {
		t.Error("no rows were lost")
	}
	faulttest.WantSlots(t, func(t *testing.T) engine.Engine {
		return openHere(t, os.Getenv("DL4GO_SPARK"), engine.Options{})
	}, e.Slots())
}
