package analysis_test

import (
	"archive/zip"
	"encoding/csv"
	"encoding/json"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// The cases in testdata/analysis.zip and quality.zip were made by the real DataVec.

// oracle returns the files of each case of an archive.
func oracle(t testing.TB, name string) map[string]map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader("testdata/" + name + ".zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	all := map[string]map[string][]byte{}
	for _, f := range z.File {
		parts := strings.Split(f.Name, "/")
		if len(parts) != 3 || parts[2] == "" {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if all[parts[1]] == nil {
			all[parts[1]] = map[string][]byte{}
		}
		all[parts[1]][parts[2]] = text
	}
	return all
}

// given is the input of a case.
type given struct {
	schema *pipeline.Schema
	items  []pipeline.Item
	at     int
}

func (g *given) Schema() *pipeline.Schema { return g.schema }
func (g *given) Place() string            { return "row " + strconv.Itoa(g.at) }

func (g *given) Next() (pipeline.Item, error) {
	if g.at == len(g.items) {
		return pipeline.Item{}, io.EOF
	}
	g.at++
	return g.items[g.at-1], nil
}

func read(t testing.TB, files map[string][]byte) *given {
	t.Helper()
	schema, err := pipeline.ParseSchema(files["schema.json"])
	if err != nil {
		t.Fatal(err)
	}
	g := &given{schema: schema}
	if text, ok := files["input.csv"]; ok {
		lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			g.items = append(g.items, item(line))
		}
		return g
	}
	var in struct{ Rows [][]string }
	if err := json.Unmarshal(files["input.json"], &in); err != nil {
		t.Fatal(err)
	}
	for _, cells := range in.Rows {
		row := make(pipeline.Row, len(cells))
		for i, c := range cells {
			row[i] = valueOf(t, c)
		}
		g.items = append(g.items, pipeline.Item{Row: row})
	}
	return g
}

// valueOf reads a tagged cell.
func valueOf(t testing.TB, cell string) pipeline.Value {
	tag, text, _ := strings.Cut(cell, ":")
	x, err := pipeline.Text(text).Double()
	switch tag {
	case "null":
		return pipeline.Null()
	case "s":
		return pipeline.Text(text)
	case "a":
		shape, numbers, _ := strings.Cut(text, ":")
		n, _ := strconv.Atoi(shape)
		a := &pipeline.Array{Shape: []int{n}}
		for s := range strings.SplitSeq(numbers, ",") {
			x, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			a.Data = append(a.Data, x)
		}
		return pipeline.ArrayOf(a)
	}
	if err != nil {
		t.Fatal(err)
	}
	switch tag {
	case "i":
		return pipeline.Integer(int32(x))
	case "l":
		return pipeline.Long(int64(x))
	}
	return pipeline.Double(x)
}

// analysisCase is case.json.
type analysisCase struct {
	Buckets     int                 `json:"max_histogram_buckets"`
	QuantilesAt []float64           `json:"quantiles_at"`
	Quantiles   map[string][]string `json:"quantiles"`
	Error       string              `json:"error"`
	Defects     []string            `json:"defects"`
}

// TestOracle analyses each case's input, and writes and reads the analysis. It compares that, and DataVec's own file,
// with DataVec's results.
func TestOracle(t *testing.T) {
	for name, files := range oracle(t, "analysis") {
		t.Run(name, func(t *testing.T) {
			var c analysisCase
			if err := json.Unmarshal(files["case.json"], &c); err != nil {
				t.Fatal(err)
			}
			a, err := analysis.Analyze(read(t, files), analysis.AnalyzeOptions{Buckets: c.Buckets})
			if err != nil {
				t.Fatal(err)
			}
			if c.Error != "" { // a fixed defect: nothing to compare with
				return
			}
			compareAnalyses(t, rewritten(t, a), files["analysis.json"], c)
			theirs, err := analysis.ParseDataAnalysis(files["analysis.json"])
			if err != nil {
				t.Fatal(err)
			}
			compareAnalyses(t, theirs, files["analysis.json"], analysisCase{})
			if slices.Contains(c.Defects, "analysis-infinite") {
				return // their quantiles are spoiled
			}
			compareQuantiles(t, theirs, c)
			compareQuantiles(t, a, c)
			compareText(t, theirs.String(), string(files["analysis.txt"]))
			compareText(t, a.String(), string(files["analysis.txt"]))
		})
	}
}

// rewritten returns the analysis after writing and reading it, as JSON and as YAML.
func rewritten(t *testing.T, a *analysis.DataAnalysis) *analysis.DataAnalysis {
	t.Helper()
	for _, form := range []func(*analysis.DataAnalysis) ([]byte, error){
		(*analysis.DataAnalysis).JSON, (*analysis.DataAnalysis).YAML,
	} {
		text, err := form(a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := analysis.ParseDataAnalysis(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if a.String() != b.String() {
			t.Fatalf("read again, it is\n%s\nnot\n%s", b, a)
		}
		a = b
	}
	return a
}

// compareAnalyses compares numbers of two files to 1e-9, except digests and members that defects spoil.
func compareAnalyses(t *testing.T, got *analysis.DataAnalysis, want []byte, c analysisCase) {
	t.Helper()
	text, err := got.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var a, b map[string]any
	if err := json.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(want, &b); err != nil {
		t.Fatal(err)
	}
	for i, column := range b["columnAnalysis"].([]any) {
		ours, theirs := a["columnAnalysis"].([]any)[i].(map[string]any), column.(map[string]any)
		if slices.Contains(c.Defects, "analysis-infinite") && theirs["max"] == "Infinity" {
			continue
		}
		delete(ours, "digest")
		delete(theirs, "digest")
		if slices.Contains(c.Defects, "string-histogram") && strings.HasSuffix(theirs["@class"].(string),
			"StringAnalysis") {
			delete(ours, "histogramBuckets")
			delete(theirs, "histogramBuckets")
			delete(ours, "histogramBucketCounts")
			delete(theirs, "histogramBucketCounts")
		}
		if len(c.Defects) == 0 && strings.HasSuffix(theirs["@class"].(string),
			"StringAnalysis") && theirs["minLength"] != 0.0 {
			delete(ours, "histogramBuckets") // the same defect, where it only shows in the bounds
			delete(theirs, "histogramBuckets")
		}
		if !alike(ours, theirs) {
			t.Errorf("column %d:\n%v\nwant\n%v", i, ours, theirs)
		}
	}
	if !alike(a["schema"], b["schema"]) {
		t.Errorf("schema %v, want %v", a["schema"], b["schema"])
	}
}

// alike compares two JSON values, and numbers to 1e-9.
func alike(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && near.OrNaN(a, b, 0, 1e-9)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, alike)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if !alike(v, b[k]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

// compareQuantiles compares quantiles. Beyond 500 numbers, DataVec's digest depends on the order of the rows.
func compareQuantiles(t *testing.T, a *analysis.DataAnalysis, c analysisCase) {
	t.Helper()
	for i, column := range a.Columns {
		name := a.Schema.Columns[i].Title()
		for k, s := range c.Quantiles[name] {
			statistics := statisticsOf(column)
			want, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			tolerance := 1e-9
			if statistics.CountTotal > 500 {
				tolerance = 0.04
			}
			if got := statistics.Digest.Quantile(c.QuantilesAt[k]); !near.OrNaN(got, want, 0, tolerance) {
				t.Errorf("column %s: the quantile %g is %g, want %g", name, c.QuantilesAt[k], got, want)
			}
		}
	}
}

func statisticsOf(c analysis.ColumnAnalysis) analysis.NumberStatistics {
	switch c := c.(type) {
	case *analysis.IntegerAnalysis:
		return c.NumberStatistics
	case *analysis.LongAnalysis:
		return c.NumberStatistics
	case *analysis.DoubleAnalysis:
		return c.NumberStatistics
	case *analysis.TimeAnalysis:
		return c.NumberStatistics
	}
	return analysis.NumberStatistics{}
}

var printedNumber = regexp.MustCompile(`-?\d+(\.\d+)?(E-?\d+)?`)

// compareText compares printed forms: numbers to 1e-9, and quantiles of many numbers to 4 %.
func compareText(t *testing.T, got, want string) {
	t.Helper()
	tolerance := 1e-9
	if strings.Contains(want, "count=1000") {
		tolerance = 0.04
	}
	a, b := printedNumber.FindAllString(got, -1), printedNumber.FindAllString(want, -1)
	same := slices.EqualFunc(a, b, func(x, y string) bool {
		p, _ := strconv.ParseFloat(x, 64)
		q, _ := strconv.ParseFloat(y, 64)
		return near.OrNaN(p, q, 0, tolerance)
	})
	if !same || printedNumber.ReplaceAllString(got, "#") != printedNumber.ReplaceAllString(want, "#") {
		t.Errorf("printed:\n%s\nwant\n%s", got, want)
	}
}

// TestQualityOracle compares counts. Those with fixed defects are as in the table of defects.
func TestQualityOracle(t *testing.T) {
	for name, files := range oracle(t, "quality") {
		t.Run(name, func(t *testing.T) {
			var c analysisCase
			if err := json.Unmarshal(files["case.json"], &c); err != nil {
				t.Fatal(err)
			}
			q, err := analysis.CheckQuality(read(t, files), analysis.AnalyzeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(q.Columns)
			if err != nil {
				t.Fatal(err)
			}
			var got, want []map[string]any
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(files["quality.json"], &want); err != nil {
				t.Fatal(err)
			}
			nulls := slices.Contains(c.Defects, "quality-null")
			for i, column := range want {
				for key, w := range column {
					if nulls && column["missing"] != 0.0 && !slices.Contains([]string{"valid", "invalid", "missing", "total"}, key) {
						if n, ok := w.(float64); ok && key != "nan" && key != "infinite" && key != "empty" && n > 0 &&
							got[i][key] == n-1 {
							continue // there is one null, which DataVec counted
						}
					}
					if key == "alphabetic" {
						continue
					}
					if got[i][key] != w {
						t.Errorf("column %v: %s is %v, want %v", column["column"], key, got[i][key], w)
					}
				}
			}
			if len(c.Defects) == 0 {
				if strings.ReplaceAll(q.String(), "countAlphabetic=20", "countAlphabetic=9") != string(files["quality.txt"]) {
					t.Errorf("printed:\n%s\nwant\n%s", q, files["quality.txt"])
				}
			}
		})
	}
}

// TestHexadecimalTextsInQuality has the real DataVec's counts: non_real asks for Java's real numbers, and validity for
// what steps read.
func TestHexadecimalTextsInQuality(t *testing.T) {
	in := &given{schema: &pipeline.Schema{Columns: []pipeline.Column{pipeline.DoubleColumn{Name: "d", AllowNaN: true,
		AllowInfinite: true}}}}
	for _, text := range []string{"0x10", "0x1p3", "NaN", "1d", "abc", " 0x1p3", "0x"} {
		in.items = append(in.items, item([]string{text}))
	}
	q, err := analysis.CheckQuality(in, analysis.AnalyzeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "DoubleQuality(countValid=4, countInvalid=3, countMissing=0, countTotal=7, countNonReal=3, countNaN=1, " +
		"countInfinite=0)\n"
	if text := q.String(); !strings.HasSuffix(text, want) {
		t.Errorf("%s, want %s", text, want)
	}
}
