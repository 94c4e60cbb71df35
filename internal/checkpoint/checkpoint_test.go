package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
)

type about struct{ Step int }

func keep(t *testing.T, d *Directory, step int) {
	t.Helper()
	if err := d.Keep(context.Background(), about{step}, []dl4j.Entry{model(step)}); err != nil {
		t.Fatal(err)
	}
}

func model(step int) dl4j.Entry {
	return dl4j.BytesEntry(dl4j.ConfigurationEntry, fmt.Append(nil, "model ", step))
}

// last expects the checkpoint of a step, after a number of newer damaged ones.
func last(t *testing.T, d *Directory, step, damaged int) {
	t.Helper()
	var a about
	file, bad, err := d.Last(context.Background(), &a)
	if err != nil {
		t.Fatal(err)
	}
	m, err := dl4j.ReadModel(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Configuration()
	if err != nil {
		t.Fatal(err)
	}
	if a.Step != step || string(got) != fmt.Sprint("model ", step) || len(bad) != damaged {
		t.Errorf("got step %d with %q and the damaged ones %v; want step %d and %d of those", a.Step, got, bad, step, damaged)
	}
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestTwoStay: the last two checkpoints stay, and numbers continue over runs.
func TestTwoStay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a [new] directory")
	d, err := Create(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for step := range 3 {
		keep(t, d, step)
		last(t, d, step, 0)
	}
	if _, err := Open(t.Context(), dir, Options{}); !errors.Is(err, ErrInUse) {
		t.Errorf("opened twice, the error is %v", err)
	}
	d.Close(context.Background())
	if _, err := Create(t.Context(), dir, Options{}); !errors.Is(err, ErrExists) {
		t.Errorf("a new run where another one's checkpoints are: %v", err)
	}
	if d, err = Open(t.Context(), dir, Options{}); err != nil {
		t.Fatal(err)
	}
	defer d.Close(context.Background())
	last(t, d, 2, 0)
	keep(t, d, 3)
	last(t, d, 3, 0)
	if got, want := names(t, dir), []string{".lock", "checkpoint-000001-000003.zip",
		"checkpoint-000002-000004.zip"}; !slices.Equal(got, want) {
		t.Errorf("there are %v, want %v", got, want)
	}
}

// TestNamesOfBefore: a file without a token is older than one with a token.
func TestNamesOfBefore(t *testing.T) {
	dir := t.TempDir()
	d, err := Create(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	keep(t, d, 0)
	keep(t, d, 1)
	d.Close(context.Background())
	for n := range 2 {
		at := func(name string) string { return filepath.Join(dir, fmt.Sprintf(name, n+1)) }
		if err := os.Rename(at("checkpoint-000001-%06d.zip"), at("checkpoint-%06d.zip")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Create(t.Context(), dir, Options{}); !errors.Is(err, ErrExists) {
		t.Errorf("a new run where another one's checkpoints are: %v", err)
	}
	if d, err = Open(t.Context(), dir, Options{}); err != nil {
		t.Fatal(err)
	}
	defer d.Close(context.Background())
	last(t, d, 1, 0)
	keep(t, d, 2)
	last(t, d, 2, 0)
	if got, want := names(t, dir), []string{".lock", "checkpoint-000001-000003.zip",
		"checkpoint-000002.zip"}; !slices.Equal(got, want) {
		t.Errorf("there are %v, want %v", got, want)
	}
}

// TestDamaged: however the newest file is damaged, the one before is read. A file that a killed run was writing is
// ignored.
func TestDamaged(t *testing.T) {
	for name, damage := range map[string]func(b []byte) []byte{
		"empty": func([]byte) []byte { return nil },
		"cut":   func(b []byte) []byte { return b[:len(b)-1] },
		"half":  func(b []byte) []byte { return b[:len(b)/2] },
		"about": func(b []byte) []byte { b[slices.Index(b, 'S')]++; return b },
		"link":  func([]byte) []byte { return nil },
		"model": func(b []byte) []byte { b[strings.Index(string(b), "model 1")+6]++; return b },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			d, err := Create(t.Context(), dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			keep(t, d, 0)
			keep(t, d, 1)
			d.Close(context.Background())
			file := filepath.Join(dir, "checkpoint-000001-000002.zip")
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			half := filepath.Join(dir, ".checkpoint-000001-000003.zip.0123abcd.tmp")
			if err := errors.Join(os.WriteFile(half, b, 0o666), os.WriteFile(file, damage(b), 0o666)); err != nil {
				t.Fatal(err)
			}
			if name == "link" { // that leads to nothing
				if err := errors.Join(os.Remove(file), os.Symlink("nothing", file)); err != nil {
					t.Fatal(err)
				}
			}
			if d, err = Open(t.Context(), dir, Options{}); err != nil {
				t.Fatal(err)
			}
			defer d.Close(context.Background())
			last(t, d, 0, 1)
			if slices.Contains(names(t, dir), filepath.Base(half)) {
				t.Error("half a checkpoint is still there")
			}
			keep(t, d, 2)
			last(t, d, 2, 0)
			if got, want := names(t, dir), []string{".lock", "checkpoint-000001-000001.zip",
				"checkpoint-000002-000003.zip"}; !slices.Equal(got, want) {
				t.Errorf("there are %v, want %v", got, want)
			}
		})
	}
}

// TestNone: the errors tell a missing or empty directory, and one with only damaged checkpoints, from others.
func TestNone(t *testing.T) {
	var none *NoneError
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "nowhere"), dir} {
		if _, err := Open(t.Context(), path, Options{}); !errors.As(err, &none) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if names := names(t, dir); len(names) > 0 {
		t.Errorf("looking has left %v", names)
	}
	file := filepath.Join(dir, "checkpoint-000001-000001.zip")
	if err := os.WriteFile(file, []byte("PK"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), file, Options{}); err == nil || !strings.Contains(err.Error(), "is a file") {
		t.Errorf("a file: %v", err)
	}
	d, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close(context.Background())
	if _, _, err := d.Last(context.Background(), &about{}); !errors.As(err, &none) || len(none.Damaged) != 1 ||
		!strings.Contains(err.Error(), file) {
		t.Errorf("all damaged: %v", err)
	}
}

// held is a lease that can be lost.
type held struct {
	token int64
	err   error
}

func (h *held) Token() int64                  { return h.token }
func (h *held) Verify(context.Context) error  { return h.err }
func (h *held) Lost() <-chan struct{}         { return nil }
func (h *held) Release(context.Context) error { return nil }
func (h *held) Remove(context.Context) error  { return nil }

// TestRunThatLostTheDirectory: what the run still writes is not mistaken for the checkpoints of the directory's new
// run, and replaces none of them. Once it knows, it writes nothing.
func TestRunThatLostTheDirectory(t *testing.T) {
	dir := t.TempDir()
	first := &held{token: 9}
	old := &Directory{path: dir, lease: first, damaged: map[name]bool{}}
	for step := range 3 {
		keep(t, old, step)
	}
	now := &Directory{path: dir, lease: &held{token: 10}, last: 3, damaged: map[name]bool{}}
	last(t, now, 2, 0)
	keep(t, old, 3)
	last(t, now, 3, 0)
	keep(t, now, 20)
	for step := range 5 {
		keep(t, old, 4+step)
		last(t, now, 20, 0)
	}
	keep(t, now, 21)
	first.err = ErrLost
	before := names(t, dir)
	if err := old.Keep(context.Background(), about{9}, []dl4j.Entry{model(9)}); !errors.Is(err, ErrLost) {
		t.Errorf("it has lost the directory: %v", err)
	}
	if got, want := names(t, dir), []string{"checkpoint-000010-000004.zip",
		"checkpoint-000010-000005.zip"}; !slices.Equal(got, want) || !slices.Equal(before, want) {
		t.Errorf("there are %v, before %v, want %v", got, before, want)
	}
	last(t, now, 21, 0)
}

// TestFailedWrite: a failed write leaves the checkpoints as they are.
func TestFailedWrite(t *testing.T) {
	dir := t.TempDir()
	d, err := Create(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close(context.Background())
	keep(t, d, 0)
	full := errors.New("no space left")
	half := dl4j.Entry{Name: dl4j.CoefficientsEntry, Write: func(io.Writer) error { return full }}
	if err := d.Keep(context.Background(), about{1}, []dl4j.Entry{model(1), half}); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	last(t, d, 0, 0)
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("there are %v", got)
	}
}
