//go:build spark

package spark_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// TestWriteTable writes rows with keys of every type and reads them with Spark.
func TestWriteTable(t *testing.T) {
	ts := newTables(t)
	keys := ts.table("keys", `SELECT id AS row, concat('k\t\n\'"\\\0 ☃', id) AS name,
		IF(id = 3, NULL, id) AS maybe, int(id) AS i, tinyint(id) AS b,
		id / 3D AS d, float(id) / 3 AS f,
		decimal(id) / 7 AS n, id % 2 = 0 AS flag, date_add(date'2020-01-01', int(id)) AS day,
		timestamp_micros(1604197800000000 + id * 1800000001) AS t,
		timestamp_ntz'2020-11-01 01:30:00' AS tn, unhex(concat('00FF0A', lpad(hex(id), 2, '0'))) AS x,
		array(float(id) / 3, float(1e-45), float('NaN'), float('Infinity')) AS a FROM range(25)`)
	query := "SELECT * EXCEPT (a), float(row) AS x0, float(float(row) / 3) AS x1 FROM " + keys
	texts := []string{"row", "name", "maybe", "i", "b", "d", "f", "n", "flag", "day", "t", "tn", "x"}
	picks := ts.pick(query, true, texts...)
	var columns []engine.Column
	for _, p := range picks {
		columns = append(columns, p.Columns[0])
	}
	d := ts.data(engine.Query{SQL: query, Pick: picks, Partitions: 3})
	w := engine.TableWrite{Table: ts.name("written"), Columns: columns}
	differing := func(query string) string {
		// Spark doesn't look for another session's files again by itself.
		if _, err := ts.session.Exec(ts.ctx, "REFRESH TABLE "+w.Table); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(ts.text(fmt.Sprintf("SELECT string(count(*)) FROM (((%[1]s) EXCEPT ALL (SELECT * FROM %[2]s)) "+
			"UNION ALL ((SELECT * FROM %[2]s) EXCEPT ALL (%[1]s)))", query, w.Table)))
	}
	n, err := ts.WriteTable(ts.ctx, d, w)
	if err != nil || n != 25 {
		t.Fatalf("%d rows, error %v", n, err)
	}
	if got := differing(query); got != "[0]" {
		t.Errorf("%s rows differ", got)
	}
	if _, err := ts.WriteTable(ts.ctx, d, w); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("written once more: error %v", err)
	}
	w.Mode = engine.Append
	if _, err := ts.WriteTable(ts.ctx, d, w); err != nil {
		t.Error(err)
	}
	if got := differing(query + " UNION ALL " + query); got != "[0]" {
		t.Errorf("with as many appended, %s rows differ", got)
	}
	other := w
	other.Columns = columns[1:]
	if err := ts.CheckTable(ts.ctx, other); err == nil || !strings.Contains(err.Error(), "can't be added") {
		t.Errorf("other columns: error %v", err)
	}
	w.Mode = engine.Overwrite
	if _, err := ts.WriteTable(ts.ctx, d, w); err != nil {
		t.Error(err)
	}
	if got := differing(query); got != "[0]" {
		t.Errorf("overwritten, %s rows differ", got)
	}
}

// TestWriteTableFloats checks that arrays of numbers arrive bit by bit, even numbers that JSON doesn't have.
func TestWriteTableFloats(t *testing.T) {
	t.Parallel()
	ts := newTables(t)
	r := rand.New(rand.NewPCG(5, 6))
	rows := make([][]engine.Row, 3)
	want := make(map[string][]float32)
	for i := range 300 {
		x := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1))}
		for range 40 {
			if v := math.Float32frombits(r.Uint32()); v == v {
				x = append(x, v)
			}
		}
		id := fmt.Sprint(i)
		want[id] = x
		rows[i%3] = append(rows[i%3], engine.Unindexed(engine.AppendNumbers(engine.AppendNumbers(engine.AppendText(nil,
			[]byte(id)), []int{len(x)}, x), nil, []float32{float32(i)})))
	}
	rows = append(rows, nil) // an empty partition
	w := engine.TableWrite{Table: ts.name("floats"), Columns: []engine.Column{{Name: "id", Type: "string"},
		{Name: "prediction", Type: "array<float>"}, {Name: "class", Type: "int"}}}
	if n, err := ts.WriteTable(ts.ctx, engine.Parallelize(ts.engine, rows), w); err != nil || n != 300 {
		t.Fatalf("%d rows, error %v", n, err)
	}
	got := 0
	err := ts.session.Collect(ts.ctx, connect.Table(w.Table), connect.Run{}, func(b *arrow.Batch) error {
		for i := range b.Rows {
			got++
			id := b.Columns[0].Text(i)
			from, to := b.Columns[1].Range(i)
			x := make([]float32, 0, to-from)
			for ; from < to; from++ {
				x = append(x, float32(b.Columns[1].Elem().Float(from)))
			}
			same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b }
			if !slices.EqualFunc(x, want[id], same) || fmt.Sprint(b.Columns[2].Int(i)) != id {
				return fmt.Errorf("row %s: %v, class %d, wanted %v", id, x, b.Columns[2].Int(i), want[id])
			}
		}
		return nil
	})
	if err != nil || got != 300 {
		t.Errorf("%d rows, error %v", got, err)
	}
}

