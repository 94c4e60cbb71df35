//go:build spark

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dl4go/dl4go/engine/worker"
	"github.com/dl4go/dl4go/nn"
)

func server(t *testing.T) string {
	t.Helper()
	master := os.Getenv("DL4GO_SPARK")
	if master == "" {
		t.Fatal("DL4GO_SPARK names no Spark Connect server: run make test-spark, or tools/spark.sh with go test -tags spark …")
	}
	return master
}

// TestSparkScripts runs testdata/spark, whose commands are those of TestScripts. $SPARK is the cluster's master string,
// $WEBPAGE one of a server that is none of Spark's, $SELF a program.
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
			return err
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "done": done},
	})
}

// TestSparkInterrupt sends the signal of a Ctrl-C to a training run on the cluster, in its second epoch.
func TestSparkInterrupt(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Args = []string{"dl4go", "train", "--master", server(t), "--json", "--epochs", "1000000", "--averaging-frequency", "20"}
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var last struct {
		Event, Model     string
		Epoch, Iteration int
	}
	var sent time.Time
	for s := bufio.NewScanner(out); s.Scan(); {
		if err := json.Unmarshal(s.Bytes(), &last); err != nil {
			t.Fatal(err)
		}
		if last.Event == "progress" && last.Epoch > 1 && sent.IsZero() {
			sent = time.Now()
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("%v, not exit code %d: %s", err, exitInterrupted, stderr.String())
	}
	stopped := time.Since(sent)
	if stopped > 15*time.Second {
		t.Errorf("it took %v to stop", stopped)
	}
	if last.Event != "interrupted" || last.Model != "model.zip" || strings.Count(stderr.String(), "\n") != 1 ||
		!strings.Contains(stderr.String(), "interrupted: model.zip holds the network") {
		t.Errorf("ended with %+v and %q", last, stderr.String())
	}
	net, err := nn.Load(filepath.Join(dir, "model.zip"))
	if err != nil {
		t.Fatal(err)
	}
	if net.Epoch() < 1 || net.Epoch() != last.Epoch || net.Iteration() != last.Iteration {
		t.Errorf("the model is of epoch %d, iteration %d; told were %+v", net.Epoch(), net.Iteration(), last)
	}
	for until := time.Now().Add(30 * time.Second); ; {
		left := workers(t)
		if len(left) == 0 {
			t.Logf("it stopped after %v; no worker was left %v later", stopped, time.Since(sent)-stopped)
			return
		}
		if time.Now().After(until) {
			t.Fatalf("workers are left after 30 s: %v", left)
		}
		time.Sleep(10 * time.Millisecond)
	}
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
