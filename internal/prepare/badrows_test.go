package prepare

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
)

// TestBadRowsOnEngines: rows that can't be read, and rows that the pipeline refuses, are skipped up to the limit. The
// other rows make the same examples as without the bad ones, and workers skip the same rows as this process.
func TestBadRowsOnEngines(t *testing.T) {
	good := messyRows(300)
	bad := slices.Clone(good)
	for at, line := range map[int]string{40: "r,1\n", 130: "r,1,red,2026-01-01,s1,2,1,x,more\n",
		250: "r,1,red,2026-01-01,s1,much,1,x\n"} {
		bad = slices.Insert(bad, at, line)
	}
	numbers := func() *pipeline.Pipeline { // it refuses texts
		return &pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{
			pipeline.StringColumn{Name: "price"}, pipeline.StringColumn{Name: "kind"}}},
			Steps: []pipeline.Step{pipeline.ConvertToDouble{Column: "price"}}}
	}
	with := func(lines []string, policy string) source.Name {
		n := inFiles(t, lines, 3)
		n.Settings["bad-rows"] = policy
		return n
	}
	engines := []engine.Engine{onEngine(t, "local[3]"), onEngine(t, "processes[2]")}
	for name, s := range map[string]Settings{
		"a given pipeline":    {Pipeline: numbers()},
		"parts":               {Pipeline: numbers(), Split: Split{Share: 0.5}},
		"a proposed pipeline": {Proposal: median, Sample: 250},
	} {
		n := with(bad, "skip:3")
		want, err := Open(t.Context(), n, s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sortNotices(want)
		if name == "a given pipeline" {
			clean, err := Open(t.Context(), inFiles(t, good, 3), s)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(examplesOf(t, want.Train), examplesOf(t, clean.Train)) {
				t.Error("the examples are not those of the good rows")
			}
		}
		for _, e := range engines {
			got, err := OpenOn(t.Context(), e, n, s, distributed.OpenOptions{})
			if err != nil {
				t.Errorf("%s on %s: %v", name, e.Master(), err)
				continue
			}
			sortNotices(got)
			sameResult(t, name+" on "+e.Master(), got, want)
		}
	}
	for policy, text := range map[string]string{
		"fail":   ":42:1: this line has 2 fields",
		"skip:1": "bad-rows=skip:1 allows no more",
		"skip:2": "bad-rows=skip:2 allows no more",
		"ragged": `column "price": "much" is not a number`,
	} {
		n, s := with(bad, policy), Settings{Pipeline: numbers()}
		_, here := Open(t.Context(), n, s)
		_, there := OpenOn(t.Context(), engines[0], n, s, distributed.OpenOptions{})
		for _, err := range []error{here, there} {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v, want %q", policy, err, text)
			}
		}
		advice := "leave such rows out with bad-rows=skip:N"
		if policy == "fail" && !strings.Contains(there.Error(), advice) {
			t.Errorf("%v, want %q", there, advice)
		}
	}
}

// otherFile matches the name of the first file in an error. Workers know only their own files.
var otherFile = regexp.MustCompile(`first line of \S+ has`)

// sortNotices sorts the errors of skipped rows, which workers report in another order.
func sortNotices(r *Result) {
	for i, n := range r.Notices {
		if count, errs, ok := strings.Cut(n.Text, " skipped: "); ok {
			all := strings.Split(otherFile.ReplaceAllString(errs, "first line has"), "; ")
			slices.Sort(all)
			r.Notices[i].Text = fmt.Sprint(count, " skipped: ", all)
		}
	}
}

// TestForeignUnits: a row with another unit than the rest of its column is a bad row, here and on workers. The error
// names the file, the row and the column.
func TestForeignUnits(t *testing.T) {
	lines := []string{"weight,kind\n"}
	for i := range 300 {
		lines = append(lines, fmt.Sprintf("%d.5 kg,%s\n", i*7%31, []string{"a", "b"}[i%2]))
	}
	lines[123] = "12 lb,a\n"
	n := source.Name{Kind: "csv", Place: filepath.Join(t.TempDir(), "units.csv")}
	if err := os.WriteFile(n.Place, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, e := range []engine.Engine{nil, onEngine(t, "local[2]"), onEngine(t, "processes[2]")} {
		open := func(policy string) (*Result, error) {
			of := n
			of.Settings = map[string]string{"label": "kind", "bad-rows": policy}
			if e == nil {
				return Open(t.Context(), of, Settings{})
			}
			return OpenOn(t.Context(), e, of, Settings{}, distributed.OpenOptions{})
		}
		_, err := open("fail")
		for _, want := range []string{".csv:124", `column "weight": "12 lb"`} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, wanted %s", err, want)
			}
		}
		r, err := open("skip:1")
		if err != nil {
			t.Fatal(err)
		}
		if r.Train.Info().Examples != 299 || !strings.Contains(r.Columns[0].Reason, `1 value in another unit ("12 lb")`) {
			t.Errorf("%d examples; %s", r.Train.Info().Examples, r.Columns[0].Reason)
		}
	}
}

// TestUnlabelledRows: rows without a label are bad rows for a proposed pipeline and for a given one, here and on
// workers. The other rows make the same examples as without them.
func TestUnlabelledRows(t *testing.T) {
	good := messyRows(300)
	bad := slices.Clone(good)
	for _, at := range []int{40, 250} {
		bad = slices.Insert(bad, at, "r,1.5,red,2026-01-01,s1,2,1,\n")
	}
	given := &pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{
		pipeline.DoubleColumn{Name: "price"}, pipeline.StringColumn{Name: "kind"}}}}
	engines := []engine.Engine{nil, onEngine(t, "local[2]"), onEngine(t, "processes[2]")}
	for name, s := range map[string]Settings{
		"given":           {Pipeline: given},
		"proposed":        {Proposal: median},
		"proposed, parts": {Proposal: median, Split: Split{Share: 0.5}},
	} {
		want, notices := []string(nil), ""
		for _, e := range engines {
			open := func(lines []string, policy string) (*Result, error) {
				n := inFiles(t, lines, 1)
				n.Place = filepath.Join(n.Place, "0.csv")
				n.Settings["bad-rows"] = policy
				if e == nil {
					return Open(t.Context(), n, s)
				}
				return OpenOn(t.Context(), e, n, s, distributed.OpenOptions{})
			}
			if _, err := open(bad, "fail"); err == nil || !strings.Contains(err.Error(),
				`0.csv:42: column "kind": the label is missing`) && !strings.Contains(err.Error(),
				`0.csv:42:1: column "kind": the label is missing`) {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := open(bad, "skip:1"); err == nil || !strings.Contains(err.Error(), "bad-rows=skip:1 allows no more") {
				t.Errorf("%s: %v", name, err)
			}
			got, err := open(bad, "skip:2")
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			var texts []string
			for _, n := range got.Notices {
				texts = append(texts, n.Text[:strings.Index(n.Text+"/", "/")]+n.Text[strings.LastIndex(n.Text, "/")+1:])
			}
			if !slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "2 rows were skipped") }) {
				t.Errorf("%s: %q", name, texts)
			}
			all := append(examplesOf(t, got.Train), examplesOf(t, got.HeldOut)...)
			if len(all) != 300 {
				t.Errorf("%s: %d examples", name, len(all))
			}
			if e == nil {
				want, notices = all, fmt.Sprint(texts)
			} else if !slices.Equal(all, want) || fmt.Sprint(texts) != notices {
				t.Errorf("%s on %s: other examples, or %q, want %q", name, e.Master(), texts, notices)
			}
		}
	}
}
