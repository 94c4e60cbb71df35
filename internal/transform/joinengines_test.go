package transform_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/transform"
	"github.com/dl4go/dl4go/pipeline"
)

// joinTables writes orders into several CSV files, and customers into JSON lines and into a folder of CSV sequences,
// which only the driver can read. Some keys have no partner, and some have several.
func joinTables(t *testing.T) (orders, customers source.Name) {
	t.Helper()
	dir := t.TempDir()
	for k := range 5 {
		var text strings.Builder
		text.WriteString("nr,id,x\n")
		for i := range 60 {
			fmt.Fprintf(&text, "%d,c%d,%d.5\n", 60*k+i, (i*7+k*k)%41, i%9)
		}
		if k == 3 {
			text.WriteString("300,c1\n") // a ragged row
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(k, ".csv")), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var text strings.Builder
	for i := range 50 {
		fmt.Fprintf(&text, `{"customer": "c%d", "city": "town %d"}`+"\n", (i*3)%47, i%6)
	}
	text.WriteString(`{"customer": 3, "city"}` + "\n")
	lines := filepath.Join(t.TempDir(), "c.jsonl")
	if err := os.WriteFile(lines, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return source.Name{Kind: "csv", Place: dir}, source.Name{Kind: "jsonl", Place: lines}
}

// TestJoinOnEngines: workers join tables of several files, with and without a pipeline that gathers. The output, the
// counts and the notices are those of one process, for each type of join.
func TestJoinOnEngines(t *testing.T) {
	orders, customers := joinTables(t)
	engines := []engine.Engine{onEngine(t, "local[3]"), onEngine(t, "processes[2]")}
	grouped := &pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.StringColumn{Name: "city"},
		pipeline.StringColumn{Name: "nr"}}},
		Steps: []pipeline.Step{&pipeline.Reduce{Keys: []string{"city"}, Default: pipeline.TakeLast}}}
	for _, kind := range []string{"Inner", "LeftOuter", "RightOuter", "FullOuter"} {
		for _, p := range []*pipeline.Pipeline{nil, grouped} {
			s := transform.Settings{Data: orders, Right: customers}
			dir := t.TempDir()
			if p != nil {
				s = setup(t, p, "unused.csv", "", "out.csv")
				s.Data, s.Right = orders, customers
			}
			s.Join, s.Output = filepath.Join(dir, "join.json"), filepath.Join(dir, "out.csv")
			text := fmt.Sprintf(`{"joinType": %q, "joinColumnsLeft": ["id"], "joinColumnsRight": ["customer"]}`, kind)
			if err := os.WriteFile(s.Join, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			s.Bad = &source.BadRows{Limit: 2}
			want, err := transform.Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			here, notice := content(t, s.Output), s.Bad.Notice()
			for _, e := range engines {
				on := by(e, s)
				on.Bad = &source.BadRows{Limit: 2}
				sum, err := transform.Run(t.Context(), on)
				if err != nil || sum != want || on.Bad.Notice() != notice {
					t.Fatalf("%s, %s: %+v, %v, wanted %+v; %s; %s", e.Master(), kind, sum, err, want, on.Bad.Notice(), notice)
				}
				if content(t, s.Output) != here {
					t.Errorf("%s, %s: other bytes than in one process", e.Master(), kind)
				}
				on.Bad = &source.BadRows{Limit: 1}
				if _, err := transform.Run(t.Context(), on); err == nil || !strings.Contains(err.Error(), "skip:1 allows no more") {
					t.Errorf("%s, %s: %v", e.Master(), kind, err)
				}
			}
		}
	}
}

// TestJoinSentTables: a table that only the driver can read is joined with files that workers read, on either side.
func TestJoinSentTables(t *testing.T) {
	orders, customers := joinTables(t)
	list := filepath.Join(t.TempDir(), "list.csv")
	if err := os.WriteFile(list, []byte("text\nc1\nc2\nc77\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sent := source.Name{Kind: "custom-rows", Place: list}
	e := onEngine(t, "processes[2]")
	join := filepath.Join(t.TempDir(), "join.json")
	for _, c := range []struct {
		left, right source.Name
		keys        string
	}{
		{orders, sent, `"joinColumnsLeft": ["id"], "joinColumnsRight": ["text"]`},
		{sent, orders, `"joinColumnsLeft": ["text"], "joinColumnsRight": ["id"]`},
		{sent, sent, `"joinColumnsLeft": ["text"], "joinColumnsRight": ["text"],
			"rightSchema": {"@class": "org.datavec.api.transform.schema.Schema", "columns": [
				{"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "text"}]}`},
		{customers, orders, `"joinColumnsLeft": ["customer"], "joinColumnsRight": ["id"]`},
	} {
		if err := os.WriteFile(join, []byte(`{"joinType": "FullOuter", `+c.keys+`}`), 0o600); err != nil {
			t.Fatal(err)
		}
		s := transform.Settings{Join: join, Data: c.left, Right: c.right, Output: filepath.Join(t.TempDir(), "out.csv")}
		s.Bad = &source.BadRows{Limit: 5}
		want, err := transform.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		here := content(t, s.Output)
		s.Bad = &source.BadRows{Limit: 5}
		if sum, err := transform.Run(t.Context(), by(e, s)); err != nil || sum != want || content(t, s.Output) != here {
			t.Errorf("%s with %s: %+v, %v, wanted %+v;\n%s\nwanted\n%s", c.left, c.right, sum, err, want, content(t, s.Output),
				here)
		}
	}
}

// customRows is csv: without the methods for workers.
type customRows struct{ source.Tabular }

func init() {
	k, _ := source.KindOf("csv")
	source.Register("custom-rows", customRows{k.(source.Tabular)})
}

// TestJoinErrorsOnEngines: a mistake in the join names its file, and a row that a step refuses names its left row.
func TestJoinErrorsOnEngines(t *testing.T) {
	orders, customers := joinTables(t)
	e := onEngine(t, "local[2]")
	p := &pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.StringColumn{Name: "nr"}}},
		Steps: []pipeline.Step{refuse{}}}
	s := setup(t, p, "unused.csv", "", "out.csv")
	s.Data, s.Right, s.Join = orders, customers, filepath.Join(t.TempDir(), "join.json")
	for text, want := range map[string]string{
		`{"joinColumnsLeft": ["nr"], "joinColumnsRight": ["buyer"]}`:                             `join.json: join: the right table: there is no column "buyer"`,
		`{"joinColumnsLeft": ["id"], "joinColumnsRight": ["customer"], "joinType": "LeftOuter"}`: "3.csv:62",
	} {
		if err := os.WriteFile(s.Join, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s.Bad = &source.BadRows{Limit: 1}
		if _, err := transform.Run(t.Context(), by(e, s)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
