package source

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
)

// sequenceFiles writes files, and returns their directory.
func sequenceFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestCSVSequences: each file is a sequence, with labels in the file itself, or in another directory and aligned as
// align= says.
func TestCSVSequences(t *testing.T) {
	dir := sequenceFiles(t, map[string]string{
		"one/a.csv": "x,y\n1,0\n2,1\n3,0\n", "one/b.csv": "y,x\n1,4\n",
		"x/a.csv": "1\n2\n3\n", "x/b.csv": "4\n5\n",
		"equal/a.csv": "0\n1\n0\n", "equal/b.csv": "1\n1\n",
		"fewer/a.csv": "0\n1\n", "fewer/b.csv": "1\n",
		"named/a.csv": "t\n1\n2\n3\n", "named/b.csv": "t\n4\n5\n",
		"same/a.csv": "no\nyes\nno\n", "same/b.csv": "no\n", "titled/a.csv": "is\nno\nyes\n", "titled/b.csv": "is\nno\n",
	})
	const hot = "[1 2 3 4 0 0] [1 1 1 1 0 0] [1 0 1 0 1 0 0 0 0 1 0 0] [1 1 1 1 0 0]"
	for name, want := range map[string]string{
		"one?label=y&classes=2":                          hot,
		"one?label=-1&names=0,1":                         hot,
		"one?label=y&regression=true":                    "[1 2 3 4 0 0] [1 1 1 1 0 0] [0 1 0 1 0 0] [1 1 1 1 0 0]",
		"x?labels=DIR/equal&regression=true":             "[1 2 3 4 5 0] [1 1 1 1 1 0] [0 1 0 1 1 0] [1 1 1 1 1 0]",
		"x?labels=DIR/fewer&align=end&regression=true":   "[1 2 3 4 5 0] [1 1 1 1 1 0] [0 0 1 0 1 0] [0 1 1 0 1 0]",
		"x?labels=DIR/fewer&align=start&regression=true": "[1 2 3 4 5 0] [1 1 1 1 1 0] [0 1 0 1 0 0] [1 1 0 1 0 0]",
		// Files of labels begin with a label that is in the file again, or with a header.
		"named?labels=DIR/same&align=end&names=no,yes": "[1 2 3 4 5 0] [1 1 1 1 1 0] " +
			"[1 0 1 0 1 0 0 1 0 0 0 0] [1 1 1 0 1 0]",
		"named?labels=DIR/titled&align=end&names=no,yes": "[1 2 3 4 5 0] [1 1 1 1 1 0] " +
			"[0 1 0 0 0 1 0 1 0 0 0 0] [0 1 1 0 1 0]",
	} {
		n, err := Parse("csvseq:" + dir + "/" + strings.ReplaceAll(name, "DIR", dir))
		if err != nil {
			t.Fatal(err)
		}
		s, err := OpenName(t.Context(), n, Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := s.(Table).Range(0, 2)
		got := fmt.Sprint(m.Features[0].Data, m.FeatureMasks[0].Data, m.Labels[0].Data, m.LabelMasks[0].Data)
		if got != want || fmt.Sprint(m.Meta) != "[a b]" {
			t.Errorf("%s: %s %v, not\n%s", name, got, m.Meta, want)
		}
		stream, err := OpenStream(t.Context(), n, Options{})
		if err != nil {
			t.Fatal(err)
		}
		first, err := stream.Next()
		if err != nil || !strings.Contains(name, "align") &&
			!bytes.Equal(data.AppendRow(nil, first), data.AppendRow(nil, s.(Table).Range(0, 1))) {
			t.Errorf("%s: the stream begins with %v, %v", name, first, err)
		}
		stream.Close()
	}
}

// TestChosenStepLabels: of the columns of files of labels, only those that label= names are read. The others are no
// features.
func TestChosenStepLabels(t *testing.T) {
	dir := sequenceFiles(t, map[string]string{"x/a.csv": "x\n1\n2\n", "y/a.csv": "p,q,r\n5,6,7\n8,9,10\n"})
	for label, want := range map[string]string{"q": "[1 2] [6 9]", "p,r": "[1 2] [5 8 7 10]", "-1": "[1 2] [7 10]"} {
		n := Name{Kind: "csvseq", Place: dir + "/x",
			Settings: map[string]string{"labels": dir + "/y", "label": label, "regression": "true"}}
		s, err := OpenName(t.Context(), n, Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := s.(Table).Range(0, 1)
		if got := fmt.Sprint(m.Features[0].Data, m.Labels[0].Data); got != want {
			t.Errorf("label=%s: %s, not %s", label, got, want)
		}
	}
}

// TestCSVSequencesForModel: a model's columns are found by name, and predicting needs no labels.
func TestCSVSequencesForModel(t *testing.T) {
	dir := sequenceFiles(t, map[string]string{"a.csv": "b,a\n1,2\n3,4\n"})
	n, err := Parse("csvseq:" + dir)
	if err != nil {
		t.Fatal(err)
	}
	as := &data.Schema{Features: []string{"a", "b"}, Labels: []string{"label"}, Classes: []string{"n", "p"}}
	s, err := OpenName(t.Context(), n, Options{As: as, Unlabelled: true})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := s.Object(0); err != nil || fmt.Sprint(m.Features[0].Data) != "[2 4 1 3]" || m.Labels != nil {
		t.Errorf("%v %v", m, err)
	}
	_, err = OpenName(t.Context(), n, Options{As: as})
	if err == nil || !strings.Contains(err.Error(), "there is no column label") {
		t.Error(err)
	}
}

// TestCSVSequencesByWorkers: a worker reads the same sequence from a file as the driver.
func TestCSVSequencesByWorkers(t *testing.T) {
	dir := sequenceFiles(t, map[string]string{"a.csv": "x,y\n1,n\n2,p\n"})
	n, err := Parse("csvseq:" + dir + "?label=y&names=n,p")
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenName(t.Context(), n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(dir + "/a.csv")
	if err != nil {
		t.Fatal(err)
	}
	n.Place = "hdfs://h/d"
	k := csvSequencesKind{}
	n.Text = ""
	if n.Settings["labels"] = "x"; k.ByWorkers(n) {
		t.Error("workers read two directories")
	}
	if delete(n.Settings, "labels"); !k.ByWorkers(n) {
		t.Error("workers don't read the files")
	}
	var got []*data.MultiDataSet
	err = k.ReadFile(n, Options{}, "hdfs://h/d/a.csv", bytes.NewReader(content),
		func(m *data.MultiDataSet) error { got = append(got, m); return nil })
	if err != nil || len(got) != 1 ||
		!bytes.Equal(data.AppendRow(nil, got[0]), data.AppendRow(nil, s.(Table).Range(0, 1))) {
		t.Errorf("%v %v", got, err)
	}
	err = k.ReadFile(n, Options{}, "hdfs://h/d/a.csv", bytes.NewReader([]byte("x,y\n1,n\n2,q\n")),
		func(*data.MultiDataSet) error { return nil })
	if err == nil || !strings.HasPrefix(err.Error(), `hdfs://h/d/a.csv:3: column "y": "q" is none of the classes`) {
		t.Error(err)
	}
}

// TestBadCSVSequences: errors name the file.
func TestBadCSVSequences(t *testing.T) {
	dir := sequenceFiles(t, map[string]string{
		"one/a.csv": "x,y\n1,0\n", "one/b.csv": "x,z\n1,0\n", "empty/a.csv": "x,y\n", "wide/a.csv": "1,2\n",
		"wide/b.csv": "1,2,3\n", "x/a.csv": "1\n2\n", "text/a.csv": "x,y\n1,0\nhigh,1\n",
		"few/a.csv": "1\n1\n1\n", "other/b.csv": "1\n", "gaps/a.csv": "x,y\n1,\n2,\n", "both/a.csv": "x\n1\n",
		"more/a.csv": "1\n1\n1\n",
		"more/b.csv": "1\n", "pair/a.csv": "p,q\n1,2\n3,4\n",
		"x2/a.csv": "t\n1\n", "x2/b.csv": "t\n1\n", "unlike/a.csv": "q\np\n", "unlike/b.csv": "r\np\n",
	})
	for name, want := range map[string]string{
		"one?regression=true":                          "b.csv: the columns are x, z, and those of ",
		"one?label=y":                                  "classes=N or names=… is needed",
		"empty?regression=true":                        "a.csv: the sequence has no steps",
		"wide?regression=true":                         "b.csv: there are 3 columns, and 2 in ",
		"text?label=y&classes=2":                       `a.csv:3: column "x": "high"`,
		"gaps?label=y&classes=2":                       "a.csv: no step of the sequence has a label",
		"x?labels=DIR/few&regression=true":             "a.csv: there are 3 labels, and 2 steps in ",
		"x?labels=DIR/other&regression=true":           "a.csv: there is no file of this name in labels=",
		"x?labels=DIR/more&regression=true":            "b.csv: there are labels, and no file of this name",
		"both?labels=DIR/both&regression=true":         `the column "x" is there, and in`,
		"x?labels=DIR/few&align=middle":                "align=middle: there are equal, start and end",
		"x?align=end":                                  "labels=DIRECTORY, which is missing",
		"missing?regression=true":                      "missing",
		"x?labels=DIR/pair&regression=true":            "the files of labels have the columns p, q; label=COLUMNS says",
		"x?labels=DIR/pair&regression=true&label=r":    "a.csv: there is no label column r: there are p, q",
		"x?labels=DIR/few&align=start&regression=true": "there are 3 labels, and only 2 steps in ",
		"x2?labels=DIR/unlike&names=p,q&header=true": "unlike/b.csv: the columns are r, and those of " +
			"DIR/unlike/a.csv are q",
	} {
		_, err := Open(t.Context(), "csvseq:"+dir+"/"+strings.ReplaceAll(name, "DIR", dir))
		if err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(want, "DIR/", dir+"/")) {
			t.Errorf("%s: %v, not %s", name, err, want)
		}
	}
}

// TestMissingStepLabels: steps of a long table without a label are masked and counted.
func TestMissingStepLabels(t *testing.T) {
	n := readings(t, "sequence=id", "id,x,y", "b,1,n", "a,2,", "a,3,p", "a,4,", "b,5,p")
	s, err := OpenName(t.Context(), n, Options{Preparation: ofSteps(true, &Sequencing{ID: []string{"id"}})})
	if err != nil {
		t.Fatal(err)
	}
	m := s.(Table).Range(0, 2)
	if got, want := fmt.Sprint(m.LabelMasks[0].Data, m.FeatureMasks[0].Data, s.Info().Notes),
		"[1 1 0 0 1 0] [1 1 0 1 1 1] [2 sequences of 5 rows 2 steps without a label: masked]"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if m := s.(Table).Range(0, 1); m.LabelMasks == nil {
		t.Error("a sequence whose steps have labels has another shape than others")
	}
}
