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

// Armed is faults that wait for their tasks.
type Armed struct {
	t     *testing.T
	marks string
	file  string
	n     int
}

// order is what the file says that arms faults.
type order struct {
	Driver Process // the process that armed them; they are disarmed when it is no more
	Marks  string  // a folder: what has happened has a file there
	Faults []Fault
}

// folder is where orders lie, by build: the workers of a driver are of its build. Their file may lack symbols, and its
// header then differs, so the build is identified by the part after the header, which has the build's own identity.
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

// Arm has the faults happen to workers of this program on this machine, until the test ends or disarms them.
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

// Disarm ends it. What has happened stays known.
func (a *Armed) Disarm() {
	os.Remove(a.file)
	os.Remove(filepath.Dir(a.file)) // the last one takes the folder along
}

// Happened gives the workers to whom a fault has happened.
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

// WantHappened wants all faults to have happened, and gives their workers.
func (a *Armed) WantHappened() []Process {
	a.t.Helper()
	all := a.Happened()
	if len(all) != a.n {
		a.t.Errorf("%d faults happened, wanted %d", len(all), a.n)
	}
	return all
}

// Continue lets workers go on that were stopped and that nobody has killed.
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

// The files of a fault in the folder of marks: its number, and one of these.
const (
	happened = ".happened"
	passed   = ".passed." // and a number
	held     = ".held"    // a late output
)

// live is a fault as a worker knows it.
type live struct {
	Fault
	path string // of its marks
}

// orders gives the faults that are armed now.
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

// concerns says whether the fault is for this task. A replacement for a late attempt is asked about too.
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

// claim is true once.
func (f live) claim() bool {
	b, err := json.Marshal(self())
	return err == nil && mark(f.path+happened, b)
}

// hold keeps an output that is to be late.
func (f live) hold(output []byte) error { return os.WriteFile(f.path+held, output, 0o600) }

// late gives the output that was held back, once.
func (f live) late() ([]byte, error) {
	taken := fmt.Sprintf("%s.taken", f.path)
	if err := os.Rename(f.path+held, taken); err != nil {
		return nil, err
	}
	return os.ReadFile(taken)
}

// mark makes a file, complete or not at all, and says whether it was not there.
func mark(path string, content []byte) bool {
	draft := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.WriteFile(draft, content, 0o600); err != nil {
		return false
	}
	defer os.Remove(draft)
	return os.Link(draft, path) == nil
}
