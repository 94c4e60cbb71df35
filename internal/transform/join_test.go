package transform_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/transform"
	"github.com/dl4go/dl4go/pipeline"
)

// TestJoinOracle runs DataVec's joins as a user would, here and with workers that run a pipeline on the joined rows.
func TestJoinOracle(t *testing.T) {
	cases := unpacked(t, "../../pipeline/testdata/join.zip", 6)
	e := onEngine(t, "processes[2]")
	for _, c := range cases {
		t.Run(filepath.Base(c), func(t *testing.T) { testJoin(t, e, c) })
	}
}

func testJoin(t *testing.T, e engine.Engine, dir string) {
	var c struct {
		oracleCase
		Join struct {
			Type  string
			Left  []string `json:"left_keys"`
			Right []string `json:"right_keys"`
		}
	}
	readCase(t, filepath.Join(dir, "case.json"), &c)
	text := func(name string) json.RawMessage { return json.RawMessage(content(t, filepath.Join(dir, name))) }
	join, err := json.Marshal(map[string]any{"joinType": c.Join.Type, "joinColumnsLeft": c.Join.Left,
		"joinColumnsRight": c.Join.Right, "leftSchema": text("left-schema.json"), "rightSchema": text("right-schema.json")})
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("join.json"), join, 0o600); err != nil {
		t.Fatal(err)
	}
	csv := func(name string) source.Name { return source.Name{Kind: "csv", Place: at(name)} }
	s := transform.Settings{Join: at("join.json"), Data: csv("left.csv"), Right: csv("right.csv"), Output: at("out.jsonl"),
		Arrays: true}
	if _, err := transform.Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	here := content(t, s.Output)
	schema, err := pipeline.ParseSchema([]byte(content(t, at("final-schema.json"))))
	if err != nil {
		t.Fatal(err)
	}
	var want table
	readCase(t, at("output.json"), &want)
	switch filepath.Base(dir) { // defects of DataVec: package pipeline tests our behaviour
	case "only-keys-1", "two-keys-1":
	default:
		compareLines(t, here, want, schema, c.oracleCase)
	}
	s.Engine = func(context.Context) (engine.Engine, error) { return e, nil }
	if _, err := transform.Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if there := content(t, s.Output); there != here {
		t.Errorf("workers write\n%s\nand this process\n%s", there, here)
	}
}

// TestJoinFiles: a join finds columns by the names in the files, a pipeline takes the joined rows, and mistakes are
// reported.
func TestJoinFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	s := transform.Settings{
		Join: write("j.json", `{"joinType": "FullOuter", "joinColumnsLeft": ["id"], "joinColumnsRight": ["customer"]}`),
		Data: source.Name{Kind: "csv", Place: write("l.csv", "id,name\n1,a\n2,b\n4,d,x\n")},
		Right: source.Name{Kind: "jsonl", Place: write("r.jsonl", `{"n": 5, "customer": "2"}`+"\n"+
			`{"n": 6, "customer": "3"}`+"\n")},
		Output: filepath.Join(dir, "out.csv"), Bad: &source.BadRows{Ragged: true},
	}
	if _, err := transform.Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, s.Output), "id,name,n\n1,a,\n2,b,5\n3,,6\n"; got != want || s.Bad.Skipped != 1 {
		t.Errorf("%q, want %q; %s", got, want, s.Bad.Notice())
	}
	s.Pipeline = write("p.json", `{"initialSchema": {"@class": "org.datavec.api.transform.schema.Schema", "columns": [
		{"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "n"},
		{"@class": "org.datavec.api.transform.metadata.StringMetaData", "name": "id"}]}, "actionList": []}`)
	if _, err := transform.Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, s.Output), "n,id\n,1\n5,2\n6,3\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.Join = write("k.json", `{"joinColumnsLeft": ["nr"], "joinColumnsRight": ["customer"]}`)
	_, err := transform.Run(t.Context(), s)
	if err == nil || !strings.Contains(err.Error(), `the left table: there is no column "nr": the columns are id, name`) {
		t.Error(err)
	}
}
