//go:build spark

package spark_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// tables is a session in which a test makes tables, and an engine that reads them.
type tables struct {
	*testing.T
	session *connect.Session
	engine  engine.Engine
	engine.Tables
	ctx    context.Context
	suffix string
	made   []string
}

func newTables(t *testing.T) *tables {
	t.Helper()
	e := shared(t)
	on, err := engine.TablesOf(e)
	if err != nil {
		t.Fatal(err)
	}
	a, err := connect.ParseAddress(os.Getenv("DL4GO_SPARK"))
	if err != nil {
		t.Fatal(err)
	}
	ctx := await.Context(t)
	s, err := connect.Open(ctx, a, connect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ts := &tables{T: t, session: s, engine: e, Tables: on, ctx: ctx, suffix: fmt.Sprintf("_%x", rand.Uint32())}
	t.Cleanup(func() {
		for _, name := range ts.made {
			if _, err := s.Exec(context.Background(), "DROP TABLE IF EXISTS "+name); err != nil {
				t.Error(err)
			}
		}
		s.Close(context.Background())
	})
	return ts
}

// name returns a table name that nothing else uses. The table is dropped at the end.
func (t *tables) name(name string) string {
	name += t.suffix
	t.made = append(t.made, name)
	return name
}

// table makes a table from a query's rows.
func (t *tables) table(name, query string) string {
	t.Helper()
	name = t.name(name)
	if err := t.session.SaveTable(t.ctx, connect.SQL(query), name, "", connect.ErrorIfExists, connect.Run{}); err != nil {
		t.Fatal(err)
	}
	return name
}

// text returns the rows of a query with one text column.
func (t *tables) text(query string) (rows []string) {
	t.Helper()
	if err := t.session.Collect(t.ctx, connect.SQL(query), connect.Run{}, func(b *arrow.Batch) error {
		for i := range b.Rows {
			rows = append(rows, b.Columns[0].Text(i))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return rows
}

// pick selects the columns of a query. Each of texts becomes a cell of text. The others become one cell of numbers
// together or, with apart, one each.
func (t *tables) pick(query string, apart bool, texts ...string) (picks []engine.Pick) {
	t.Helper()
	columns, err := t.QueryColumns(t.ctx, query)
	if err != nil {
		t.Fatal(err)
	}
	var numbers engine.Pick
	for _, c := range columns {
		switch {
		case slices.Contains(texts, c.Name):
			picks = append(picks, engine.Pick{Columns: []engine.Column{c}, Text: true})
		case apart:
			picks = append(picks, engine.Pick{Columns: []engine.Column{c}})
		default:
			numbers.Columns = append(numbers.Columns, c)
		}
	}
	if numbers.Columns != nil {
		picks = append(picks, numbers)
	}
	return picks
}

func (t *tables) data(q engine.Query) *engine.Dataset {
	t.Helper()
	d, err := t.Query(t.ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// cells collects rows and returns them by the text in their first cell.
func (t *tables) cells(d *engine.Dataset) map[string][]engine.Cell {
	t.Helper()
	all := make(map[string][]engine.Cell)
	if err := d.Collect(t.ctx, func(_ int, row engine.Row) error {
		cells, err := engine.Cells(row.Bytes)
		if err == nil {
			all[string(cells[0].Text)] = cells[1:]
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func numbers(x ...float32) engine.Cell { return engine.Cell{Shape: []int{len(x)}, Numbers: x} }

// TestQueryTypes reads every type of column that can be read.
func TestQueryTypes(t *testing.T) {
	t.Parallel()
	ts := newTables(t)
	s, d := float32(math.Float32frombits(1)), 0.1
	for _, test := range []struct {
		query string
		texts []string
		apart bool
		want  map[string][]engine.Cell
	}{
		{"SELECT 'a' AS id, true b, tinyint(-128) t, smallint(-3) s, int(16777217) i, bigint(9007199254740993) l, " +
			"float('1.4E-45') f, 0.1D d, 1234567.125BD n, float('-0') z",
			[]string{"id"}, false, map[string][]engine.Cell{"a": {numbers(1, -128, -3, 16777216, 9007199254740992, s, float32(d),
				1234567.125, 0)}}},
		{"SELECT 'a' AS id, 3 AS one", []string{"id"}, false,
			map[string][]engine.Cell{"a": {{Shape: []int{}, Numbers: []float32{3}}}}},
		{"SELECT 'a' AS id, array(1.5f, -2f) f, array(0.1D) d, array(1BD, 2.5BD) n, array(true, false) b, " +
			"array(tinyint(7)) t, array(bigint(5)) l", []string{"id"}, false,
			map[string][]engine.Cell{"a": {numbers(1.5, -2, float32(d), 1, 2.5, 1, 0, 7, 5)}}},
		{"SELECT 'a' AS id, array(array(1, 2, 3), array(4, 5, 6)) m, array(array(array(1D), array(2D))) v, " +
			"array(float(0.25)) w", []string{"id"}, true,
			map[string][]engine.Cell{"a": {{Shape: []int{2, 3}, Numbers: []float32{1, 2, 3, 4, 5, 6}},
				{Shape: []int{1, 2, 1}, Numbers: []float32{1, 2}}, numbers(0.25)}}},
		{"SELECT * FROM VALUES ('a', 1, array(2f, 3f), 4, 5), ('b', 6, array(7f), 8, 9) AS t(id, x, a, y, `odd ``name`)",
			[]string{"id"}, false,
			map[string][]engine.Cell{"a": {numbers(1, 2, 3, 4, 5)}, "b": {numbers(6, 7, 8, 9)}}},
		{"SELECT 'a' AS id, 7 AS i, 1e-7D AS d, 1.50BD AS n, true AS b, date'0001-02-03' AS day, timestamp_micros(-1) AS " +
			"t, timestamp_ntz'2020-03-29 02:30:00.123456' AS tn, X'00FF0A09' AS x, NULL AS void",
			[]string{"id", "i", "d", "n", "b", "day", "t", "tn", "x"}, false, nil},
		{"SELECT 'a' AS id, 7 AS i, 1e-7D AS d, 1.50BD AS n, true AS b, date'0001-02-03' AS day, timestamp_micros(-1) AS " +
			"t, timestamp_ntz'2020-03-29 02:30:00.123456' AS tn, X'00FF0A09' AS x, int(NULL) AS void",
			[]string{"id", "i", "d", "n", "b", "day", "t", "tn", "x", "void"}, false,
			map[string][]engine.Cell{"a": {{Text: []byte("7")}, {Text: []byte("1.0E-7")}, {Text: []byte("1.50")},
				{Text: []byte("true")},
				{Text: []byte("0001-02-03")}, {Text: []byte("-1")}, {Text: []byte("2020-03-29 02:30:00.123456")},
				{Text: []byte("\x00\xff\n\t")}, {}}}},
		{`SELECT id, x FROM VALUES ('', 1), ('tab\tline\nquote\'"\\', 2), ('ünï ☃ \0', 3), ('é', 4) AS t(id, x)`,
			[]string{"id"}, false, map[string][]engine.Cell{
				"": {{Shape: []int{}, Numbers: []float32{1}}}, "tab\tline\nquote'\"\\": {{Shape: []int{}, Numbers: []float32{2}}},
				"ünï ☃ \x00": {{Shape: []int{}, Numbers: []float32{3}}}, "é": {{Shape: []int{}, Numbers: []float32{4}}}}},
	} {
		q := engine.Query{SQL: test.query, Pick: ts.pick(test.query, test.apart, test.texts...), Partitions: 2}
		if test.want == nil {
			if _, err := ts.Query(ts.ctx, q); err == nil || !strings.Contains(err.Error(), "void") {
				t.Errorf("%s: error %v, wanted one about a type", test.query, err)
			}
			continue
		}
		if got := ts.cells(ts.data(q)); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s:\n%+v, wanted\n%+v", test.query, got, test.want)
		}
	}
}

// TestQueryExact sends bits through Spark. Each float32 must come back.
func TestQueryExact(t *testing.T) {
	t.Parallel()
	ts := newTables(t)
	const n, size = 400, 50
	r := rand.New(rand.NewPCG(3, 4))
	ids, values := make([]int64, n), make([]float32, n*size)
	lengths := make([]int, n)
	for i := range values {
		for {
			values[i] = math.Float32frombits(r.Uint32())
			if i == 0 {
				values[i] = math.Float32frombits(unhash42)
			}
			if values[i]-values[i] == 0 && math.Float32bits(values[i]) != 1<<31 {
				break
			}
		}
	}
	for i := range ids {
		ids[i], lengths[i] = int64(i), size
	}
	doubles := make([]float64, len(values))
	for i, x := range values {
		doubles[i] = float64(x)
	}
	relation, err := ts.session.Upload(ts.ctx, &arrow.Batch{Rows: n,
		Schema: arrow.Schema{{Name: "id", Type: arrow.Of(arrow.Int64)},
			{Name: "f", Type: arrow.ListOf(arrow.Of(arrow.Float32))}, {Name: "d", Type: arrow.ListOf(arrow.Of(arrow.Float64))}},
		Columns: []arrow.Column{arrow.Int64s(ids), arrow.Lists(lengths, arrow.Float32s(values)),
			arrow.Lists(lengths, arrow.Float64s(doubles))}})
	if err != nil {
		t.Fatal(err)
	}
	name := ts.name("exact")
	relation = relation.WithColumn("v", connect.Func("array_to_vector", connect.Col("d")))
	if err := ts.session.SaveTable(ts.ctx, relation, name, "", connect.ErrorIfExists, connect.Run{}); err != nil {
		t.Fatal(err)
	}
	query := "SELECT *, f[0] AS one FROM " + name
	got := ts.cells(ts.data(engine.Query{SQL: query, Pick: ts.pick(query, true, "id"), Partitions: 3}))
	for i := range n {
		want := values[i*size : (i+1)*size]
		cells := got[fmt.Sprint(i)]
		if len(cells) != 4 || !slices.Equal(cells[0].Numbers, want) || !slices.Equal(cells[1].Numbers, want) ||
			!slices.Equal(cells[2].Numbers, want) || cells[3].Numbers[0] != want[0] {
			t.Fatalf("row %d: %v, wanted %v", i, cells, want)
		}
	}
}

// unhash42 has the bits whose hash is that of NULL.
const unhash42 = 0x8643285b

// TestQueryOrder checks that the same rows have the same places each time, however the table is laid out.
func TestQueryOrder(t *testing.T) {
	t.Parallel()
	ts := newTables(t)
	rows := "SELECT string(id %% 700) AS id, float(id %% 7) AS x, array(double(id %% 700), 0.5D) AS a FROM range(0, " +
		"1000, 1, %d)"
	first := ts.table("first", fmt.Sprintf(rows, 1))
	second := ts.table("second", fmt.Sprintf(rows, 5)+" ORDER BY x DESC, id")
	var want []engine.Commit
	var order []string
	for _, partitions := range []int{1, 3} {
		want, order = nil, nil
		for i, query := range []string{"SELECT * FROM " + first, "SELECT * FROM " + second,
			"SELECT * FROM " + second + " ORDER BY rand()"} {
			d := ts.data(engine.Query{SQL: query, Pick: ts.pick(query, false, "id"), Partitions: partitions})
			for range 2 {
				commits, err := d.Commits(ts.ctx)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = commits
				}
				if !slices.EqualFunc(commits, want, engine.Commit.Same) {
					t.Errorf("%s: %v, wanted %v", query, commits, want)
				}
			}
			if i == 0 {
				ts.cells(d)
			}
		}
		total := int64(0)
		for _, c := range want {
			total += c.Rows
			if partitions > 1 && (c.Rows < 200 || c.Rows > 500) {
				t.Errorf("%v: a third of 1000 is elsewhere", c)
			}
		}
		if total != 1000 || len(want) != partitions {
			t.Errorf("%d rows in %d partitions, wanted 1000 in %d", total, len(want), partitions)
		}
	}
	query := "SELECT id FROM range(0, 1000, 1, 7) ORDER BY reverse(lpad(id, 3, '0')) DESC"
	d := ts.data(engine.Query{SQL: query, Pick: ts.pick(query, false, "id"), Ordered: true, Partitions: 4})
	if err := d.Collect(ts.ctx, func(_ int, row engine.Row) error {
		cells, err := engine.Cells(row.Bytes)
		order = append(order, string(cells[0].Text))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	reversed := func(s string) string {
		b := []byte(fmt.Sprintf("%03s", s))
		slices.Reverse(b)
		return string(b)
	}
	if len(order) != 1000 || d.Partitions() != 1 ||
		!slices.IsSortedFunc(order, func(a, b string) int { return strings.Compare(reversed(b), reversed(a)) }) {
		t.Errorf("%d rows in %d partitions, not in the query's order: %v …", len(order), d.Partitions(),
			order[:min(20, len(order))])
	}
}

// TestQueryMistakes checks that errors say what is wrong, where, and what to do.
func TestQueryMistakes(t *testing.T) {
	t.Parallel()
	ts := newTables(t)
	name := ts.table("kept", "SELECT 1 AS id")
	for query, want := range map[string][]string{
		"SELECT * FROM no_such_table":                                 {"no_such_table", "cannot be found", "SHOW TABLES"},
		"SELEC 1":                                                     {"must begin with SELECT"},
		"SELECT nothing FROM range(1)":                                {"nothing", "Did you mean", "id"},
		"DROP TABLE " + name:                                          {"must begin with SELECT"},
		"WITH a AS (SELECT 1) DELETE":                                 {"Syntax error"},
		"SELECT 1; DROP TABLE " + name:                                {"Syntax error"},
		"SELECT 1\nAS x\nFROM range(2":                                {"Syntax error", "end of input"},
		"FROM " + name + " INSERT INTO " + name + " SELECT id":        {"Syntax error", "INSERT", "change nothing"},
		"WITH a AS (SELECT 2 AS id) INSERT INTO " + name + " TABLE a": {"Syntax error", "change nothing"},
		"FROM " + name + " SELECT TRANSFORM(id) USING 'cat' INSERT INTO " + name + " SELECT id": {"Syntax error"},
		"TABLE " + name + ") INSERT INTO " + name + " (SELECT 3":                                {"Syntax error"},
		"SELECT ? AS x": {"parameter"},
	} {
		_, err := ts.QueryColumns(ts.ctx, query)
		if err == nil {
			t.Errorf("%s: no error", query)
			continue
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: error %v, wanted %q in it", query, err, part)
			}
		}
		if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "SQLSTATE") {
			t.Errorf("%s: Spark's plan is in the error: %v", query, err)
		}
	}
	if got := ts.text("SELECT string(count(*)) FROM " + name); !slices.Equal(got, []string{"1"}) {
		t.Errorf("the table has %v rows", got)
	}
	divided := "DIVIDE_BY_ZERO"
	if strings.HasPrefix(ts.session.Version(), "3.") { // the result is NULL, unless ANSI mode is on
		divided = "column x is NULL"
	}
	for query, want := range map[string]string{
		"SELECT 'k' AS id, 1 AS x, int(NULL) AS " +
			"y": `column y is NULL in the row with id = "k": leave such rows out (WHERE y IS NOT NULL)`,
		"SELECT 'k' AS id, array(float(NULL)) AS " +
			"a": `column a has an array with NULL in it in the row with id = "k"`,
		"SELECT 'k' AS id, array(1f) AS a UNION ALL SELECT 'l', NULL": `column a is NULL in the row with id = "l"`,
		"SELECT 'k' AS id, array(array(1), array(1, 2)) AS a":         "1 to 2 elements",
		"SELECT 'k' AS id, array(array(1), NULL) AS a":                "column a has an array with NULL in it",
		"SELECT 'k' AS id, array(double('NaN')) AS a":                 "column a has NaN",
		"SELECT 'k' AS id, 1e39D AS x":                                "column x has +Inf",
		"SELECT 'k' AS id, slice(array(1), 1, 0) AS a":                "without elements",
		"SELECT 'k' AS id, 1 / int(rand() * 0) AS x":                  divided,
	} {
		d := ts.data(engine.Query{SQL: query, Pick: ts.pick(query, false, "id")})
		if _, err := d.Commits(ts.ctx); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, wanted %q in it", query, err, want)
		}
	}
}
