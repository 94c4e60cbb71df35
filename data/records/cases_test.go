package records_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/records"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/tensor"
)

// smallCase is a line of testdata/cases.jsonl.gz: files, readers, perhaps an iterator, and what the real DataVec
// 1.0.0-M2.1 and Deeplearning4j's iterators answer.
type smallCase struct {
	Name     string
	Files    map[string]string
	Settings settings

	Rows      [][]string   // values as "s:text", "i:1", "d:0.5"
	Sequences [][][]string // of a reader of sequences
	Batches   []answer     // of an iterator
	Error     string

	// Differs is the kind of a difference, a line of differences; Ours is our answer, or our error without the path.
	Differs, Ours string
}

// differences has the beginning of a line of docs/dl4j/differences.md for each kind.
var differences = map[string]string{
	"group":       "| a group of a regular expression without a match causes a NullPointerException",
	"series":      "| `CSVMultiSequenceRecordReader` accepts sequences with different numbers of columns",
	"window":      "| `CSVVariableSlidingWindowRecordReader` ends with an empty window",
	"quote":       "| `CSVRegexRecordReader` without a quote",
	"json":        "| `JacksonLineRecordReader` fails on null, true and false",
	"featureless": "| an example without features gives an array without columns",
	"fraction":    "| a label of 0.5 is class 0",
	"one class":   "| with one class, the label is the number itself",
	"width":       "| rows may have more or fewer values than others",
	"equal":       "| equal lengths: sequences longer than the first one are cut off",
	"labels":      "| one reader, regression with more than one class",
	"heights":     "| readers with different numbers of records",
}

// answer is a minibatch.
type answer struct{ Features, Labels, FeatureMasks, LabelMasks []*array32 }

type array32 struct {
	Shape  []int
	Values []string
}

// TestSmallCases compares readers and iterators with DataVec's on small files.
func TestSmallCases(t *testing.T) {
	f, err := os.Open("testdata/cases.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	root, n := t.TempDir(), 0
	for d := json.NewDecoder(bufio.NewReader(z)); d.More(); n++ {
		var c smallCase
		if err := d.Decode(&c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) { c.test(t, filepath.Join(root, c.Name)) })
	}
	if n < 1000 {
		t.Errorf("%d cases", n)
	}
	page, err := os.ReadFile("../../docs/dl4j/differences.md")
	if err != nil {
		t.Fatal(err)
	}
	for kind, line := range differences {
		if !strings.Contains(string(page), line) {
			t.Errorf("the page lacks the difference %q", kind)
		}
	}
}

func (c smallCase) test(t *testing.T, dir string) {
	for name, text := range c.Files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var got string
	var err error
	if c.Settings.Iterator == "" {
		got, err = c.items(t, dir)
	} else {
		got, err = c.batches(t, dir)
	}
	if c.Differs != "" {
		ours := got
		if err != nil {
			ours = strings.ReplaceAll(err.Error(), dir, "DIR")
		}
		if ours != c.Ours || c.Error == "" && c.Ours == c.want() || differences[c.Differs] == "" {
			t.Errorf("%v\n%s\nwanted\n%s", err, got, c.Ours)
		}
		return
	}
	if c.Error != "" {
		if err == nil {
			t.Fatalf("DataVec fails: %s; we answer %s", c.Error, got)
		}
		return
	}
	if want := c.want(); err != nil || got != want {
		t.Errorf("%v\n%s\nwanted\n%s", err, got, want)
	}
}

// items reads all rows or sequences of a reader, as text.
func (c smallCase) items(t *testing.T, dir string) (string, error) {
	rows, err := c.Settings.Readers["data"].open(t, dir)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var list []string
	for {
		item, err := rows.Next()
		if err == io.EOF {
			return strings.Join(list, "\n"), nil
		}
		if err != nil {
			return "", err
		}
		steps := [][]string{}
		for _, row := range append(item.Sequence, item.Row) {
			if row != nil {
				steps = append(steps, tagged(row))
			}
		}
		if item.Sequence == nil {
			list = append(list, fmt.Sprintf("%q", steps[0]))
		} else {
			list = append(list, fmt.Sprintf("%q", steps))
		}
	}
}

// tagged are values as in the cases.
func tagged(row pipeline.Row) []string {
	texts := []string{}
	for _, v := range row {
		tag := map[pipeline.ValueKind]string{pipeline.TextKind: "s:", pipeline.IntegerKind: "i:", pipeline.LongKind: "l:",
			pipeline.DoubleKind: "d:", pipeline.NullKind: "null"}[v.Kind()]
		if tag != "null" {
			tag += v.String()
		}
		texts = append(texts, tag)
	}
	return texts
}

