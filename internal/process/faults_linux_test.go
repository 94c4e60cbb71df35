package process_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/faulttest"
	"github.com/dl4go/dl4go/internal/process"
)

const driverVariable = "PROCESS_TEST_DRIVER" // a directory, for a driver that the test kills

func TestMain(m *testing.M) {
	faulttest.Main()
	if dir := os.Getenv(driverVariable); dir != "" {
		drive(dir)
	}
	os.Exit(m.Run())
}

func kill() {
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// TestFaults injects faults of every kind into processes that use text.
func TestFaults(t *testing.T) {
	noticed := func(silence time.Duration) func(t *testing.T) engine.Engine {
		return func(t *testing.T) engine.Engine {
			return open(t, 2, engine.Options{}, process.Options{Text: true, Silence: silence})
		}
	}
	faulttest.Run(t, faulttest.Engine{Together: 10, Open: noticed(time.Minute), Silence: noticed(3 * time.Second)})
}

// TestKillsInReduce kills workers in the middle of combining rows.
func TestKillsInReduce(t *testing.T) {
	faults := faulttest.Faults()
	partitions := 2 * faults
	_, want := undisturbed(t, partitions)
	dir := t.TempDir()
	e := open(t, 2, engine.Options{}, process.Options{})
	got, err := work(e, partitions).Reduce(context.Background(), join.With(pathConfig{dir, faults}), 2)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("with kills, the reduction is %.60s…, without %.60s…; error %v", got, want, err)
	}
	if n := count(dir); n < faults {
		t.Errorf("there were %d kills, wanted %d", n, faults)
	}
}

// TestEnds: jobs fail with an error that tells how the workers ended.
func TestEnds(t *testing.T) {
	end := func(says ...string) faulttest.Ending {
		return faulttest.Ending{Attempts: 4, Says: append(says, "partition 1, attempt 4, faulttest.ends", "of processes[2]",
			"worker process ")}
	}
	faulttest.RunEnds(t, func(t *testing.T) engine.Engine { return open(t, 2, engine.Options{}, process.Options{}) },
		map[string]faulttest.Ending{
			"killed":       end("was killed (signal 9)", "memory", "batch size"),
			"killed early": end("was killed (signal 9)", "memory", "batch size"),
			"exit 0":       end("ended by itself (exit status 0)", "os.Exit"),
			"crash":        end("crashed (exit status 2): panic: a user's goroutine"),
			"memory":       end("ran out of memory (exit status 2)", "fatal error", "batch size"),
			"disk": {Attempts: 4, Says: []string{"partition 1, attempt 4, faulttest.ends", "of processes[2]",
				"no space left on device", "disk is full"}},
		})
}

// wantGone checks that the given number of workers left marks in a directory, and waits until these have ended.
func wantGone(t *testing.T, dir string, want int) {
	t.Helper()
	if n := faulttest.WantLeftGone(t, dir); n != want {
		t.Errorf("%d workers left a mark, wanted %d", n, want)
	}
}

// started waits until n workers have left marks.
func started(t *testing.T, dir string, n int) {
	t.Helper()
	await.Until(t, fmt.Sprintf("%d workers to start", n), func() (any, bool) {
		started := faulttest.Left(t, dir)
		return started, len(started) >= n
	})
}

// drive is a driver with two workers that wait.
func drive(dir string) {
	e, err := process.New(2, engine.Options{}, process.Options{Silence: time.Hour})
	if err == nil {
		_, err = engine.Parallelize(e, make([][]engine.Row,
			2)).Map(waits.With(waitConfig{Dir: dir})).Count(context.Background())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// TestDriverKilled: no worker outlives its driver.
func TestDriverKilled(t *testing.T) {
	dir := t.TempDir()
	driver := exec.Command(os.Args[0])
	driver.Env = append(os.Environ(), driverVariable+"="+dir)
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	started(t, dir, 2)
	driver.Process.Kill()
	driver.Wait()
	wantGone(t, dir, 2)
}

func TestFullDisk(t *testing.T) {
	faulttest.RunFullDisk(t, func(t *testing.T) engine.Engine { return open(t, 2, engine.Options{}, process.Options{}) },
		"")
}

// TestFullTemp: there is no room for persisted rows on disk, nor for broadcasts.
func TestFullTemp(t *testing.T) {
	dir := t.TempDir()
	faulttest.MountSmall(t, dir, "1m")
	e := open(t, 2, engine.Options{TempDir: dir}, process.Options{})
	big := bytes.Repeat([]byte("rows"), 1<<19)
	d := engine.Parallelize(e, [][]engine.Row{{engine.Unindexed(big)}, {}}).Map(faulttest.Mix("")).Persist(engine.DiskOnly)
	_, kept := d.Count(context.Background())
	_, told := e.Broadcast(context.Background(), big)
	for _, err := range []error{kept, told} {
		if err == nil || !strings.Contains(err.Error(), "no space left on device") ||
			!strings.Contains(err.Error(), "disk is full") ||
			!strings.Contains(err.Error(), dir) {
			t.Errorf("the error is %v", err)
		}
	}
	if err := e.Close(); err != nil || count(dir) != 0 {
		t.Errorf("after that there are %d files; error %v", count(dir), err)
	}
}
