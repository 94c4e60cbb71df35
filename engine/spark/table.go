package spark

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/spark/arrow"
	"github.com/dl4go/dl4go/engine/spark/connect"
	"github.com/dl4go/dl4go/engine/worker"
)

// table is a view of records: columns p, a, s, k, i, d are a record's partition, attempt, sequence number, kind, index
// and data, all as text, as a worker reads and writes them. Each partition is in one of Spark's partitions, in order;
// one of Spark's may hold several, one after the other. A partition begins with a record whose place a job takes.
type table struct {
	view string
	// home is the column that says to which partition a record belongs, where that is not p.
	home string
	// job is the condition for the record that a job replaces.
	job string
	// shape tells the worker what the partition's rows are like.
	shape func(partition int, t *worker.Task)
}

const (
	columns  = "p, a, s, k, i, d"
	sealJob  = "k = 'j'"
	placeJob = "k = 'j' AND d = 'job'"
)

// sealed is a table that workers wrote: rows are numbered and committed.
func sealed(view string) table {
	return table{view: view, home: "p", job: sealJob, shape: func(int, *worker.Task) {}}
}

// keys are numbers that Spark's hash puts into partitions 0 … n-1: keys[i] goes to partition i.
func keys(n int) []int32 {
	found, keys := 0, make([]int32, n)
	has := make([]bool, n)
	for k := int32(0); found < n; k++ {
		p := int(int32(murmur3(uint32(k)))) % n
		if p < 0 {
			p += n
		}
		if !has[p] {
			has[p], keys[p] = true, k
			found++
		}
	}
	return keys
}

