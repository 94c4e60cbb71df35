package hdf5

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/mutate"
)

// readAll reads everything in a file.
func readAll(b []byte) error {
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	root, err := f.Root()
	if err != nil {
		return err
	}
	return readGroup(root, 0)
}

func readGroup(g *Group, depth int) (first error) {
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	note(g.attributes(func(a *Attribute) bool {
		if a.typ.kind == text || a.typ.kind == fixedText {
			_, err := a.Texts()
			note(err)
		}
		return false
	}))
	for _, name := range g.Names() {
		o, err := g.member(name)
		if err != nil {
			note(err)
			continue
		}
		if o.find(layoutMessage) == nil {
			in, err := o.group()
			if note(err); err == nil && depth < 10 {
				note(readGroup(in, depth+1))
			}
			continue
		}
		a, err := o.array()
		if note(err); err == nil {
			if note(a.Held()); first == nil {
				_, err = a.Floats()
				note(err)
			}
		}
	}
	return first
}

// check reads a damaged file: no panic, errors of the right type, and no more memory than the file justifies.
func check(t testing.TB, what string, b []byte) bool {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := readAll(b)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20+64*uint64(len(b)) {
		t.Errorf("%s: %d bytes took %d bytes of memory", what, len(b), took)
	}
	var e *Error
	if err != nil && !errors.As(err, &e) {
		t.Errorf("%s: %T %v is not an Error", what, err, err)
	}
	return err == nil
}

func sound(t testing.TB) (all [][]byte, names []string) {
	paths, err := filepath.Glob("testdata/*.h5")
	if err != nil || len(paths) == 0 {
		t.Fatal("no files", err)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(p, "groups") { // many small arrays: slow
			continue
		}
		all, names = append(all, b), append(names, p)
	}
	return all, names
}

// TestMutated damages files of both formats.
func TestMutated(t *testing.T) {
	all, names := sound(t)
	mutants := campaign.Count(500, 3_000, 10_000)
	campaign.Record(t).Add(mutants)
	read := 0
	for i := range mutants {
		k := i % len(all)
		if check(t, names[k], mutate.Bytes(all[k], uint64(i))) {
			read++
		}
	}
	if read == 0 || read > mutants*3/4 {
		t.Errorf("%d of %d damaged files are read: the damage does not test much", read, mutants)
	}
}

// FuzzFile reads any bytes.
func FuzzFile(f *testing.F) {
	all, _ := sound(f)
	for _, b := range all {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { check(t, "a file", b) })
}
