package records_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/records"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/npy"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/tensor"
)

// settings is the content of reader.json.
type settings struct {
	Iterator     string
	Readers      map[string]reader
	BatchSize    int  `json:"batch_size"`
	LabelIndex   *int `json:"label_index"`
	LabelIndexTo int  `json:"label_index_to"`
	NumClasses   int  `json:"num_classes"`
	Regression   bool
	Alignment    string
	Transform    string
	Inputs       []array
	Outputs      []array
	Batches      int
	Error        string
	Defects      []string
}

type reader struct {
	Type, Path, Dir, Delimiter, Quote string
	Files, Lines                      int
	SkipLines                         int  `json:"skip_lines"`
	NumFeatures                       int  `json:"num_features"`
	ZeroBased                         bool `json:"zero_based"`
	AppendLabel                       bool `json:"append_label"`
	Multilabel                        bool
	NumLabels                         int `json:"num_labels"`
	Fields                            []records.Field
	Regex, Mode, Separator, Pad       string
	Stride                            int
	Regexes                           []string
	Readers                           []reader
	Rows                              [][]string
	Sequences                         [][][]string
}

type array struct {
	Reader  string
	From    *int
	To      int
	OneHot  *int `json:"one_hot"`
	Classes int
}

// TestOracle compares with the results of the real DataVec.
func TestOracle(t *testing.T) {
	z, err := zip.OpenReader("testdata/iterator.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	root := t.TempDir()
	var cases []string
	for _, f := range z.File {
		parts := strings.Split(f.Name, "/")
		if !slices.Contains(cases, parts[1]) {
			cases = append(cases, parts[1])
		}
		unpack(t, f, filepath.Join(root, filepath.FromSlash(f.Name)))
	}
	if len(cases) != 23 {
		t.Errorf("%d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c, func(t *testing.T) { testCase(t, filepath.Join(root, "iterator", c)) })
	}
}

func unpack(t *testing.T, f *zip.File, path string) {
	in, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	content, err := io.ReadAll(in)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o777)
	}
	if err == nil {
		err = os.WriteFile(path, content, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func testCase(t *testing.T, dir string) {
	text, err := os.ReadFile(filepath.Join(dir, "reader.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s settings
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	it, err := s.iterator(t, dir)
	var sets []*data.MultiDataSet
	for err == nil {
		var m *data.MultiDataSet
		if m, err = it.Next(); err == nil {
			sets = append(sets, m)
		}
	}
	if s.Error != "" {
		if err == io.EOF {
			t.Fatalf("DataVec fails: %s", s.Error)
		}
		if !strings.Contains(err.Error(), dir) {
			t.Errorf("%v does not name the file", err)
		}
		return
	}
	if err != io.EOF || len(sets) != s.Batches {
		t.Fatalf("%d minibatches, wanted %d: %v", len(sets), s.Batches, err)
	}
	shortest := slices.Contains(s.Defects, "unequal-readers") // DataVec returns arrays of different heights
	for i, m := range sets {
		if err := m.Validate(); err != nil {
			t.Error(err)
		}
		base := filepath.Join(dir, fmt.Sprintf("batch-%d", i))
		for k, x := range m.Features {
			compare(t, base, "features", k, len(m.Features), x, m.FeatureMask(k), shortest)
		}
		for k, y := range m.Labels {
			mask := (*tensor.Dense)(nil)
			if k < len(m.LabelMasks) {
				mask = m.LabelMasks[k]
			}
			compare(t, base, "labels", k, len(m.Labels), y, mask, shortest)
		}
	}
}

func compare(t *testing.T, dir, name string, k, of int, x, mask *tensor.Dense, shortest bool) {
	t.Helper()
	suffix := ".npy"
	if _, err := os.Stat(filepath.Join(dir, name+suffix)); err != nil {
		suffix = fmt.Sprintf("-%d.npy", k)
	}
	for path, got := range map[string]*tensor.Dense{name + suffix: x, name + "-mask" + suffix: mask} {
		want, err := npy.ReadFile(t.Context(), filepath.Join(dir, path))
		if os.IsNotExist(err) && got == nil {
			continue
		}
		if err != nil || got == nil {
			t.Errorf("%s/%s: %v, and we have %v", filepath.Base(dir), path, err, got)
			continue
		}
		if shortest {
			n := min(got.Shape[0], want.Shape[0])
			want = tensor.MustOf(want.Data[:n*len(want.Data)/want.Shape[0]], append([]int{n}, want.Shape[1:]...)...)
		}
		same := func(a, b float32) bool { return near.Equal(a, b, 0, 3e-7) }
		if !slices.Equal(got.Shape, want.Shape) || !slices.EqualFunc(got.Data, want.Data, same) {
			t.Errorf("%s/%s: %v %v, wanted %v %v", filepath.Base(dir), path, got.Shape, got.Data, want.Shape, want.Data)
		}
	}
}

func (s settings) iterator(t *testing.T, dir string) (data.Iterator, error) {
	readers := map[string]source.Rows{}
	for name, r := range s.Readers {
		rows, err := r.open(t, dir)
		if err != nil {
			return nil, err
		}
		if s.Transform != "" {
			rows = records.Transformed(rows, plan(t, filepath.Join(dir, s.Transform)))
		}
		t.Cleanup(func() { rows.Close() })
		readers[name] = rows
	}
	label := 0
	if s.LabelIndex != nil {
		label = *s.LabelIndex
	}
	alignment := map[string]records.Alignment{"ALIGN_START": records.AlignStart,
		"ALIGN_END": records.AlignEnd}[s.Alignment]
	switch s.Iterator {
	case "RecordReaderDataSetIterator":
		return records.DataSets(readers["data"], records.DataSetOptions{Batch: s.BatchSize, Label: label,
			LabelTo: s.LabelIndexTo,
			Classes: s.NumClasses, Regression: s.Regression})
	case "SequenceRecordReaderDataSetIterator":
		o := records.SequenceOptions{Batch: s.BatchSize, Classes: s.NumClasses, Regression: s.Regression, Label: label,
			Alignment: alignment}
		if one, ok := readers["data"]; ok {
			return records.SequenceDataSets(one, nil, o)
		}
		return records.SequenceDataSets(readers["features"], readers["labels"], o)
	}
	if s.Alignment == "" {
		alignment = records.AlignStart
	}
	o := records.MultiOptions{Batch: s.BatchSize, Alignment: alignment}
	for _, a := range s.Inputs {
		o.Inputs = append(o.Inputs, a.array())
	}
	for _, a := range s.Outputs {
		o.Outputs = append(o.Outputs, a.array())
	}
	return records.MultiDataSets(readers, o)
}

func (a array) array() records.Array {
	r := records.Array{Reader: a.Reader, Classes: a.Classes}
	if a.OneHot != nil {
		r.Columns = []int{*a.OneHot}
	}
	if a.From != nil {
		for i := *a.From; i <= a.To; i++ {
			r.Columns = append(r.Columns, i)
		}
	}
	return r
}

func (r reader) open(t *testing.T, dir string) (source.Rows, error) {
	o := records.CSVOptions{Skip: r.SkipLines}
	if r.Delimiter != "" {
		o.Delimiter = []rune(r.Delimiter)[0]
	}
	if r.Quote != "" {
		o.Quote = r.Quote[0]
	}
	path := filepath.Join(dir, r.Path)
	files := records.Numbered(filepath.Join(dir, r.Dir, "%d.csv"), 0, r.Files-1)
	if r.Dir != "" {
		path = filepath.Join(dir, r.Dir)
	}
	switch r.Type {
	case "csv":
		return records.CSV(t.Context(), path, o)
	case "csv_sequence":
		return records.CSVSequences(t.Context(), files, o)
	case "csv_n_lines":
		return records.CSVLines(t.Context(), path, r.Lines, o)
	case "csv_line_sequence":
		return records.CSVSteps(t.Context(), path, o)
	case "csv_multi_sequence":
		modes := map[string]records.SeriesMode{"EQUAL_LENGTH": records.SameLength, "PAD": records.Padded}
		return records.CSVSeries(t.Context(), path, records.SeriesOptions{CSVOptions: o, Mode: modes[r.Mode],
			Separator: regexp.MustCompile(r.Separator), Pad: value(t, r.Pad)})
	case "csv_window":
		return records.CSVWindows(t.Context(), path, r.Lines, r.Stride, o)
	case "line":
		return records.Lines(t.Context(), path)
	case "regex_line", "regex_sequence":
		e, o := regexp.MustCompile(r.Regex), records.RegexOptions{Skip: r.SkipLines, PassOver: r.Mode == "SkipInvalid"}
		if r.Type == "regex_line" {
			return records.RegexLines(t.Context(), path, e, o)
		}
		return records.RegexSequences(t.Context(), files, e, o)
	case "csv_regex":
		rows, err := records.CSV(t.Context(), path, o)
		if err != nil {
			return nil, err
		}
		var expressions []*regexp.Regexp
		for _, text := range r.Regexes {
			var e *regexp.Regexp
			if text != "" {
				e = regexp.MustCompile(text)
			}
			expressions = append(expressions, e)
		}
		return records.Groups(rows, expressions...)
	case "compose", "concat":
		var all []source.Rows
		for _, of := range r.Readers {
			rows, err := of.open(t, dir)
			if err != nil {
				return nil, err
			}
			all = append(all, rows)
		}
		if r.Type == "compose" {
			return records.Composed(all...)
		}
		return records.Concatenated(all...)
	case "collection", "collection_sequence":
		return r.collection(t), nil
	case "svmlight":
		return records.SVMLight(t.Context(), path, records.SVMLightOptions{Features: r.NumFeatures, OneBased: !r.ZeroBased,
			Label: r.AppendLabel, Labels: r.NumLabels})
	case "json_lines":
		return records.JSONLines(t.Context(), path, r.Fields...)
	case "json_lines_sequence":
		return records.JSONSequences(t.Context(), files, r.Fields...)
	}
	t.Fatalf("a reader of type %s", r.Type)
	return nil, nil
}

func plan(t *testing.T, path string) *pipeline.Plan {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := p.Bind()
	if err != nil {
		t.Fatal(err)
	}
	return bound
}
