package distributed_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
)

// array writes a .npy file, and returns its URL. The elements are 4 bytes each, of type f4 or i4.
func array(t *testing.T, dir, name, kind, order, shape string, elements any) string {
	t.Helper()
	text := fmt.Sprintf("{'descr': '<%s', 'fortran_order': %s, 'shape': (%s), }\n", kind, order, shape)
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), 0)
	b, err := binary.Append(append(b, text...), binary.LittleEndian, elements)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// numbers returns floats, and classes from 0 to 2.
func numbers(n int) (x []float32, classes []int32) {
	for i := range n {
		x, classes = append(x, float32(i*7%23)/3), append(classes, int32(i*5%3))
	}
	return x, classes
}

// archive writes files into a .npz file, and returns its URL.
func archive(t *testing.T, path string, method uint16, files map[string]string) string {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content, err := os.ReadFile(strings.TrimPrefix(files[name], "file://"))
		if err != nil {
			t.Fatal(err)
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Extra: []byte{9, 9, 1, 0, 0}})
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.SetComment("arrays"), z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// TestArraysOfWorkers: on a cluster, each worker reads the rows of its own from arrays, and their labels. The examples
// are those of one process, for several inputs, Fortran's order, classes that are found, data without labels, and
// arrays in archives.
func TestArraysOfWorkers(t *testing.T) {
	dir := t.TempDir()
	x, classes := numbers(11 * 6)
	left := array(t, dir, "left.npy", "f4", "False", "11, 2, 3", x)
	right := array(t, dir, "right.npy", "f4", "True", "11, 6", x)
	y := array(t, dir, "y.npy", "i4", "False", "11,", classes[:11])
	targets := array(t, dir, "targets.npy", "f4", "False", "11, 2", x[:22])
	files := map[string]string{"x.npy": left, "right.npy": right, "y.npy": y, "targets.npy": targets, "notes.txt": y}
	stored := archive(t, filepath.Join(dir, "stored.npz"), zip.Store, files)
	packed := archive(t, filepath.Join(dir, "packed.npz"), zip.Deflate, files)
	for name, c := range map[string]struct {
		place    string
		settings map[string]string
		o        source.Options
	}{
		"classes":    {left, map[string]string{"labels": y}, source.Options{}},
		"given":      {left, map[string]string{"labels": y, "names": "a,b,c,d"}, source.Options{}},
		"inputs":     {left + "," + right, map[string]string{"labels": y}, source.Options{}},
		"targets":    {right, map[string]string{"labels": targets}, source.Options{}},
		"regression": {right, map[string]string{"labels": y, "regression": "true"}, source.Options{}},
		"unlabelled": {left, map[string]string{"labels": y}, source.Options{Unlabelled: true}},
		"alone":      {left, nil, source.Options{}},
		"stored":     {stored, nil, source.Options{}},
		"packed":     {packed, nil, source.Options{}},
		"named":      {packed, map[string]string{"inputs": "right,x", "labels": "targets"}, source.Options{}},
		"input":      {packed, map[string]string{"inputs": "y"}, source.Options{Unlabelled: true}},
	} {
		n := source.Name{Kind: "npy", Place: c.place, Settings: c.settings}
		s, err := source.OpenName(t.Context(), n, c.o)
		if err != nil {
			t.Fatal(err)
		}
		want := allRows(t, s)
		for _, master := range []string{"local[3]", "processes[2]"} {
			e := &inTables{Engine: onEngine(t, master)}
			if !distributed.ByWorkers(n, c.o) {
				t.Errorf("%s: the workers do not read it", name)
			}
			got, err := distributed.Open(t.Context(), e, n, distributed.OpenOptions{Options: c.o})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			i, j := got.Info(), s.Info()
			i.Schema, j.Schema = nil, nil
			if !reflect.DeepEqual(i, j) {
				t.Errorf("%s: %+v, and in one process %+v", name, i, j)
			}
			if !reflect.DeepEqual(allRows(t, got), want) {
				t.Errorf("%s on %s: other examples than in one process", name, master)
			}
			for _, partitions := range []int{0, 1, 4, 20} {
				sameSpread(t, e, got, partitions, want)
			}
		}
	}
}

