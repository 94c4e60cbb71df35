package source_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
)

func libSVMFile(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "points.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLibSVM reads the same files as MLlib's loadLibSVMFile: indices from 1, missing features as 0, comments, empty
// lines.
func TestLibSVM(t *testing.T) {
	path := libSVMFile(t, "# points\n1 1:1.5 3:-2e1 5:0.25\n\n  0\t2:4 # the second\r\n+2 qid:7 4:1\n0\n")
	for _, c := range []struct {
		options string
		labels  [][]float32
		names   []string
		size    int
	}{
		{"", [][]float32{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 0}}, []string{"0", "1", "2"}, 5},
		{"?classes=4&features=6", [][]float32{{0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 1, 0}, {1, 0, 0, 0}}, nil, 6},
		{"?labels=2,1,0", [][]float32{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 0, 1}}, []string{"2", "1", "0"}, 5},
		{"?regression=true&features=5", [][]float32{{1}, {0}, {2}, {0}}, nil, 5},
	} {
		s, err := source.Open(t.Context(), "libsvm:"+path+c.options)
		if err != nil {
			t.Fatal(err)
		}
		info := s.Info()
		if info.Examples != 4 || !slices.Equal(info.Features[0], []int{c.size}) || !slices.Equal(info.LabelNames, c.names) ||
			info.Labels[0][0] != len(c.labels[0]) || info.Name != "libsvm:"+path+c.options {
			t.Errorf("%s: %+v", c.options, info)
		}
		want := [][]float32{{1.5, 0, -20, 0, 0.25, 0}, {0, 4, 0, 0, 0, 0}, {0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 0, 0}}
		for i := range 4 {
			m, err := s.Object(i)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(m.Features[0].Data, want[i][:c.size]) || !slices.Equal(m.Labels[0].Data, c.labels[i]) {
				t.Errorf("%s: example %d is %v, %v", c.options, i, m.Features[0].Data, m.Labels[0].Data)
			}
		}
	}
}

// TestReadLibSVM: ReadLibSVM returns one by one the examples that OpenLibSVM holds in memory.
func TestReadLibSVM(t *testing.T) {
	const text = "-1 1:0.5 7:1\n1 2:1\n"
	o := source.LibSVM{Features: 9, Labels: []float64{-1, 1}}
	whole, err := source.OpenLibSVM(t.Context(), libSVMFile(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	var rows []*data.MultiDataSet
	err = source.ReadLibSVM("x", strings.NewReader(text), o, func(m *data.MultiDataSet) error {
		rows = append(rows, m)
		return nil
	})
	if err != nil || len(rows) != 2 {
		t.Fatal(len(rows), err)
	}
	for i, m := range rows {
		w, _ := whole.Object(i)
		if !slices.Equal(data.AppendRow(nil, m), data.AppendRow(nil, w)) {
			t.Errorf("example %d is %v, wanted %v", i, m, w)
		}
	}
	stop := errors.New("enough")
	if err := source.ReadLibSVM("x", strings.NewReader(text), o,
		func(*data.MultiDataSet) error { return stop }); err != stop {
		t.Error(err)
	}
}

// TestLibSVMErrors: errors name the file, the line and the problem, also for lines that MLlib refuses.
func TestLibSVMErrors(t *testing.T) {
	for _, c := range []struct{ text, options, want string }{
		{"1 1:1\n0 0:1\n", "", ":2: the index 0: indices begin at 1"},
		{"1 3:1 2:1\n", "", ":1: the index 2 comes after 3: indices must ascend"},
		{"1 3:1 3:1\n", "", ":1: the index 3 is there twice"},
		{"1 1:1\n1 x:2\n", "", `:2: "x:2" is not INDEX:VALUE`},
		{"1 1:1\n1 4\n", "", `:2: "4" is not INDEX:VALUE`},
		{"1 1:1\n1 1:one\n", "", `:2: index 1: "one" is not a finite number`},
		{"1 1:NaN\n", "", `:1: index 1: "NaN" is not a finite number`},
		{"one 1:1\n", "", `:1: the label "one" is not a finite number`},
		{"1 9:1\n", "?features=8", ":1: the index 9 is beyond features=8"},
		{"0 1:1\n3 1:1\n", "?classes=3", ":2: the label 3 is out of range: classes=3 allows 0 to 2"},
		{"-1 1:1\n", "?classes=2", ":1: the label -1 is out of range"},
		{"0.5 1:1\n", "", ":1: the label 0.5 is not a class: say regression=true"},
		{"5 1:1\n", "?labels=-1,1", ":1: the label 5 is none of labels=-1,1"},
		{"# nothing\n", "", "there are no examples in it"},
		{"1\n", "", "its largest index is 0: say with features=N"},
		{"1 2000000000:1\n", "", "its largest index is 2000000000: say with features=N"},
		{"1 9999999999:1\n", "", `"9999999999:1" is not INDEX:VALUE`},
		{"1 1:1\n", "?classes=0", "classes=0: a number of classes should be here"},
		{"1 1:1\n", "?features=x", "features=x: a number of features should be here"},
		{"1 1:1\n", "?labels=1,1", "labels=1,1: the different labels"},
		{"1 1:1\n", "?labels=1,2&classes=3", "classes=3, but labels lists 2"},
		{"1 1:1\n", "?regression=true&classes=3", "regression=true takes labels as numbers"},
		{"1 1:1\n", "?label=3", `unknown option "label"`},
	} {
		path := libSVMFile(t, c.text)
		_, err := source.Open(t.Context(), "libsvm:"+path+c.options)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.HasPrefix(c.want, ":") &&
			!strings.Contains(err.Error(), path+":") {
			t.Errorf("%q%s: %v, wanted %s", c.text, c.options, err, c.want)
		}
	}
	if _, err := source.Open(t.Context(), "libsvm:"); err == nil {
		t.Error("no file is a file")
	}
	for _, o := range []source.LibSVM{{Classes: 2}, {Features: 3}, {Features: -1, Classes: 2}} {
		if err := source.ReadLibSVM("x", strings.NewReader("1 1:1"), o,
			func(*data.MultiDataSet) error { return nil }); err == nil {
			t.Errorf("%+v is enough for a file by itself", o)
		}
	}
}

// FuzzLibSVM: no text makes the reader panic, and the values that it reads are within bounds.
func FuzzLibSVM(f *testing.F) {
	f.Add("1 1:1 2:2\n0 qid:3 5:1e3 # x\n")
	f.Add("1 2000000000:1\n-1 1:")
	f.Fuzz(func(t *testing.T, text string) {
		for _, o := range []source.LibSVM{{Features: 50, Classes: 3}, {Features: 50, Regression: true}} {
			n := 0
			err := source.ReadLibSVM("x", strings.NewReader(text), o, func(m *data.MultiDataSet) error {
				n++
				return m.Validate()
			})
			if err == nil && n > strings.Count(text, "\n")+1 {
				t.Errorf("%d examples", n)
			}
			if err != nil && !strings.HasPrefix(fmt.Sprint(err), "x:") {
				t.Errorf("%v names no line", err)
			}
		}
	})
}
