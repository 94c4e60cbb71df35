package source

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

func preparation() *Preparation {
	return &Preparation{
		Pipeline: &pipeline.Pipeline{
			Initial: pipeline.Schema{Columns: []pipeline.Column{
				pipeline.StringColumn{Name: "kind"},
				pipeline.DoubleColumn{Name: "a"},
				pipeline.IntegerColumn{Name: "b"},
			}},
			Steps: []pipeline.Step{pipeline.RemoveInvalid{Columns: []string{"a"}}},
		},
		Task: Classification, Labels: []string{"kind"}, Outputs: []string{"kind"}, Classes: []string{"x", "y"},
		Absent: []string{"x"},
	}
}

func csvName(t *testing.T, text string) Name {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := Parse("csv:" + path)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// examplesOfStream reads a stream to its end.
func examplesOfStream(t *testing.T, n Name, o Options) (x, y []float32, meta []string) {
	t.Helper()
	s, err := OpenStream(context.Background(), n, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for {
		m, err := s.Next()
		if err == io.EOF {
			return x, y, meta
		}
		if err != nil {
			t.Fatal(err)
		}
		x, meta = append(x, m.Features[0].Data...), append(meta, m.Meta...)
		if len(m.Labels) > 0 {
			y = append(y, m.Labels[0].Data...)
		}
	}
}

// TestPreparation: columns are found by name in any order, rows that the pipeline drops are counted, and further
// columns are reported as unused. The table, the stream, and a preparation that was sent to a worker give the same
// examples.
func TestPreparation(t *testing.T) {
	n := csvName(t, "b,extra,kind,a,id\n1,e,x,0.5,r1\n2,e,y,,r2\n3,e,y,1.5,r3\n")
	n.Settings = map[string]string{"key": "id"}
	text, err := json.Marshal(Options{Preparation: preparation()})
	if err != nil {
		t.Fatal(err)
	}
	var sent Options
	if err := json.Unmarshal(text, &sent); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{Preparation: preparation()}, sent} {
		s, err := OpenName(context.Background(), n, o)
		if err != nil {
			t.Fatal(err)
		}
		p := s.(*Prepared)
		m := p.Range(0, 2)
		if want := []float32{0.5, 1, 1.5, 3}; !slices.Equal(m.Features[0].Data, want) {
			t.Errorf("features %v, want %v", m.Features[0].Data, want)
		}
		if want := []float32{1, 0, 0, 1}; !slices.Equal(m.Labels[0].Data, want) {
			t.Errorf("labels %v, want %v", m.Labels[0].Data, want)
		}
		i := s.Info()
		if i.Filtered != 1 || !slices.Equal(i.Unused, []string{"extra"}) || !slices.Equal(p.Rows, []int{0, 2}) ||
			!slices.Equal(m.Meta, []string{"r1", "r3"}) || !slices.Equal(i.Schema.Features, []string{"a", "b"}) {
			t.Errorf("%+v, rows %v, keys %v", i, p.Rows, m.Meta)
		}
		x, y, meta := examplesOfStream(t, n, o)
		if !slices.Equal(x, m.Features[0].Data) || !slices.Equal(y, m.Labels[0].Data) || !slices.Equal(meta, m.Meta) {
			t.Errorf("the stream gives %v, %v, %v", x, y, meta)
		}
	}
}

// TestPreparationUnlabelled: labels that are not wanted may be missing or wrong.
func TestPreparationUnlabelled(t *testing.T) {
	for _, text := range []string{"b,a\n1,0.5\n", "a,kind,b\n0.5,what,1\n", "a,kind,b\n0.5,,1\n", "0.5,1\n", "x,0.5,1\n"} {
		x, y, _ := examplesOfStream(t, csvName(t, text), Options{Preparation: preparation(), Unlabelled: true})
		if !slices.Equal(x, []float32{0.5, 1}) || y != nil {
			t.Errorf("%q: %v, %v", text, x, y)
		}
	}
}

// TestPreparationErrors: each error names the place and the column.
func TestPreparationErrors(t *testing.T) {
	for text, want := range map[string]string{
		"kind,a\nx,1\n":            `there is no column b, which the pipeline takes: there are kind, a`,
		"a,b\n1,1\n":               `there is no column kind`,
		"kind\nx\n":                `there are no columns a, b, which the pipeline takes: there are kind`,
		"kind,a,b\nx,1,1\nz,1,1\n": `t.csv:3: column "kind": "z" is none of the classes x, y`,
		"kind,a,b\nx,1,1\n ,1,1\n": `t.csv:3: column "kind": the label is missing`,
		"kind,a,b\nx,1,\n":         `t.csv:2: column "b": the value is missing`,
		"kind,a,b\nx,1,1e300\n":    `t.csv:2: column "b": 1e300 is not a finite number`,
		"kind,a,b\nx,no,1\n":       `the pipeline leaves none of its 1 rows`,
		"kind,a,b\n":               `there are no rows in it`,
	} {
		_, err := OpenName(context.Background(), csvName(t, text), Options{Preparation: preparation()})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	one := preparation()
	one.Pipeline.Initial.Columns[1] = pipeline.StringColumn{Name: "a"}
	_, err := OpenName(context.Background(), csvName(t, "kind,a,b\nx,1,1\n"), Options{Preparation: one})
	if err == nil || !strings.Contains(err.Error(), `column "a" is of type String when the pipeline ends`) {
		t.Errorf("a text feature: %v", err)
	}
}
