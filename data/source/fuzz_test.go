package source

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
)

func FuzzCSV(f *testing.F) {
	f.Add(flowers, "", 0, false)
	f.Add("1,2\n1,3\n", "0", 4, false)
	f.Add("a\tb\n1\t2.5\n", "b", 0, true)
	f.Fuzz(func(t *testing.T, text, label string, classes int, regression bool) {
		o := CSV{Label: label, Classes: max(classes%1000, 0), Regression: regression}
		r := newCSVReader("t.csv", o, false)
		err := r.read(strings.NewReader(text))
		var s *table
		if err == nil {
			s, err = r.table()
		}
		if err != nil {
			var c *CSVError
			if !errors.As(err, &c) || strings.Contains(c.Problem, "\n") {
				t.Errorf("%T %v", err, err)
			}
			return
		}
		m := s.Range(0, s.Objects())
		if err := errors.Join(m.Validate(), m.CheckFinite()); err != nil {
			t.Error(err)
		}
	})
}

func FuzzIDX(f *testing.F) {
	f.Add([]byte(idx([]int{2, 1, 3}, 0, 51, 255, 1, 2, 3)))
	f.Add(digitLabels)
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := readIDX(bytes.NewReader(b), int64(len(b)))
		var e *dl4j.FormatError
		if err != nil && !errors.As(err, &e) || err == nil && a.shape.Size() != len(a.bytes) {
			t.Errorf("%v, %v", a.shape, err)
		}
	})
}
