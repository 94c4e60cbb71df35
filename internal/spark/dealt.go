package spark

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/worker"
)

type dealConfig struct {
	Deal   engine.BroadcastID
	Groups []int // the end of each task's partitions
}

// dealing writes rows for the indices of a group of partitions, see indexRun.
var dealing = engine.Register("spark.deal", func(t *engine.Task, conf dealConfig, _ engine.Rows,
	out engine.Writer) error {
	if t.Partition >= len(conf.Groups) {
		return engine.Permanent(errDeal)
	}
	d, err := engine.Shared(t, conf.Deal, "deal", func(b []byte) (*deal, error) {
		d, err := readDeal(b)
		if err == nil {
			d.order = d.compute()
		}
		return d, err
	})
	if err != nil {
		return err
	}
	from := 0
	if t.Partition > 0 {
		from = conf.Groups[t.Partition-1]
	}
	if to := conf.Groups[t.Partition]; from < 0 || from > to || to > len(d.ends) {
		return engine.Permanent(errDeal)
	}
	run := indexRun{out: out}
	if err := d.each(from, conf.Groups[t.Partition], run.add); err != nil {
		return err
	}
	return run.end()
})

// indexRun writes the indices of neighbouring places of a partition in one row, which costs Spark little more than a
// row with one index: "partition;first place;index index …".
type indexRun struct {
	out             engine.Writer
	partition, next int // place of the next index of the run
	bytes           []byte
}

// runBytes is about the length of such a row.
const runBytes = 32 << 10

func (r *indexRun) add(index int64, partition, place int) error {
	if len(r.bytes) >= runBytes || partition != r.partition || place != r.next {
		if err := r.end(); err != nil {
			return err
		}
	}
	if len(r.bytes) == 0 {
		r.partition = partition
		r.bytes = fmt.Appendf(r.bytes, "%d;%d;", partition, place)
	} else {
		r.bytes = append(r.bytes, ' ')
	}
	r.bytes = strconv.AppendInt(r.bytes, index, 10)
	r.next = place + 1
	return nil
}

func (r *indexRun) end() error {
	if len(r.bytes) == 0 {
		return nil
	}
	err := r.out.Write(engine.Unindexed(bytes.Clone(r.bytes)))
	r.bytes = r.bytes[:0]
	return err
}

// dealt returns a query for an assignment with the columns of order: at, q, pos. Workers compute it.
func (j planner) dealt(d deal) (query, error) {
	file := &broadcast{j.engine.valueStore, engine.BroadcastID(j.engine.unique("b"))}
	value := d.bytes()
	j.engine.mu.Lock()
	j.engine.values[file.id] = value // first, so that a session that is being made also gets it
	j.engine.mu.Unlock()
	j.values = append(j.values, file)
	if err := j.carrier.ensure(j.ctx, file.id, value, nil); err != nil {
		return "", fmt.Errorf("sending the order of rows: %w", err)
	}
	n := max(1, min(len(d.ends), j.engine.slots))
	tasks := identity(upTo(n))
	step := dealing.With(dealConfig{file.id, groups(d.ends, n)})
	for i := range tasks {
		tasks[i].links = []worker.Link{{Partition: i, Step: &step}}
	}
	t := table{rows: begun(n, n), shape: func(_ int, t *worker.Task) { t.Open, t.Answer = true, false }}
	lines, err := j.round(t, tasks)
	return sqlf(`SELECT bigint(i) AS at, q, first + n AS pos FROM (
		SELECT int(run[0]) AS q, bigint(run[1]) AS first, run[2] AS indices FROM (
			SELECT split(string(unbase64(split(line, `+tab+`)[5])), ';') AS run FROM (%s) WHERE `+field(4)+` = 'r'))
		LATERAL VIEW posexplode(split(indices, ' ')) AS n, i`, lines), err
}

// groups divides partitions into n groups with about the same number of rows.
func groups(ends []int, n int) []int {
	cuts := make([]int, n)
	for g := range cuts {
		rows := ends[len(ends)-1] / n * (g + 1)
		p, _ := slices.BinarySearch(ends, rows)
		cuts[g] = min(p+1, len(ends))
	}
	cuts[n-1] = len(ends)
	return cuts
}