// murmur3 is the hash (x86, 32 bits, seed 42) of an int, by which Spark partitions.
func murmur3(k uint32) uint32 {
	rotate := func(x uint32, n int) uint32 { return x<<n | x>>(32-n) }
	h := uint32(42) ^ rotate(k*0xcc9e2d51, 15)*0x1b873593
	h = rotate(h, 13)*5 + 0xe6546b64
	h ^= 4
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// spread moves records to their places: partition home to Spark's partition home % n, sorted there.
func (e *Engine) spread(r connect.Relation, partitions int, home string, order ...string) connect.Relation {
	n := max(1, min(partitions, e.slots))
	list := fmt.Sprint(keys(n))
	key := fmt.Sprintf("element_at(array(%s), int(%s) %% %d + 1)", strings.ReplaceAll(strings.Trim(list, "[]"), " ", ","), home, n)
	by := []connect.Expr{connect.Text("int(" + home + ")")}
	for _, o := range order {
		by = append(by, connect.Text(o))
	}
	return r.RepartitionBy(n, connect.Text(key)).SortWithin(by...)
}

// records is a batch of records in the making.
type records struct{ columns [6][]string }

// Write takes lines as a Sender writes them.
func (r *records) Write(lines []byte) (int, error) {
	for line := range bytes.Lines(lines) {
		fields := strings.Split(strings.TrimSuffix(string(line), "\n"), "\t")
		r.add(fields...)
	}
	return len(lines), nil
}

func (r *records) add(fields ...string) {
	for i := range r.columns {
		r.columns[i] = append(r.columns[i], fields[i])
	}
}

func (r *records) batch() *arrow.Batch {
	b := &arrow.Batch{Rows: len(r.columns[0])}
	for i, name := range []string{"p", "a", "s", "k", "i", "d"} {
		b.Schema = append(b.Schema, arrow.Field{Name: name, Type: arrow.Of(arrow.String)})
		b.Columns = append(b.Columns, arrow.Strings(r.columns[i]))
	}
	return b
}

// upload makes a table of rows that the driver has.
func (e *Engine) upload(ctx context.Context, partitions [][]engine.Row) (string, error) {
	var r records
	s := worker.NewSender(&r, worker.Text)
	for p, rows := range partitions {
		s.Begin(p, 1)
		s.Header()
		for _, row := range rows {
			s.Write(row)
		}
		if err := s.Commit(); err != nil {
			return "", err
		}
	}
	all, err := e.session.Upload(ctx, r.batch())
	if err != nil {
		return "", err
	}
	view := e.unique("v")
	return view, e.session.CreateView(ctx, view, e.spread(all, len(partitions), "p", "bigint(s)"))
}

// exchanged makes the table of an exchange of a sealed table's rows.
func (j *job) exchanged(parent table, a engine.Assignment) (table, error) {
	e := j.engine
	var places [3][]int64
	var jobs records
	for p := range a.Ends {
		for pos, index := range a.Partition(p) {
			places[0] = append(places[0], index)
			places[1] = append(places[1], int64(p))
			places[2] = append(places[2], int64(pos))
		}
		jobs.add(fmt.Sprint(p), "0", "0", "j", "0", "job")
	}
	batch := &arrow.Batch{Rows: len(places[0])}
	for i, name := range []string{"at", "q", "pos"} {
		batch.Schema = append(batch.Schema, arrow.Field{Name: name, Type: arrow.Of(arrow.Int64)})
		batch.Columns = append(batch.Columns, arrow.Int64s(places[i]))
	}
	order, err := j.uploaded(batch)
	if err != nil {
		return table{}, err
	}
	heads, err := j.uploaded(jobs.batch())
	if err != nil {
		return table{}, err
	}
	// A row whose index no assignment has goes where it is noticed.
	moved := connect.SQL(fmt.Sprintf(`SELECT string(coalesce(q, 0)) AS p, '0' AS a, s, k, i, d, coalesce(pos, -1) AS pos
		FROM %s r LEFT JOIN %s o ON bigint(r.i) = o.at WHERE k IN ('r', 'p', 'e')
		UNION ALL SELECT p, a, s, k, i, d, bigint(-2) FROM %s`, parent.view, order, heads))
	view, err := j.view(e.spread(moved, len(a.Ends), "p", "pos", "bigint(s)"))
	return table{view: view, home: "p", job: placeJob, shape: func(p int, t *worker.Task) {
		t.Open = true
		o := worker.OrderOf(a.Partition(p))
		t.Links = append([]worker.Link{{Partition: p, Expect: &o}}, t.Links...)
	}}, err
}

// gathered makes the table of neighbouring partitions put together.
func (j *job) gathered(parent table, partitions, size int) (table, error) {
	e := j.engine
	groups := (partitions + size - 1) / size
	var jobs records
	for g := range groups {
		jobs.add(fmt.Sprint(g), "0", "0", "j", "0", "job")
	}
	heads, err := j.uploaded(jobs.batch())
	if err != nil {
		return table{}, err
	}
	moved := connect.SQL(fmt.Sprintf(`SELECT %s, string(int(p) DIV %d) AS home, int(p) AS rank FROM %s
		UNION ALL SELECT %s, p AS home, -1 AS rank FROM %s`, columns, size, parent.view, columns, heads))
	view, err := j.view(e.spread(moved, groups, "home", "rank", "bigint(s)"))
	return table{view: view, home: "home", job: placeJob, shape: func(g int, t *worker.Task) {
		t.Open, t.From = true, make([]int, 0, size)
		for p := g * size; p < min((g+1)*size, partitions); p++ {
			t.From = append(t.From, p)
		}
	}}, err
}

// files makes the table of files that Spark reads.
func (j *job) files(paths [][]string, need []int) (table, error) {
	var all records
	var names []string
	seen := make(map[string]bool)
	var list struct {
		path     []string
		p, place []int64
		head     [][]byte
	}
	for _, p := range need {
		all.add(fmt.Sprint(p), "0", "0", "j", "0", "job")
		for i, path := range paths[p] {
			if !seen[path] {
				seen[path] = true
				names = append(names, globless.Replace(path))
			}
			list.path, list.p, list.place = append(list.path, plainPath(path)), append(list.p, int64(p)), append(list.place, int64(i))
			list.head = append(list.head, engine.File{Path: path}.Row().Bytes)
		}
	}
	heads, err := j.uploaded(all.batch())
	if err != nil {
		return table{}, err
	}
	moved := connect.SQL("SELECT " + columns + ", -1 AS place FROM " + heads)
	if len(names) > 0 {
		order, err := j.uploaded(&arrow.Batch{Rows: len(list.p), Schema: arrow.Schema{
			{Name: "file", Type: arrow.Of(arrow.String)}, {Name: "q", Type: arrow.Of(arrow.Int64)},
			{Name: "place", Type: arrow.Of(arrow.Int64)}, {Name: "head", Type: arrow.Of(arrow.Binary)}},
			Columns: []arrow.Column{arrow.Strings(list.path), arrow.Int64s(list.p), arrow.Int64s(list.place), arrow.Binaries(list.head)}})
		if err != nil {
			return table{}, err
		}
		read, err := j.view(connect.Files("binaryFile", nil, names...).Select(connect.Col("path"), connect.Col("content")))
		if err != nil {
			return table{}, err
		}
		// Spark leaves out files that are empty; one that is missing is an error before it comes to this.
		moved = connect.SQL(fmt.Sprintf(`SELECT string(q) AS p, '0' AS a, '0' AS s, 'r' AS k, '%d' AS i,
			translate(base64(concat(head, coalesce(content, X''))), '\r\n', '') AS d, place FROM %s o
			LEFT JOIN %s f ON regexp_replace(f.path, '^file:/+', '/') = o.file
			UNION ALL SELECT %s, bigint(-1) FROM %s`, engine.NoIndex, order, read, columns, heads))
	}
	most := 1
	for _, p := range need {
		most = max(most, p+1)
	}
	view, err := j.view(j.engine.spread(moved, most, "p", "place"))
	return table{view: view, home: "p", job: placeJob, shape: func(p int, t *worker.Task) {
		t.Open = true
		n := int64(len(paths[p]))
		t.Links = append([]worker.Link{{Partition: p, Count: &n}}, t.Links...)
	}}, err
}

// globless escapes what has a meaning in Spark's paths.
var globless = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)

// plainPath is a path as Spark prints it, but for file: before it.
func plainPath(path string) string {
	if rest, ok := strings.CutPrefix(path, "file:"); ok {
		return "/" + strings.TrimLeft(rest, "/")
	}
	return path
}
