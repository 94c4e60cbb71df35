package slots_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/local"
	"github.com/dl4go/dl4go/internal/slots"
)

// TestRunsOfAKilledProcess checks that the directory of a killed process is told apart from that of a live process and
// from one without an owner. Only the first can be removed.
func TestRunsOfAKilledProcess(t *testing.T) {
	dir := t.TempDir()
	start := func() (*exec.Cmd, string) {
		c := exec.Command(os.Args[0], "-test.run=^TestHoldRunDir$")
		c.Env = append(os.Environ(), "DL4GO_TEST_HOLD="+dir)
		in, _ := c.StdinPipe()
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { in.Close(); c.Wait() })
		path, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return c, path[:len(path)-1]
	}
	killed, left := start()
	killed.Process.Kill()
	killed.Wait()
	_, living := start()
	kept, err := slots.NewRunDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(kept.Path, "x"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := kept.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"dl4go_run_x", "other"} {
		if err := os.Mkdir(filepath.Join(dir, other), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(left, filepath.Join(dir, "dl4go_run_20261102t040405_01234567")); err != nil {
		t.Fatal(err)
	}
	e := local.New(1, engine.Options{TempDir: dir})
	runs, err := e.(engine.Cleaner).Runs(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != 2 {
		t.Fatalf("%+v", runs)
	}
	for _, r := range runs {
		want := engine.OwnerLives
		if r.Place == left {
			want = engine.OwnerGone
		}
		if r.Owner != want || r.Bytes != 3 {
			t.Errorf("%+v, wanted owner %d and 3 bytes", r, want)
		}
		if err := e.(engine.Cleaner).RemoveRun(t.Context(), r); (err == nil) != (r.Place == left) {
			t.Errorf("removing %+v: %v", r, err)
		}
	}
	for path, why := range map[string]string{kept.Path: "kept", left: "no longer there", living: "lives"} {
		err := e.(engine.Cleaner).RemoveRun(t.Context(), engine.Run{Name: filepath.Base(path), Place: path})
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("removing %s: %v, wanted %q", path, err, why)
		}
	}
	for _, wrong := range []string{dir, filepath.Join(dir, "other"), "/"} {
		if err := e.(engine.Cleaner).RemoveRun(t.Context(), engine.Run{Name: "", Place: wrong}); err == nil {
			t.Errorf("%s can be removed", wrong)
		}
	}
	there, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || slices.Contains(there, left) || !slices.Contains(there, living) || len(there) != 5 {
		t.Errorf("there are %v, error %v", there, err)
	}
}

// TestHoldRunDir is a process of TestRunsOfAKilledProcess. It holds a directory until its input ends.
func TestHoldRunDir(t *testing.T) {
	under := os.Getenv("DL4GO_TEST_HOLD")
	if under == "" {
		return // TestRunsOfAKilledProcess has not started it
	}
	dir, err := slots.NewRunDir(under)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir.Path, "partition"), []byte("xyz"), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString(dir.Path + "\n")
	os.Stdin.Read(make([]byte, 1))
	dir.Remove(t.Context())
}

// TestRunDirTakesItsBaseAlong checks that a base directory made for a run is removed with it, and that the user's own
// stays.
func TestRunDirTakesItsBaseAlong(t *testing.T) {
	dir := t.TempDir()
	for base, stays := range map[string]bool{dir: true, filepath.Join(dir, "new"): false} {
		r, err := slots.NewRunDir(base)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := r.Remove(t.Context()); err != nil {
			t.Errorf("removing twice: %v", err)
		}
		if _, err := os.Stat(base); (err == nil) != stays {
			t.Errorf("%s: %v", base, err)
		}
	}
}

// TestKilledBeforeTheLock checks a directory whose owner was killed while making the lock. It is listed as a run's,
// with an unknown owner.
func TestKilledBeforeTheLock(t *testing.T) {
	dir := t.TempDir()
	e := local.New(1, engine.Options{TempDir: dir})
	for _, name := range []string{"", ".lock.new"} {
		path := filepath.Join(dir, engine.RunName(time.Now()))
		if err := os.Mkdir(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if name != "" {
			if err := os.WriteFile(filepath.Join(path, name), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		runs, err := e.(engine.Cleaner).Runs(t.Context(), "")
		if err != nil || len(runs) != 1 || runs[0].Owner != engine.OwnerUnknown {
			t.Fatalf("with %q: %+v, error %v", name, runs, err)
		}
		if err := e.(engine.Cleaner).RemoveRun(t.Context(), runs[0]); err != nil {
			t.Error(err)
		}
	}
}
