package spark

import (
	"fmt"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

// exchanged makes the table of rows that are moved by their index.
func (j planner) exchanged(plan engine.Exchanged, l layout) (table, error) {
	a := plan.Assignment
	if a.Rows() >= compileRows {
		if err := j.compile(); err != nil {
			return table{}, err
		}
	}
	rows, err := j.indexedRows(plan.Parent)
	if err != nil {
		return table{}, err
	}
	order, err := j.order(a)
	if err != nil {
		return table{}, err
	}
	hint := ""
	if a.Rows() > mostBroadcast {
		hint = "/*+ MERGE(o) */ "
	}
	// A row whose index is not in the assignment goes to partition 0, where the worker notices it.
	moved := sqlf(`SELECT `+hint+`int(coalesce(q, 0)) AS p, k, line, coalesce(pos, bigint(-1)) AS place, seq
		FROM (%s) r LEFT JOIN (%s) o ON r.i = o.at UNION ALL %s`, rows, order, places(len(a.Ends)))
	return table{rows: j.engine.placed(moved, len(a.Ends), l), dealt: l == dealt, shape: func(p int, t *worker.Task) {
		t.Open = true
		o := worker.OrderOf(a.Partition(p))
		t.Links = append([]worker.Link{{Partition: p, Expect: &o}}, t.Links...)
	}}, nil
}

// indexedRows returns a query for the rows of a data set with indices: k, line, the index i, and seq, the order of a
// row's pieces. If the places of rows in a kept table become their indices, Spark assigns them without workers.
func (j planner) indexedRows(d *engine.Dataset) (query, error) {
	const rows = "SELECT k, line, bigint(" + "%s" +
		") AS i, seq FROM (SELECT k, line, p, bigint(%s) AS seq FROM (%s) WHERE k IN ('r', 'p', 'e', 'l'))"
	plan, ok := d.Plan().(engine.Indexed)
	if ok && d.Err() == nil {
		k, err := j.keeper().keep(plan.Parent)
		if err != nil {
			return "", err
		}
		if k != nil && k.commits != nil && k.whole {
			starts, err := j.count(d, plan)
			if err != nil {
				return "", err
			}
			for p, c := range k.commits {
				if c.Rows != starts[p+1]-starts[p] {
					return "", fmt.Errorf("partition %d has %d rows, it had %d when they were counted: its operations do not "+
						"give "+
						"the same rows each time", p, c.Rows, starts[p+1]-starts[p])
				}
			}
			// The header of a partition has number 0, its first row number 1.
			// The rest after the old index is cut out by bytes: substring_index would search all of a long line.
			return sqlf(`SELECT k, concat(substring_index(line, `+tab+`, 4), `+tab+`, i, string(substring(binary(line),
				length(substring_index(line, `+tab+`, 5)) + 1))) AS line, i, seq FROM (%s)`,
				sqlf(rows, "element_at("+longs(starts)+", p + 1) + seq - 1", field(3), k.rows())), nil
		}
	}
	parent, err := j.sealedRows(d)
	return sqlf(rows, field(5), field(3), parent), err
}

// mostBroadcast is the maximum number of rows in an order that Spark may broadcast. Spark would broadcast any order
// that workers compute, since it takes it for small; the server holds about 100 bytes for each row meanwhile. Beyond
// that, rows and order are sorted, and none of them is on the server.
const mostBroadcast = 5 << 20

// orderLight is the size from which an assignment is moved to the executors. As a part of the plan, Spark would compare
// it row by row with its cached plans whenever a query reads the exchanged rows (1 ms for each thousand). For a single
// query that costs less than moving it, up to uploadLight.
const orderLight = 2000

// order returns a query for an assignment: the row with index at goes to place pos of partition q.
//
// Workers compute an assignment that does not fit in the plan, if it is made of few pieces of a known order.
func (j planner) order(a engine.Assignment) (query, error) {
	size := 24 * a.Rows()
	small := a.Rows() < orderLight || !j.keeps && size <= uploadLight
	if !small {
		if d, ok := dealOf(a); ok {
			return j.dealt(d)
		}
	}
	view, err := j.sendOrder(a, small)
	return query("SELECT at, q, pos FROM " + view), err
}

// sendOrder sends an assignment row by row. A small one stays in the plan.
func (j planner) sendOrder(a engine.Assignment, small bool) (string, error) {
	var at, q, pos []int64
	for p := range a.Ends {
		from, to := a.Places(p)
		for place := from; place < to; place++ {
			at, q, pos = append(at, a.Index(place)), append(q, int64(p)), append(pos, int64(place-from))
		}
	}
	r, err := j.session.Upload(j.ctx, &arrow.Batch{Rows: len(at), Schema: arrow.Schema{
		{Name: "at", Type: arrow.Of(arrow.Int64)}, {Name: "q", Type: arrow.Of(arrow.Int64)},
		{Name: "pos", Type: arrow.Of(arrow.Int64)}},
		Columns: []arrow.Column{arrow.Int64s(at), arrow.Int64s(q), arrow.Int64s(pos)}})
	if err != nil {
		return "", err
	}
	if small || !j.keeper().checkpoints() {
		return j.view(r)
	}
	return j.keeper().move(r, connect.StorageLevel{Disk: true}, 24*len(at))
}
