package source

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
)

// TestCSVBySchema: columns and classes are found by a schema's names, in any order.
func TestCSVBySchema(t *testing.T) {
	path := write(t, "t.csv", "kind,b,extra,a\ndog,1,x,2\ndog,3,y,4\n")
	as := &data.Schema{Features: []string{"a", "b"}, Labels: []string{"kind"}, Classes: []string{"cat", "dog"}}
	s, err := OpenCSV(t.Context(), path, CSV{Schema: as})
	if err != nil {
		t.Fatal(err)
	}
	m := s.Range(0, 2)
	if x := m.Features[0].Data; !slices.Equal(x, []float32{2, 1, 4, 3}) {
		t.Errorf("features %v", x)
	}
	if y := m.Labels[0].Data; !slices.Equal(y, []float32{0, 1, 0, 1}) {
		t.Errorf("labels %v", y)
	}
	if i := s.Info(); !slices.Equal(i.Unused, []string{"extra"}) || !slices.Equal(i.LabelNames, as.Classes) ||
		!slices.Equal(i.Schema.Features, as.Features) {
		t.Errorf("%+v", i)
	}
	for text, said := range map[string]string{
		"kind,b,a,a\ndog,1,2,3\n": `two columns have the name "a"`,
		"kind,a\ndog,1\n":         `no column "b"`,
		"1,2,dog\n":               "no header",
		"kind,a,b\ncow,1,2\n":     `the label "cow" is none`,
		"x,a,b\n1,1,2\n":          "there is no label column",
	} {
		_, err := OpenCSV(t.Context(), write(t, "bad.csv", text), CSV{Schema: as})
		var mismatch *MismatchError
		var at *CSVError
		if !errors.As(err, &mismatch) || !errors.As(err, &at) || !strings.Contains(err.Error(), said) {
			t.Errorf("%q: %v, wanted %s", text, err, said)
		}
	}
}

// TestLibSVMBySchema: labels are a schema's classes by their values.
func TestLibSVMBySchema(t *testing.T) {
	for _, c := range []struct {
		classes []string
		o       LibSVM
		want    string // labels, or a part of the error
	}{
		{[]string{"-1", "1"}, LibSVM{}, "-1 1"},
		{[]string{"-1", "1"}, LibSVM{Labels: []float64{1}}, "-1 1"},
		{[]string{"-1", "1"}, LibSVM{Classes: 2}, "classes=2 takes labels as 0 to 1"},
		{[]string{"-1", "1"}, LibSVM{Labels: []float64{2}}, "labels has 2"},
		{[]string{"0", "1", "2"}, LibSVM{}, ""},
		{[]string{"cat", "dog"}, LibSVM{}, "labels are numbers"},
		{[]string{"cat", "dog"}, LibSVM{Classes: 2}, ""},
		{[]string{"cat", "dog"}, LibSVM{Classes: 3}, "classes=3"},
		{[]string{"cat", "dog"}, LibSVM{Regression: true}, ""},
		{nil, LibSVM{}, ""},
	} {
		o, err := c.o.as(&data.Schema{Classes: c.classes})
		if err != nil {
			if mismatch := (*MismatchError)(nil); !errors.As(err, &mismatch) || c.want == "" ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, %+v: %v", c.classes, c.o, err)
			}
		} else if got := strings.Join(o.names(), " "); got != c.want {
			t.Errorf("%v, %+v: labels %q, wanted %q", c.classes, c.o, got, c.want)
		}
	}
}
