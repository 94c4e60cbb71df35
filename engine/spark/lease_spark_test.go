//go:build spark

package spark_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
)

// stay says which process it runs in, and stays there: until the task ends, or whatever happens.
var stay = engine.Register("spark_test.stay", func(t *engine.Task, conf stayConfig, in engine.Rows, _ engine.Writer) error {
	if err := os.WriteFile(filepath.Join(conf.Dir, strconv.Itoa(os.Getpid())), nil, 0o600); err != nil {
		return err
	}
	if conf.Deaf {
		select {}
	}
	<-t.Context().Done()
	return context.Cause(t.Context())
})

type stayConfig struct {
	Dir  string
	Deaf bool
}

// hanging names the directory in which a driver of its own lets workers hang, in this program started again.
const hanging = "DL4GO_TEST_HANG"

func init() {
	drivers = append(drivers, func() {
		if dir := os.Getenv(hanging); dir != "" {
			e, err := engine.Open(context.Background(), os.Getenv("DL4GO_SPARK"), engine.Options{})
			if err == nil {
				err = stayOn(context.Background(), e, stayConfig{dir, true})
			}
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	})
}

func stayOn(ctx context.Context, e engine.Engine, conf stayConfig) error {
	_, err := engine.Parallelize(e, make([][]engine.Row, e.Slots())).Map(stay.With(conf)).Count(ctx)
	return err
}

// TestSparkCancelledWorkersEnd: a job that is cancelled leaves no worker, and its slots are free.
func TestSparkCancelledWorkersEnd(t *testing.T) {
	e := open(t)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- stayOn(ctx, e, stayConfig{Dir: dir}) }()
	pids := workers(t, dir, e.Slots())
	begin := time.Now()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ended(t, pids, begin)
	if _, err := engine.Parallelize(e, make([][]engine.Row, e.Slots())).Count(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSparkDeadDriver: a driver that is killed leaves no worker for longer than 30 s, even where operations heed nothing.
func TestSparkDeadDriver(t *testing.T) {
	dir := t.TempDir()
	driver := exec.Command("/proc/self/exe")
	driver.Env = append(os.Environ(), hanging+"="+dir)
	driver.Stderr = os.Stderr
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	defer driver.Wait()
	defer driver.Process.Kill()
	pids := workers(t, dir, 2)
	begin := time.Now()
	driver.Process.Kill()
	ended(t, pids, begin)
}

// workers waits until so many workers stay.
func workers(t *testing.T, dir string, n int) (pids []int) {
	t.Helper()
	for until := time.Now().Add(time.Minute); len(pids) < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%d workers of %d began", len(pids), n)
		}
		pids = nil
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			pid, _ := strconv.Atoi(e.Name())
			pids = append(pids, pid)
		}
	}
	return pids
}

// ended waits until the workers have gone.
func ended(t *testing.T, pids []int, since time.Time) {
	t.Helper()
	for _, pid := range pids {
		for syscall.Kill(pid, 0) == nil {
			if time.Since(since) > 30*time.Second {
				t.Fatalf("worker %d still runs after 30 s", pid)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	t.Logf("the workers were gone after %.1f s", time.Since(since).Seconds())
}
