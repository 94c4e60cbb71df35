//go:build spark

package connect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/await"
)

// open opens a session on the server that DL4GO_SPARK names.
func open(t testing.TB) *Session {
	t.Helper()
	master := os.Getenv("DL4GO_SPARK")
	if master == "" {
		t.Fatal("DL4GO_SPARK names no Spark Connect server: run make test-spark, or tools/spark.sh with go test -tags " +
			"spark …")
	}
	a, err := ParseAddress(master)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), a, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// collect prints the rows of a relation, one per line.
func collect(t testing.TB, s *Session, r Relation) []string {
	t.Helper()
	var rows []string
	if err := s.Collect(t.Context(), r, Run{}, func(b *arrow.Batch) error {
		for i := range b.Rows {
			var values []string
			for c := range b.Columns {
				values = append(values, value(&b.Columns[c], i))
			}
			rows = append(rows, strings.Join(values, "|"))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return rows
}

func value(c *arrow.Column, i int) string {
	switch {
	case c.IsNull(i):
		return "null"
	case c.Type.Kind == arrow.String:
		return c.Text(i)
	case c.Type.Kind == arrow.Binary:
		return fmt.Sprintf("%x", c.Bytes(i))
	case c.Type.Kind == arrow.Bool:
		return fmt.Sprint(c.Bool(i))
	case c.Type.Kind == arrow.List:
		var values []string
		for from, to := c.Range(i); from < to; from++ {
			values = append(values, value(c.Elem(), from))
		}
		return "[" + strings.Join(values, ",") + "]"
	}
	return fmt.Sprint(c.Float(i))
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwanted\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// atLeast reports whether the server has at least this version.
func atLeast(s *Session, version string) bool { return s.Version() >= version }

func TestSparkTypes(t *testing.T) {
	s := open(t)
	expect(t, collect(t, s, SQL(`SELECT true, 1Y, 2S, 3, 4L, 0.5f, 0.25d, 'ä', X'00FF',
		array(1.5f, null), null, array(array(1L))`)),
		"true|1|2|3|4|0.5|0.25|ä|00ff|[1.5,null]|null|[[1]]")
	values := []any{int32(1), int64(2), float32(0.5), 0.25, "it's", []byte{1, 2}, true, []float32{1, 2},
		[]string{"a", "b"}}
	columns := make([]Expr, len(values))
	for i, v := range values {
		columns[i] = Lit(v)
	}
	expect(t, collect(t, s, Range(0, 1, 1, 1).Select(columns...)), "1|2|0.5|0.25|it's|0102|true|[1,2]|[a,b]")
	err := s.Collect(t.Context(), SQL("SELECT current_timestamp() AS now"), Run{}, func(*arrow.Batch) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "column now is of type timestamp") {
		t.Errorf("a timestamp: %v", err)
	}
}

func TestSparkRelations(t *testing.T) {
	s := open(t)
	local := &arrow.Batch{
		Schema: arrow.Schema{{Name: "k", Type: arrow.Of(arrow.Int64)},
			{Name: "v", Type: arrow.Of(arrow.String), Nullable: true},
			{Name: "f", Type: arrow.ListOf(arrow.Of(arrow.Float32))}, {Name: "b", Type: arrow.Of(arrow.Binary)}},
		Rows: 3,
		Columns: []arrow.Column{arrow.Int64s([]int64{3, 1, 2}),
			arrow.Strings([]string{"c", "", "b"}).WithNulls(func(i int) bool { return i == 1 }),
			arrow.Lists([]int{1, 0, 2}, arrow.Float32s([]float32{1, 2, 3})), arrow.Binaries([][]byte{{1}, {2}, {3}})}}
	want := []string{"1|null|[]|02", "2|b|[2,3]|03", "3|c|[1]|01"}
	expect(t, collect(t, s, Local(local).Sort(Col("k"))), want...)
	uploaded, err := s.Upload(t.Context(), local)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, collect(t, s, uploaded.Sort(Col("k"))), want...)
	expect(t, collect(t, s, Local(local).Where(Text("k > 1")).Select(Col("k").Cast("string").As("s"),
		Func("upper", Col("v"))).
		Sort(Col("s"))), "2|B", "3|C")
	expect(t, collect(t, s, Range(0, 10, 3, 2).WithColumn("p", Text("spark_partition_id()"))), "0|0", "3|0", "6|1", "9|1")
	expect(t, collect(t, s, Range(0, 4, 1, 1).WithColumn("p", Text("spark_partition_id()")).Limit(2)), "0|0", "1|0")
	columns, err := s.Schema(t.Context(), Local(local))
	if err != nil || fmt.Sprint(columns) != "[{k bigint false} {v string true} {f array<float> false} {b binary false}]" {
		t.Errorf("schema %v, %v", columns, err)
	}
	if err := s.CreateView(t.Context(), "a view", Local(local)); err != nil {
		t.Fatal(err)
	}
	expect(t, collect(t, s, SQL("SELECT count(*) FROM `a view`")), "3")
	expect(t, collect(t, s, Table(Quote("a view")).Select(Func("sum", Col("k")))), "6")
	if err := s.DropView(t.Context(), "a view"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Schema(t.Context(), Table(Quote("a view"))); err == nil {
		t.Error("the view is still there")
	}
}

func TestSparkSettings(t *testing.T) {
	s := open(t)
	ctx := t.Context()
	if err := s.Set(ctx, map[string]string{"spark.sql.adaptive.enabled": "false", "dl4go.test": "a b"}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Get(ctx, "dl4go.test", "spark.sql.adaptive.enabled", "dl4go.none")
	if err != nil || len(got) != 2 || got["dl4go.test"] != "a b" || got["spark.sql.adaptive.enabled"] != "false" {
		t.Errorf("got %v, %v", got, err)
	}
	err = s.Set(ctx, map[string]string{"spark.executor.memory": "1g"})
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(e.Class, "CANNOT_MODIFY") {
		t.Errorf("a static setting: %v (%+v)", err, e)
	}
}

func TestSparkPersist(t *testing.T) {
	s := open(t)
	ctx := t.Context()
	// This relation has other values each time that it is computed.
	r := Range(0, 1000, 1, 2).WithColumn("u", Text("java_method('java.util.UUID', 'randomUUID')"))
	rows := func(r Relation) string { return strings.Join(collect(t, s, r), "\n") }
	if once := rows(r); once == rows(r) {
		t.Fatal("the relation does not tell whether it is persisted")
	}
	memory := StorageLevel{Memory: true, Replication: 1}
	if err := s.Persist(ctx, r, memory); err != nil {
		t.Fatal(err)
	}
	if level, err := s.StorageLevel(ctx, r); err != nil || level != memory {
		t.Errorf("level %+v, %v", level, err)
	}
	if err := s.CreateView(ctx, "kept 1", r); err != nil {
		t.Fatal(err)
	}
	first := rows(r)
	for name, other := range map[string]Relation{"the same": r, "a filter": r.Where(Text("id >= 0")),
		"SQL": SQL("SELECT * FROM `kept 1`")} {
		if rows(other) != first {
			t.Errorf("%s: persisted rows were computed again", name)
		}
		if plan, err := s.Explain(ctx, other); err != nil || !strings.Contains(plan, "InMemory") {
			t.Errorf("%s: the plan is %s, %v", name, plan, err)
		}
	}
	if err := s.Unpersist(ctx, r, true); err != nil {
		t.Fatal(err)
	}
	if level, err := s.StorageLevel(ctx, r); err != nil || level.Memory {
		t.Errorf("level %+v, %v", level, err)
	}
	if !atLeast(s, "4.0") {
		return
	}
	kept, err := s.Checkpoint(ctx, r, StorageLevel{Memory: true, Disk: true}, Run{})
	if err != nil {
		t.Fatal(err)
	}
	if rows(kept) != rows(kept.Select(Text("*"))) {
		t.Error("a checkpoint was computed twice")
	}
	if err := s.Forget(ctx, kept); err != nil {
		t.Fatal(err)
	}
	if err := s.Collect(ctx, kept, Run{}, func(*arrow.Batch) error { return nil }); err == nil {
		t.Error("a checkpoint that was forgotten is still there")
	}
}

func TestSparkTables(t *testing.T) {
	s := open(t)
	ctx := t.Context()
	dir := t.TempDir()
	name := "t" + strings.ReplaceAll(newUUID(), "-", "")
	if err := s.SaveTable(ctx, Range(0, 3, 1, 1), name, "parquet", ErrorIfExists, Run{}); err != nil {
		t.Fatal(err)
	}
	defer s.Exec(ctx, "DROP TABLE "+name)
	if err := s.SaveTable(ctx, Range(0, 3, 1, 1), name, "parquet", ErrorIfExists, Run{}); err == nil {
		t.Error("a table was written over")
	}
	if err := s.InsertInto(ctx, Range(3, 5, 1, 1), name, Append, Run{}); err != nil {
		t.Fatal(err)
	}
	expect(t, collect(t, s, Table(name).Select(Func("sum", Col("id")), Func("count", Col("id")))), "10|5")
	if err := s.SaveFiles(ctx, Table(name), dir+"/out", "parquet", Overwrite, Run{}); err != nil {
		t.Fatal(err)
	}
	expect(t, collect(t, s, Files("parquet", nil, dir+"/out").Select(Func("sum", Col("id")))), "10")
	os.WriteFile(dir+"/b.bin", []byte("\x00\x01ä"), 0o644)
	os.WriteFile(dir+"/a.bin", []byte("xyz"), 0o644)
	expect(t, collect(t, s, Files("binaryFile", map[string]string{"pathGlobFilter": "*.bin"}, dir).
		Select(Func("substring_index", Col("path"), Lit("/"), Lit(int32(-1))).As("name"), Col("content"), Col("length")).
		Sort(Col("name"))), "a.bin|78797a|3", "b.bin|0001c3a4|4")
}

func TestSparkErrors(t *testing.T) {
	s := open(t)
	ctx := t.Context()
	discard := func(*arrow.Batch) error { return nil }
	var e *Error
	err := s.Collect(ctx, Table("no_such_table"), Run{}, discard)
	if !errors.As(err, &e) || e.Class != "TABLE_OR_VIEW_NOT_FOUND" || (atLeast(s, "4.0") && e.SQLState != "42P01") ||
		!strings.Contains(e.Message, "no_such_table") {
		t.Errorf("a missing table: %v (%+v)", err, e)
	}
	err = s.Collect(ctx, SQL("SELEC 1"), Run{}, discard)
	if !errors.As(err, &e) || e.Class != "PARSE_SYNTAX_ERROR" {
		t.Errorf("a mistake in SQL: %v", err)
	}
	err = s.Collect(ctx, Range(0, 10, 1, 2).Select(Text("raise_error(concat('row ', id))")), Run{}, discard)
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "row ") {
		t.Errorf("an executor's error: %v (%+v)", err, e)
	}
	err = s.Collect(ctx, Range(0, 10, 1, 2).Select(Text("java_method('java.lang.Integer', 'parseInt', concat(id, 'x'))")),
		Run{}, discard)
	if !errors.As(err, &e) || e.Task == nil || !strings.Contains(err.Error(), "InvocationTargetException") ||
		e.Task.Attempt != 3 ||
		e.Task.Host != "127.0.0.1" || strings.Contains(err.Error(), "\tat ") {
		t.Errorf("a task's exception: %v (%+v)", err, e)
	}
	// Spark reads standard error on another thread, which has kept the cause once it has read the empty lines one by one.
	err = s.Collect(ctx, SQL("SELECT TRANSFORM(id) USING 'cat >/dev/null; exec 9</proc/self/fd/2; echo the cause >&2; "+
		"for i in 1 2 3; do while read -t 0 <&9; do :; done; echo >&2; done; while read -t 0 <&9; do :; done; exit 3' AS "+
		"(x STRING) FROM range(0, 9, 1, 2)"), Run{}, discard)
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "exited with status 3") ||
		!strings.Contains(err.Error(), "the cause") {
		t.Errorf("a worker's error: %v (%+v)", err, e)
	}
	long := strings.Repeat("long ", 2000)
	err = s.Collect(ctx, SQL("SELECT raise_error('"+long+"') FROM range(1)"), Run{}, discard)
	if !errors.As(err, &e) || !strings.Contains(err.Error(), long[:1500]) || atLeast(s, "4.0") &&
		!strings.Contains(err.Error(), long) {
		t.Errorf("a long message was cut: %.300v", err)
	}
	stop := errors.New("enough")
	if err := s.Collect(ctx, Range(0, 1e6, 1, 2), Run{}, func(*arrow.Batch) error { return stop }); err != stop {
		t.Errorf("the caller's own error: %v", err)
	}
	if err := s.Collect(ctx, Range(0, 1, 1, 1).Select(Lit(struct{}{})), Run{}, discard); err == nil {
		t.Error("a struct was taken for a literal")
	}
}

func TestSparkInterrupt(t *testing.T) {
	s := open(t)
	slow := Range(0, 2, 1, 2).Select(Text("java_method('java.lang.Thread', 'sleep', bigint(600000))"))
	for name, interrupt := range map[string]func(ctx context.Context, cancel func()) error{
		"cancel": func(_ context.Context, cancel func()) error { cancel(); return nil },
		"all": func(ctx context.Context, _ func()) error {
			for { // until there is a query: Spark 3.5 doesn't report its start
				if ids, err := s.InterruptAll(ctx); err != nil || len(ids) > 0 {
					return err
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(await.Context(t))
			defer cancel()
			running := make(chan Progress, 100)
			done := make(chan error)
			go func() {
				done <- s.Collect(ctx, slow, Run{Progress: func(p Progress) { running <- p }},
					func(*arrow.Batch) error { return nil })
			}()
			if atLeast(s, "4.0") {
				for p := range running {
					if p.Running > 0 {
						break
					}
				}
			}
			if err := interrupt(ctx, cancel); err != nil {
				t.Fatal(err)
			}
			err := <-done
			if err == nil || (name == "cancel") != errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			t.Logf("%s: %v", name, err)
		})
	}
	// The slots are free again.
	collect(t, s, Range(0, 2, 1, 2))
}

func TestSparkArtifacts(t *testing.T) {
	s := open(t)
	ctx := t.Context()
	id := newUUID()
	large := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	small := ArtifactBytes("files/small-"+id, []byte("small"))
	script := "#!/bin/sh\nwhile read x; do echo \"$x $(cat */small-" + id + ") $(cat */large-" + id + " | wc -c)\"; done\n"
	if err := s.AddArtifacts(ctx, small, ArtifactBytes("files/large-"+id, large),
		ArtifactBytes("files/run-"+id, []byte(script)),
		ArtifactBytes("files/empty-"+id, nil)); err != nil {
		t.Fatal(err)
	}
	query := "SELECT TRANSFORM(id) USING 'exec ./*/run-" + id + "' AS (line STRING) FROM range(0, 3, 1, 2)"
	expect(t, collect(t, s, SQL(query).Sort(Col("line"))), "0 small 1048576", "1 small 1048576", "2 small 1048576")
	if err := s.AddArtifacts(ctx, small); err != nil {
		t.Errorf("an artifact that was sent already: %v", err)
	}
	if err := s.AddArtifacts(ctx, ArtifactBytes("../x", nil)); err == nil {
		t.Error("a name that leads out of the session was taken")
	}
	if err := s.AddArtifacts(ctx, ArtifactBytes("cache/"+id, []byte("x"))); err != nil {
		t.Fatal(err)
	}
}

func TestSparkSessions(t *testing.T) {
	s := open(t)
	a := s.Address()
	a.SessionID = newUUID()
	a.UserID = "someone"
	other, err := Open(t.Context(), a, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if other.ID() != a.SessionID {
		t.Errorf("the session is %s, wanted %s", other.ID(), a.SessionID)
	}
	expect(t, collect(t, other, SQL("SELECT current_user()")), collect(t, s, SQL("SELECT current_user()"))...)
	if err := other.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !atLeast(s, "4.0") {
		return
	}
	_, err = Open(t.Context(), a, Options{})
	var e *Error
	if !errors.As(err, &e) || !e.Gone() {
		t.Errorf("a session that was released could be used again: %v", err)
	}
}
