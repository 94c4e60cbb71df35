package process_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/process"
	"github.com/dl4go/dl4go/engine/worker"
)

const (
	faultVariable  = "PROCESS_TEST_FAULT"  // a fault, then the directory of its marks
	driverVariable = "PROCESS_TEST_DRIVER" // a directory, for a driver that is to be killed
)

func TestMain(m *testing.M) {
	if how, dir, ok := strings.Cut(os.Getenv(faultVariable), " "); ok && os.Getenv(engine.WorkerVariable) != "" {
		worker.Main(worker.Text, func(s worker.Streams) worker.Streams {
			s.Out = &damaged{to: s.Out.(*os.File), how: how, dir: dir}
			return s
		})
	}
	engine.Main()
	if dir := os.Getenv(driverVariable); dir != "" {
		drive(dir)
	}
	os.Exit(m.Run())
}

func kill() {
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// damaged is a worker's output to which, once for each partition, something happens.
type damaged struct {
	to       *os.File
	how, dir string
	held     []byte // of an answer that is not complete
}

func (d *damaged) Write(b []byte) (int, error) {
	d.held = append(d.held, b...)
	lines := strings.SplitAfter(string(d.held), "\n")
	lines = lines[:len(lines)-1]
	columns := strings.Split(lines[len(lines)-1], "\t")
	if columns[3] == "h" {
		d.held = d.held[:len(d.held)-len(lines[len(lines)-1])]
		_, err := io.WriteString(d.to, lines[len(lines)-1])
		return len(b), err
	}
	if columns[3] != "c" {
		return len(b), nil
	}
	d.held = nil
	f, err := os.OpenFile(filepath.Join(d.dir, columns[0]), os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		_, err := io.WriteString(d.to, strings.Join(lines, ""))
		return len(b), err
	}
	fmt.Fprint(f, os.Getpid())
	f.Close()
	d.damage(lines)
	return len(b), nil
}

func (d *damaged) damage(lines []string) {
	write := func(lines ...string) { io.WriteString(d.to, strings.Join(lines, "")) }
	last := len(lines) - 1
	half := last / 2
	switch d.how {
	case "killed-before-the-first-row":
		kill()
	case "killed-among-the-rows":
		write(lines[:half]...)
		kill()
	case "killed-before-the-commit":
		write(lines[:last]...)
		kill()
	case "killed-after-the-commit":
		write(lines...)
		kill()
	case "cut-in-a-row":
		write(lines[:half]...)
		write(lines[half][:len(lines[half])/2])
		kill()
	case "exit-0":
		write(lines[:last]...)
		os.Exit(0)
	case "garbage":
		write(lines[:half]...)
		write("hello, world\n")
		write(lines[half:]...)
	case "garbage-after-the-commit":
		write(lines...)
		write("hello, world\n")
	case "a-row-lost":
		write(lines[1:]...)
	case "another-partition":
		write(lines[:half]...)
		write("7" + lines[half])
		write(lines[half+1:]...)
	case "stopped":
		write(lines[:half]...)
		syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	case "hangs-with-its-output-closed":
		write(lines[:last]...)
		d.to.Close()
		select {}
	}
}

// TestFaults makes each fault once in each of many partitions. The result is that of an undisturbed run.
func TestFaults(t *testing.T) {
	for how, n := range map[string]int{
		"killed-before-the-first-row": faults, "killed-among-the-rows": faults, "killed-before-the-commit": faults,
		"killed-after-the-commit": faults, "cut-in-a-row": faults, "exit-0": faults, "garbage": faults,
		"garbage-after-the-commit": faults, "a-row-lost": faults, "another-partition": faults,
		"stopped": faults / 5, "hangs-with-its-output-closed": faults / 5,
	} {
		t.Run(how, func(t *testing.T) {
			want, _ := undisturbed(t, n)
			dir := t.TempDir()
			t.Setenv(faultVariable, how+" "+dir)
			e := open(t, 2, engine.Options{}, process.Options{Framing: worker.Text, Silence: time.Second})
			expect(t, e, want)
			if count(dir) != n {
				t.Errorf("there were %d faults, wanted %d", count(dir), n)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			for p := range n {
				b, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(p)))
				if pid, _ := strconv.Atoi(string(b)); err != nil || !gone(pid) {
					t.Errorf("partition %d: worker %s still runs, or error %v", p, b, err)
				}
			}
		})
	}
}

// TestKillsInReduce kills workers while they combine rows.
func TestKillsInReduce(t *testing.T) {
	partitions := 2 * faults
	_, want := undisturbed(t, partitions)
	dir := t.TempDir()
	e := open(t, 2, engine.Options{}, process.Options{})
	got, err := work(e, partitions).Reduce(context.Background(), join.With(pathConfig{dir}), 2)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("with kills, the reduction is %.60s…, without %.60s…; error %v", got, want, err)
	}
	if n := count(dir); n < faults {
		t.Errorf("there were %d kills, wanted %d", n, faults)
	}
}

// TestFourthFault wants the job to fail with the worker's own end as the cause.
func TestFourthFault(t *testing.T) {
	e := open(t, 1, engine.Options{}, process.Options{})
	dies := engine.Parallelize(e, make([][]engine.Row, 1)).Map(suicide.With(struct{}{}))
	_, err := dies.Count(context.Background())
	for _, want := range []string{"partition 0, attempt 4", "slot 0 of processes[1]", "process_test.suicide", "worker process ", "was killed", "famous last words"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, which lacks %q", err, want)
		}
	}
}

var suicide = engine.Register("process_test.suicide", func(*engine.Task, struct{}, engine.Rows, engine.Writer) error {
	fmt.Println("famous last words")
	kill()
	return nil
})

// gone says whether there is no such process, or only its exit status is left.
func gone(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(state, "Z")
}

// wantGone wants the processes to end after which the files of a directory are named.
func wantGone(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		t.Fatalf("no worker left its number: %v", err)
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		for start := time.Now(); !gone(pid); runtime.Gosched() {
			if time.Since(start) > 10*time.Second {
				t.Fatalf("worker %d still runs", pid)
			}
		}
	}
}

// drive is a driver with two workers that wait.
func drive(dir string) {
	e, err := process.New(2, engine.Options{}, process.Options{})
	if err == nil {
		_, err = engine.Parallelize(e, make([][]engine.Row, 2)).Map(waits.With(waitConfig{Dir: dir})).Count(context.Background())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// TestDriverKilled wants no worker to outlive its driver.
func TestDriverKilled(t *testing.T) {
	dir := t.TempDir()
	driver := exec.Command(os.Args[0])
	driver.Env = append(os.Environ(), driverVariable+"="+dir)
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); count(dir) < 2; runtime.Gosched() {
		if time.Since(start) > 20*time.Second {
			t.Fatal("the driver's workers did not start")
		}
	}
	driver.Process.Kill()
	driver.Wait()
	wantGone(t, dir)
}
