package distributed_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
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

// TestArraysOfWorkers: on a cluster, each worker reads the rows of its own from arrays, and their labels. The examples
// are those of one process, for several inputs, Fortran's order, classes that are found, and data without labels.
func TestArraysOfWorkers(t *testing.T) {
	dir := t.TempDir()
	x, classes := numbers(11 * 6)
	left := array(t, dir, "left.npy", "f4", "False", "11, 2, 3", x)
	right := array(t, dir, "right.npy", "f4", "True", "11, 6", x)
	y := array(t, dir, "y.npy", "i4", "False", "11,", classes[:11])
	targets := array(t, dir, "targets.npy", "f4", "False", "11, 2", x[:22])
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
	} {
		n := source.Name{Kind: "npy", Place: c.place, Settings: c.settings}
		s, err := source.OpenName(t.Context(), n, c.o)
		if err != nil {
			t.Fatal(err)
		}
		want := allRows(t, s)
		for _, master := range []string{"local[3]", "processes[2]"} {
			e := &inTables{Engine: onEngine(t, master)}
			if !distributed.ByWorkers(n, c.o) || distributed.ByWorkers(n, source.Options{Drawn: true}) {
				t.Errorf("%s: the workers do not read it, or read what examples are drawn from", name)
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
				d, err := distributed.Spread(t.Context(), e, got, nil, partitions)
				if err != nil {
					t.Fatal(err)
				}
				var all []string
				if err := d.Examples(t.Context(), func(m *data.MultiDataSet) error {
					m.LabelNames = nil
					all = append(all, string(data.AppendRow(nil, m)))
					return nil
				}); err != nil || !reflect.DeepEqual(all, want) {
					t.Errorf("%s in %d partitions: %d examples, %v", name, partitions, len(all), err)
				}
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
