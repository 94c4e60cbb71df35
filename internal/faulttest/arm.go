package faulttest

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/worker"
)

// Armed is a set of faults that wait for their tasks. [Arm] makes one.
type Armed struct {
	t     *testing.T
	marks string
	file  string
	n     int
}

// order is the content of the file that arms faults.
type order struct {
	Driver Process // the process that armed the faults; its end disarms them
	Marks  string  // the folder in which each fault that has happened gets a file
	Faults []Fault
}

// folder returns the folder of the order files for this build. A driver's workers are of the same build. Their
// executable may lack symbols, which changes its header. The build is therefore identified by the bytes after the
// header, which include the build ID.
func folder() (string, error) {
	path, err := worker.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	const header, told = 64, 1 << 20
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, header, told)); err != nil {
		return "", err
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("dl4go-faults-%.16x", h.Sum(nil))), nil
}

// Arm makes the faults happen to this program's workers on this machine. They stay armed until the test ends or calls
// Disarm.
func Arm(t *testing.T, faults ...Fault) *Armed {
	t.Helper()
	dir, err := folder()
	must(t, err)
	must(t, os.MkdirAll(dir, 0o700))
	a := &Armed{t: t, marks: t.TempDir(), n: len(faults)}
	b, err := json.Marshal(order{self(), a.marks, faults})
	must(t, err)
	f, err := os.CreateTemp(dir, "writing-")
	must(t, err)
	_, err = f.Write(b)
	must(t, errors.Join(err, f.Close()))
	a.file = filepath.Join(dir, "order-"+filepath.Base(f.Name()))
	must(t, os.Rename(f.Name(), a.file))
	t.Cleanup(a.Disarm)
	return a
}

// Disarm disarms the faults. [Armed.Happened] still reports those that have happened.
func (a *Armed) Disarm() {
	os.Remove(a.file)
	os.Remove(filepath.Dir(a.file)) // this removes the folder if it is empty
}

// Happened returns the workers to which a fault has happened.
func (a *Armed) Happened() []Process {
	a.t.Helper()
	entries, err := os.ReadDir(a.marks)
	must(a.t, err)
	var all []Process
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), happened) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(a.marks, e.Name()))
		must(a.t, err)
		var p Process
		must(a.t, json.Unmarshal(b, &p))
		all = append(all, p)
	}
	return all
}

// WantHappened reports a test error unless all faults have happened. It returns their workers.
func (a *Armed) WantHappened() []Process {
	a.t.Helper()
	all := a.Happened()
	if len(all) != a.n {
		a.t.Errorf("%d faults happened, wanted %d", len(all), a.n)
	}
	return all
}

// Continue resumes the stopped workers that are still alive.
func (a *Armed) Continue() {
	a.t.Helper()
	for _, p := range a.Happened() {
		if !p.Gone() {
			must(a.t, resume(p.PID))
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The files of a fault in the folder of marks are named by its number and one of these suffixes.
const (
	happened = ".happened"
	passed   = ".passed." // followed by a number
	held     = ".held"    // the output of a late attempt
)

// live is a fault as a worker sees it.
type live struct {
	Fault
	path string // the path of its marks, without the suffix
}

// orders returns the faults that are armed now.
func orders() ([]live, error) {
	dir, err := folder()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "order-*"))
	var all []live
	for _, file := range files {
		b, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var o order
		if err = cmp.Or(err, json.Unmarshal(b, &o)); err != nil {
			return nil, err
		}
		if o.Driver.Gone() {
			continue
		}
		for i, f := range o.Faults {
			all = append(all, live{f, filepath.Join(o.Marks, strconv.Itoa(i))})
		}
	}
	return all, err
}

// concerns reports whether the fault is for this task. A late fault that has happened is also for the next attempt,
// which writes the late output.
func (f live) concerns(t worker.Task) bool {
	partition := t.Partition
	if t.Output != nil {
		partition = *t.Output
	}
	if f.Task != "" && f.Task != t.Name() || f.Partition != Any && f.Partition != partition || f.over() && f.Deed != Late {
		return false
	}
	for n := range f.Nth {
		if mark(f.path+passed+strconv.Itoa(n), nil) {
			return false
		}
	}
	return true
}

func (f live) over() bool {
	_, err := os.Stat(f.path + happened)
	return err == nil
}

// claim marks the fault as happened. It returns true to the first caller only.
func (f live) claim() bool {
	b, err := json.Marshal(self())
	return err == nil && mark(f.path+happened, b)
}

// hold stores the output of a late attempt.
func (f live) hold(output []byte) error { return os.WriteFile(f.path+held, output, 0o600) }

// late returns the stored output. It does so once, then fails.
func (f live) late() ([]byte, error) {
	taken := fmt.Sprintf("%s.taken", f.path)
	if err := os.Rename(f.path+held, taken); err != nil {
		return nil, err
	}
	return os.ReadFile(taken)
}

// mark makes a file with the content atomically. It returns false if the file exists or cannot be made.
func mark(path string, content []byte) bool {
	draft := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.WriteFile(draft, content, 0o600); err != nil {
		return false
	}
	defer os.Remove(draft)
	return os.Link(draft, path) == nil
}