// spoil changes the rows of a data set after they were computed once. It is registered so that workers have it.
var spoil = engine.Register("spark_test.spoil", func(_ *engine.Task, conf string, in engine.Rows,
	out engine.Writer) error {
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		if bytes.Contains(row.Bytes, []byte("spoiled")) {
			return engine.Permanent(fmt.Errorf("this row is spoiled"))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
})

// TestWriteTableFails checks that after any failure the table is unchanged or does not exist.
func TestWriteTableFails(t *testing.T) {
	ts := newTables(t)
	columns := []engine.Column{{Name: "id", Type: "string"}}
	rows := func(ids ...string) *engine.Dataset {
		parts := make([][]engine.Row, len(ids))
		for i, id := range ids {
			parts[i] = []engine.Row{engine.Unindexed(engine.AppendText(nil, []byte(id)))}
		}
		return engine.Parallelize(ts.engine, parts)
	}
	name := ts.table("old", "SELECT 'old' AS id")
	for _, mode := range []engine.WriteMode{engine.Append, engine.Overwrite} {
		_, err := ts.WriteTable(ts.ctx, rows("a", "spoiled", "c").Map(spoil.With("")),
			engine.TableWrite{Table: name, Mode: mode, Columns: columns})
		if err == nil || !strings.Contains(err.Error(), "this row is spoiled") {
			t.Errorf("%s: error %v", mode, err)
		}
		// A value that doesn't fit the column's type is noticed when the rows are written.
		_, err = ts.WriteTable(ts.ctx, rows("1", "x"), engine.TableWrite{Table: ts.name("none"), Mode: mode,
			Columns: []engine.Column{{Name: "id", Type: "int"}}})
		if err == nil || !strings.Contains(err.Error(), "x") {
			t.Errorf("%s: error %v", mode, err)
		}
		if got := ts.text("SELECT id FROM " + name); !slices.Equal(got, []string{"old"}) {
			t.Errorf("%s: the table has %v", mode, got)
		}
	}
	if _, err := ts.session.Schema(ts.ctx, connect.Table("none"+ts.suffix)); err == nil {
		t.Error("a table was made")
	}
	for name, want := range map[string]string{"no_such_database.t": "no_such_database", "a b": "a b"} {
		if _, err := ts.WriteTable(ts.ctx, rows("a"), engine.TableWrite{Table: name, Columns: columns}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("table %s: error %v", name, err)
		}
	}
}

// TestTableKeepsTheOld checks that a table is replaced only when the new one is complete, and that nothing else is
// left.
func TestTableKeepsTheOld(t *testing.T) {
	ts := newTables(t)
	database := "swapped" + ts.suffix
	if _, err := ts.session.Exec(ts.ctx, "CREATE DATABASE "+database); err != nil {
		t.Fatal(err)
	}
	defer ts.session.Exec(context.Background(), "DROP DATABASE "+database+" CASCADE")
	columns := []engine.Column{{Name: "id", Type: "int"}}
	rows := func(texts ...string) *engine.Dataset {
		parts := make([][]engine.Row, len(texts))
		for p, text := range texts {
			parts[p] = []engine.Row{engine.Unindexed(engine.AppendText(nil, []byte(text)))}
		}
		return engine.Parallelize(ts.engine, parts)
	}
	for name, formats := range map[string][]string{ts.name("old"): {"", "orc"}, database + ".old": {""},
		"spark_catalog.`" + database + "`.`old`": {"orc"}} {
		for _, format := range formats {
			w := engine.TableWrite{Table: name, Mode: engine.Overwrite, Format: format, Columns: columns}
			if n, err := ts.WriteTable(ts.ctx, rows("1", "2"), w); err != nil || n != 2 {
				t.Fatalf("%s: %d rows, error %v", name, n, err)
			}
			if _, err := ts.WriteTable(ts.ctx, rows("3", "x"), w); err == nil || !strings.Contains(err.Error(), "x") {
				t.Errorf("%s: error %v", name, err)
			}
			read := func() []string {
				if _, err := ts.session.Exec(ts.ctx, "REFRESH TABLE "+name); err != nil {
					t.Fatal(err)
				}
				return ts.text("SELECT string(id) FROM " + name + " ORDER BY id")
			}
			if got := read(); !slices.Equal(got, []string{"1", "2"}) {
				t.Errorf("%s: after a failure it has %v", name, got)
			}
			// A table may be replaced by rows that are made from it.
			query := "SELECT id + 5 AS id FROM " + name
			if n, err := ts.WriteTable(ts.ctx, ts.data(engine.Query{SQL: query, Pick: ts.pick(query, true, "id")}),
				w); err != nil || n != 2 {
				t.Errorf("%s by itself: %d rows, error %v", name, n, err)
			}
			if got := read(); !slices.Equal(got, []string{"6", "7"}) {
				t.Errorf("%s: it has %v", name, got)
			}
			w.Format = ""
			if n, err := ts.WriteTable(ts.ctx, rows("8"), w); err != nil || n != 1 {
				t.Errorf("%s as it is: %d rows, error %v", name, n, err)
			}
			if made := strings.Join(ts.text("SHOW CREATE TABLE "+name), " "); !strings.Contains(strings.ToLower(made),
				"using "+cmp.Or(format, "parquet")) {
				t.Errorf("%s is of another format now: %s", name, made)
			}
			if _, err := ts.session.Exec(ts.ctx, "DROP TABLE "+name); err != nil {
				t.Error(err)
			}
		}
	}
	for _, in := range []string{"default", database} {
		for _, pattern := range []string{"*_before_dl4go_run*", "dl4go_run_*"} {
			r, err := ts.session.Exec(ts.ctx, "SHOW TABLES IN "+in+" LIKE '"+pattern+"'")
			if err != nil {
				t.Fatal(err)
			}
			left := 0
			if err := ts.session.Collect(ts.ctx, r, connect.Run{}, func(b *arrow.Batch) error {
				left += b.Rows
				return nil
			}); err != nil || left > 0 {
				t.Errorf("in %s, %d tables are left, error %v", in, left, err)
			}
		}
	}
}