// TestPartsOfArrays: parts of arrays that workers read have the examples of parts in one process, and their classes, on
// any number of partitions.
func TestPartsOfArrays(t *testing.T) {
	dir := t.TempDir()
	x, classes := numbers(600 * 2)
	files := map[string]string{"x.npy": array(t, dir, "x.npy", "f4", "False", "600, 2", x),
		"y.npy": array(t, dir, "y.npy", "i4", "False", "600,", classes[:600])}
	n := source.Name{Kind: "npy", Place: archive(t, filepath.Join(dir, "a.npz"), zip.Store, files)}
	all, err := source.OpenName(t.Context(), n, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := &inTables{Engine: onEngine(t, "local[3]")}
	s, err := distributed.Open(t.Context(), e, n, distributed.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	of := s.(interface {
		Subset(name string, at []int) source.Source
		ClassNumbers() ([]int, error)
	})
	found, err := of.ClassNumbers()
	for i, class := range found {
		if class != int(classes[i]) {
			t.Fatalf("row %d has class %d, wanted %d", i, class, classes[i])
		}
	}
	if err != nil || len(found) != 600 {
		t.Fatalf("%d classes, %v", len(found), err)
	}
	for _, at := range [][]int{{599}, {0, 7, 8, 255, 256, 257, 511}, {300, 301, 302, 303}} {
		want := allRows(t, source.Subset(all.(source.Table), "part", at))
		part := of.Subset("part", at)
		if got := allRows(t, part); !reflect.DeepEqual(got, want) || part.Info().Examples != len(at) {
			t.Errorf("%v: %d other examples", at, len(got))
		}
		for _, partitions := range []int{1, 2, 20} {
			d, err := distributed.Spread(t.Context(), e, part, nil, partitions)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := d.Count(t.Context()); err != nil || n != len(at) {
				t.Errorf("%v in %d partitions: %d examples, %v", at, partitions, n, err)
			}
			var got []string
			if err := d.Examples(t.Context(), func(m *data.MultiDataSet) error {
				m.LabelNames = nil
				got = append(got, string(data.AppendRow(nil, m)))
				return nil
			}); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v in %d partitions: %d other examples, %v", at, partitions, len(got), err)
			}
		}
	}
}

// TestBadArchivesOfWorkers: damaged archives, and arrays that are not there, are errors that name the file.
func TestBadArchivesOfWorkers(t *testing.T) {
	dir := t.TempDir()
	x, _ := numbers(40)
	e := &inTables{Engine: onEngine(t, "local[2]")}
	plain := map[string]string{"x.npy": array(t, dir, "x.npy", "f4", "False", "20, 2", x)}
	path := filepath.Join(dir, "a.npz")
	listed := func(b []byte) []byte { return b[bytes.Index(b, []byte("PK\x01\x02")):] }
	for _, c := range []struct {
		harm           func(b []byte) []byte
		stored, packed string // errors; the second is empty if it is the same
	}{
		{func(b []byte) []byte { return b[:len(b)-30] }, "a.npz: it is no .npz file", ""},
		{func(b []byte) []byte { b[0] = 'X'; return b }, "a.npz: array x: it is no .npz file", ""},
		{func(b []byte) []byte { b[bytes.LastIndex(b, []byte("x.npy"))] = 'y'; return b },
			"a.npz: there is no array x: there are y; inputs=NAME and labels=NAME tell which are meant", ""},
		{func(b []byte) []byte { copy(b[bytes.Index(b, []byte("PK\x05\x06"))+12:], "\xff\xff"); return b },
			"a.npz: its directory of 65535 bytes is longer than the 262144 that are looked through", ""},
		{func(b []byte) []byte { listed(b)[10] = 99; return b }, "a.npz: array x: it is packed by method 99", ""},
		{func(b []byte) []byte { listed(b)[27] = 99; return b }, "bytes can't hold the 1660944615 that it claims", ""},
		{func(b []byte) []byte { clear(b[50:90]); return b }, "a.npz: array x: its header is ",
			"array x: it is no .npy file"},
		{func(b []byte) []byte { listed(b)[20] -= 9; return b }, "a.npz: array x: its 222 bytes can't hold the 231",
			"a.npz: array x: unexpected EOF"},
	} {
		for method, want := range map[uint16]string{zip.Store: c.stored, zip.Deflate: cmp.Or(c.packed, c.stored)} {
			archive(t, path, method, plain)
			b, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, c.harm(b), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			n := source.Name{Kind: "npy", Place: "file://" + path}
			if _, err = distributed.Open(t.Context(), e, n, distributed.OpenOptions{}); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("packed by method %d: %v, wanted %s", method, err, want)
			}
		}
	}
}

// allRows returns the examples of a source, one by one.
func allRows(t *testing.T, s source.Source) (rows []string) {
	t.Helper()
	for i := range s.Objects() {
		m, err := s.Object(i)
		if err != nil {
			t.Fatal(err)
		}
		m.LabelNames = nil
		for _, row := range data.ExampleRows(m) {
			rows = append(rows, string(row))
		}
	}
	return rows
}

// TestBadArraysOfWorkers: arrays that are cut off, too long, of different lengths or with bad numbers are errors that
// name the file, before anything is computed.
func TestBadArraysOfWorkers(t *testing.T) {
	dir := t.TempDir()
	x, classes := numbers(20)
	e := &inTables{Engine: onEngine(t, "local[2]")}
	bad := append([]float32{}, x...)
	bad[13] = float32(math.Inf(1))
	x102 := array(t, dir, "x.npy", "f4", "False", "10, 2", x)
	few := array(t, dir, "y.npy", "i4", "False", "7,", classes[:7])
	negative := array(t, dir, "z.npy", "i4", "False", "10,", append(classes[:7:7], -3, 1, 1))
	for want, c := range map[string]struct{ x, y string }{
		"short.npy: rows 6 to 10":          {array(t, dir, "short.npy", "f4", "False", "10, 2", x[:19]), ""},
		"long.npy: rows 5 to 8":            {array(t, dir, "long.npy", "f4", "False", "8, 2", x[:17]), ""},
		"y.npy: it has 7 rows, and ":       {x102, few},
		"z.npy: row 8: the label -3 is no": {x102, negative},
		"text.npy: it is no .npy file":     {"file://" + filepath.Join(dir, "text.npy"), ""},
		"inf.npy":                          {array(t, dir, "inf.npy", "f4", "False", "10, 2", bad), ""},
	} {
		if err := os.WriteFile(filepath.Join(dir, "text.npy"), []byte("no array of numbers"), 0o600); err != nil {
			t.Fatal(err)
		}
		n := source.Name{Kind: "npy", Place: c.x, Settings: map[string]string{}}
		if c.y != "" {
			n.Settings["labels"] = c.y
		}
		_, err := distributed.Open(t.Context(), e, n, distributed.OpenOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, wanted %s", err, want)
		}
	}
	if _, err := engine.ReadCuts(e, [][]string{{"a", "b"}}, [][]engine.Cut{{{}}}).Count(t.Context()); err == nil {
		t.Error("two files have one piece")
	}
}
