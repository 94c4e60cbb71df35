package pipeline_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// TestJoins compares joins with the real DataVec's.
func TestJoins(t *testing.T) {
	z := oracle(t, "join")
	for _, name := range cases(z) {
		t.Run(name, func(t *testing.T) {
			dir := "join/" + name + "/"
			var c struct {
				transformCase
				Join struct {
					Type  string
					Left  []string `json:"left_keys"`
					Right []string `json:"right_keys"`
				}
			}
			readJSON(t, z, dir+"case.json", &c)
			j := pipeline.Join{Type: pipeline.JoinType(c.Join.Type), LeftKeys: c.Join.Left, RightKeys: c.Join.Right}
			plan := bindJoin(t, j, content(t, z, dir+"left-schema.json"), content(t, z, dir+"right-schema.json"))
			out, err := runJoin(plan, csvRows(t, content(t, z, dir+"left.csv")), csvRows(t, content(t, z, dir+"right.csv")))
			if err != nil {
				t.Fatal(err)
			}
			var want cells
			readJSON(t, z, dir+"output.json", &want)
			mendJoin(name, &want)
			items := make([]pipeline.Item, len(out))
			for i, r := range out {
				items[i].Row = r
			}
			compareItems(t, items, want, plan.Out(), c.transformCase)
			compareSchemas(t, plan.Out(), content(t, z, dir+"final-schema.json"))
		})
	}
}

// bindJoin binds a join after writing and reading it.
func bindJoin(t *testing.T, j pipeline.Join, left, right []byte) *pipeline.JoinPlan {
	t.Helper()
	text, err := j.JSON()
	if err != nil {
		t.Fatal(err)
	}
	read, err := pipeline.ParseJoin(text)
	if err != nil {
		t.Fatal(err)
	}
	l, err := pipeline.ParseSchema(left)
	if err != nil {
		t.Fatal(err)
	}
	r, err := pipeline.ParseSchema(right)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := read.Bind(l, r)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func runJoin(plan *pipeline.JoinPlan, left, right []pipeline.Row) (out []pipeline.Row, err error) {
	run := plan.Start(func(r pipeline.Row) error {
		out = append(out, r)
		return nil
	})
	for _, r := range right {
		if err := run.PushRight(r); err != nil {
			return nil, err
		}
	}
	for _, r := range left {
		if err := run.PushLeft(r); err != nil {
			return nil, err
		}
	}
	return out, run.Close()
}

func csvRows(t *testing.T, text []byte) (rows []pipeline.Row) {
	records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records {
		var row pipeline.Row
		for _, s := range record {
			row = append(row, pipeline.Text(s))
		}
		rows = append(rows, row)
	}
	return rows
}

// TestJoinValues joins by values, in the order of the left rows, and refuses what cannot be joined.
func TestJoinValues(t *testing.T) {
	left := &pipeline.Schema{Columns: []pipeline.Column{pipeline.DoubleColumn{Name: "k"},
		pipeline.StringColumn{Name: "a"}}}
	right := &pipeline.Schema{Columns: []pipeline.Column{pipeline.StringColumn{Name: "b"},
		pipeline.DoubleColumn{Name: "k2"}}}
	x, text := pipeline.Double, pipeline.Text
	nan, _ := text("NaN").Double()
	zero, _ := text("-0.0").Double()
	half := pipeline.Float(0.5)
	lefts := []pipeline.Row{{x(nan), text("n")}, {x(0), text("zero")}, {half, text("half")}, {pipeline.Null(),
		text("null")},
		{text("2"), text("two")}, {x(7), text("seven")}}
	rights := []pipeline.Row{{text("N"), x(nan)}, {text("Z"), x(zero)}, {text("H"), x(0.5)}, {text("H2"), x(0.5)},
		{text("T"), x(2)}, {text("0"), pipeline.Null()}}
	for _, c := range []struct {
		kind pipeline.JoinType
		want string
	}{
		{pipeline.InnerJoin, "[[0.0 zero Z] [0.5 half H] [0.5 half H2] [NullWritable null 0]]"},
		{pipeline.FullOuterJoin, "[[NaN n NullWritable] [0.0 zero Z] [0.5 half H] [0.5 half H2] [NullWritable null 0] " +
			"[2 two NullWritable] [7.0 seven NullWritable] [NaN NullWritable N] [2.0 NullWritable T]]"},
	} {
		j := pipeline.Join{Type: c.kind, LeftKeys: []string{"k"}, RightKeys: []string{"k2"}}
		plan, err := j.Bind(left, right)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := runJoin(plan, lefts, rights); err != nil || fmt.Sprint(out) != c.want {
			t.Errorf("%s: %v, %v, want %s", c.kind, out, err, c.want)
		}
	}
	for _, c := range []struct {
		join pipeline.Join
		want string
	}{
		{pipeline.Join{Type: "Cross", LeftKeys: []string{"k"}, RightKeys: []string{"k2"}}, `no joinType "Cross"`},
		{pipeline.Join{Type: "Inner"}, "at least one"},
		{pipeline.Join{Type: "Inner", LeftKeys: []string{"k"}}, `right table: there is no column "k"`},
		{pipeline.Join{Type: "Inner", LeftKeys: []string{"x"}, RightKeys: []string{"k2"}},
			`left table: there is no column "x"`},
	} {
		if _, err := c.join.Bind(left, right); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.join, err, c.want)
		}
	}
	if _, err := (&pipeline.Join{Type: "Inner", LeftKeys: []string{"a"}}).Bind(left, left); err == nil {
		t.Error("two columns of one name are not refused")
	}
}