// value reads a value of the cases.
func value(t *testing.T, text string) pipeline.Value {
	tag, text, _ := strings.Cut(text, ":")
	x, err := 0.0, error(nil)
	if tag == "i" || tag == "d" {
		if x, err = pipeline.Text(text).Double(); err != nil {
			t.Fatal(err)
		}
	}
	switch tag {
	case "i":
		return pipeline.Integer(int32(x))
	case "d":
		return pipeline.Double(x)
	}
	return pipeline.Text(text)
}

// collection makes a reader of the values of a case.
func (r reader) collection(t *testing.T) source.Rows {
	row := func(texts []string) (row pipeline.Row) {
		for _, text := range texts {
			row = append(row, value(t, text))
		}
		return row
	}
	var items []pipeline.Item
	for _, texts := range r.Rows {
		items = append(items, pipeline.Item{Row: row(texts)})
	}
	schema := &pipeline.Schema{Sequence: r.Sequences != nil}
	for _, steps := range r.Sequences {
		sequence := []pipeline.Row{}
		for _, texts := range steps {
			sequence = append(sequence, row(texts))
		}
		items = append(items, pipeline.Item{Sequence: sequence})
	}
	first := items[0].Row
	if schema.Sequence {
		first = items[0].Sequence[0]
	}
	for i := range first {
		schema.Columns = append(schema.Columns, pipeline.DoubleColumn{Name: strconv.Itoa(i)})
	}
	return records.Collection(schema, items...)
}

// batches reads all minibatches, as text.
func (c smallCase) batches(t *testing.T, dir string) (string, error) {
	it, err := c.Settings.iterator(t, dir)
	if err != nil {
		return "", err
	}
	var list []string
	for {
		m, err := it.Next()
		if err == io.EOF {
			return strings.Join(list, "\n"), nil
		}
		if err == nil {
			err = m.Validate()
		}
		if err != nil {
			return "", err
		}
		list = append(list, text(m))
	}
}

// text writes a minibatch.
func text(m *data.MultiDataSet) string {
	of := func(list []*tensor.Dense, n int) (all []*array32) {
		for i := range n {
			var a *array32
			if i < len(list) && list[i] != nil {
				a = &array32{Shape: list[i].Shape}
				for _, x := range list[i].Data {
					a.Values = append(a.Values, strconv.FormatFloat(float64(x), 'g', -1, 32))
				}
			}
			all = append(all, a)
		}
		return all
	}
	f, l := len(m.Features), len(m.Labels)
	return answer{of(m.Features, f), of(m.Labels, l), of(m.FeatureMasks, f), of(m.LabelMasks, l)}.String()
}

func (a answer) String() string {
	var b strings.Builder
	for _, list := range [][]*array32{a.Features, a.Labels, a.FeatureMasks, a.LabelMasks} {
		for _, x := range list {
			if x == nil {
				b.WriteString(" none")
			} else {
				fmt.Fprintf(&b, " %v%v", x.Shape, x.Values)
			}
		}
		b.WriteString(" |")
	}
	return b.String()
}

// want is DataVec's answer, as text.
func (c smallCase) want() string {
	var list []string
	for _, row := range c.Rows {
		list = append(list, fmt.Sprintf("%q", row))
	}
	for _, steps := range c.Sequences {
		list = append(list, fmt.Sprintf("%q", steps))
	}
	for _, a := range c.Batches {
		for _, list := range [][]*array32{a.Features, a.Labels, a.FeatureMasks, a.LabelMasks} {
			for _, x := range slices.DeleteFunc(slices.Clone(list), func(x *array32) bool { return x == nil }) {
				for i, v := range x.Values {
					if n, err := strconv.ParseFloat(v, 32); err == nil {
						x.Values[i] = strconv.FormatFloat(n, 'g', -1, 32)
					}
				}
			}
		}
		list = append(list, a.padded().String())
	}
	return strings.Join(list, "\n")
}

// padded has as many masks as arrays: no masks at all are written as null.
func (a answer) padded() answer {
	for len(a.FeatureMasks) < len(a.Features) {
		a.FeatureMasks = append(a.FeatureMasks, nil)
	}
	for len(a.LabelMasks) < len(a.Labels) {
		a.LabelMasks = append(a.LabelMasks, nil)
	}
	return a
}
