package source

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/pipeline"
)

// readings writes a table, and returns its name with settings.
func readings(t *testing.T, settings string, lines ...string) Name {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.csv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := Parse("csv:" + path + "?" + settings)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// ofSteps returns a preparation with the number x as the feature and y as the label.
func ofSteps(perStep bool, s *Sequencing) *Preparation {
	return &Preparation{Task: Classification, Labels: []string{"y"}, Outputs: []string{"y"}, Classes: []string{"n", "p"},
		Sequence: s, PerStep: perStep, Pipeline: &pipeline.Pipeline{Initial: pipeline.Schema{Sequence: true,
			Columns: []pipeline.Column{pipeline.DoubleColumn{Name: "x"}, pipeline.StringColumn{Name: "y"}}}}}
}

// TestSequences: rows are gathered by their ids and ordered by their times, and minibatches are padded and masked at
// the end.
func TestSequences(t *testing.T) {
	n := readings(t, "sequence=id,part&time=at", "at,id,x,y,part", "2,b,5,p,u", "10,a,3,n,u", "9,a,2,n,u", "1,b,4,n,u",
		"-1,a,1,p,u", "2,b,6,p,u", "1,a,7,p,v")
	p := ofSteps(true, &Sequencing{ID: []string{"id", "part"}, Time: "at"})
	s, err := OpenName(t.Context(), n, Options{Preparation: p})
	if err != nil {
		t.Fatal(err)
	}
	all := s.(*Prepared)
	m := all.Range(0, 3)
	for what, c := range map[string][2]any{
		"features": {m.Features[0].Data, []float32{4, 5, 6, 1, 2, 3, 7, 0, 0}},
		"mask":     {m.FeatureMasks[0].Data, []float32{1, 1, 1, 1, 1, 1, 1, 0, 0}},
		"labels": {m.Labels[0].Data, []float32{1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0,
			1, 0, 0}},
		"label mask": {m.LabelMasks[0].Data, m.FeatureMasks[0].Data},
		"keys":       {m.Meta, []string{"b,u", "a,u", "a,v"}},
		"shapes":     {fmt.Sprint(s.Info().Features, s.Info().Labels, m.Features[0].Shape), "[[1, -1]] [[2, -1]] [3, 1, 3]"},
		"notes": {all.Info().Notes, []string{"3 sequences of 7 rows", "1 sequence of one row",
			"3 rows stood behind one of a later time, and were put in order",
			"1 row of the same time as another one of the sequence: these keep the order of the table"}},
		"rows": {all.Rows, []int{0, 1, 2}},
	} {
		if fmt.Sprint(c[0]) != fmt.Sprint(c[1]) {
			t.Errorf("%s: %v, not %v", what, c[0], c[1])
		}
	}
	if m := all.Range(0, 2); m.FeatureMasks != nil || m.LabelMasks != nil {
		t.Error("sequences of one length have a mask")
	}
	for _, o := range []Options{{Preparation: p}, {Preparation: p, Unlabelled: true}} {
		stream, err := OpenStream(t.Context(), n, o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			got, err := stream.Next()
			if err != nil {
				t.Fatal(err)
			}
			want := all.Range(i, i+1)
			if o.Unlabelled {
				want.Labels, want.LabelNames = nil, nil
			}
			if string(data.AppendRow(nil, got)) != string(data.AppendRow(nil, want)) {
				t.Errorf("the stream gives %v, not %v", got, want)
			}
		}
		stream.Close()
	}
}

// TestOneLabelOfASequence: without PerStep, a sequence has the label of all its rows.
func TestOneLabelOfASequence(t *testing.T) {
	n := readings(t, "sequence=id", "id,x,y", "a,1,n", "b,2,p", "a,3,n")
	s, err := OpenName(t.Context(), n, Options{Preparation: ofSteps(false, &Sequencing{ID: []string{"id"}})})
	if err != nil {
		t.Fatal(err)
	}
	m := s.(Table).Examples([]int{1, 0})
	if !slices.Equal(m.Labels[0].Data, []float32{0, 1, 1, 0}) ||
		!slices.Equal(m.Features[0].Data, []float32{2, 0, 1, 3}) ||
		m.LabelMasks != nil || !slices.Equal(s.Info().Labels[0], []int{2}) {
		t.Errorf("%v %v", m.Labels[0], m.Features[0])
	}
}

// TestBadSequences: errors name the line.
func TestBadSequences(t *testing.T) {
	of := &Sequencing{ID: []string{"id"}, Time: "at"}
	for _, c := range []struct {
		settings string
		p        *Preparation
		lines    []string
		want     string
	}{
		{"sequence=id&time=at", ofSteps(false, of), []string{"a,1,1,n", ",2,2,n"},
			`r.csv:3: column "id": the value is missing, which tells the row's sequence`},
		{"sequence=id&time=at", ofSteps(false, of), []string{"a,1,1,n", "a,,2,n"},
			`r.csv:3: column "at": the value is missing, which orders the rows`},
		{"sequence=id&time=at", ofSteps(false, of), []string{"a,1,1,n", "b,noon,2,n"},
			`r.csv:3: column "at": "noon" is neither a number nor a date`},
		{"sequence=id&time=at", ofSteps(false, of), []string{"a,1,1,n", "b,2024-01-02,2,n"},
			`r.csv:3: column "at": "2024-01-02", and the rows before it have values such as "1"`},
		{"sequence=id&time=at", ofSteps(false, of), []string{"a,2,1,n", "b,1,2,n", "a,1,high,n"},
			`r.csv:4: sequence "a": column "x": "high"`},
		{"sequence=id&time=at", ofSteps(false, of), []string{"a,1,1,n", "a,2,2,p"},
			`r.csv:2: sequence "a": column "y": the label changes within the sequence`},
		{"sequence=id&time=at", ofSteps(true, of), []string{"a,1,1,n", "a,2,2,q"},
			`r.csv:3: sequence "a": column "y": "q" is none of the classes`},
		{"sequence=id&time=at&key=x", ofSteps(true, of), []string{"a,1,1,n", "a,2,2,p"},
			`r.csv:3: sequence "a": the key is "2", and "1" in the rows of the sequence before it`},
		{"sequence=x", ofSteps(false, of), []string{"a,1,1,n"},
			`sequence=x: the model's sequences are by id in the order of "at"`},
		{"sequence=id", ofSteps(false, nil), []string{"a,1,1,n"},
			`sequence=id: the model's pipeline takes the rows one by one`},
		{"label=y", ofSteps(false, nil), []string{"a,1,1,n"}, `the data is rows, and the pipeline takes sequences`},
		{"label=y", ofSteps(false, &Sequencing{ID: []string{"machine"}}), []string{"a,1,1,n"},
			`there is no column "machine", which tells the sequences`},
		{"sequence=id", nil, []string{"a,1,1,n"}, `sequences are made of rows by a pipeline`},
		{"time=at", nil, []string{"a,1,1,n"}, `time=at: it orders the rows of sequences`},
		{"sequence=id&label=id", nil, []string{"a,1,1,n"}, `label=id: the column "id" identifies the sequences`},
		{"sequence=id,id", nil, []string{"a,1,1,n"}, `each once`},
	} {
		n := readings(t, c.settings, append([]string{"id,at,x,y"}, c.lines...)...)
		_, err := OpenName(t.Context(), n, Options{Preparation: c.p})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v, want %q", c.settings, c.lines, err, c.want)
		}
		stream, err := OpenStream(t.Context(), n, Options{Preparation: c.p})
		for err == nil {
			_, err = stream.Next()
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q, a stream: %v, want %q", c.settings, c.lines, err, c.want)
		}
	}
}

// TestSkippedSequenceRows: rows whose sequence is missing can be skipped.
func TestSkippedSequenceRows(t *testing.T) {
	n := readings(t, "sequence=id&time=at", "id,at,x", "a,2,1", ",1,2", "a,,3", "a,1,4")
	rows, err := OpenRows(t.Context(), n, RowOptions{Columns: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	bad := 0
	for {
		item, err := rows.Next()
		var row *RowError
		if errors.As(err, &row) {
			bad++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprint(item.Sequence); bad != 2 || text != "[[a 1 4] [a 2 1]]" || rows.Place() == "" {
			t.Errorf("%d bad rows, %s", bad, text)
		}
		return
	}
}
