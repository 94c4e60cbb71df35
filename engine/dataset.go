package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/dl4go/dl4go/storage"
)

// Dataset is a list of rows in partitions, spread over the workers of an engine. It is evaluated lazily: making one
// costs nothing, and each job computes the rows it needs, unless they are persisted. A Dataset never changes.
type Dataset struct {
	engine     Engine
	plan       Plan
	partitions int
	err        error
	end        func() // called by Unpersist; nil for none
}

// Engine is where the data set is evaluated.
func (d *Dataset) Engine() Engine { return d.engine }

// Plan returns the steps that make the data set. It is for engines.
func (d *Dataset) Plan() Plan { return d.plan }

// Partitions returns the number of partitions.
func (d *Dataset) Partitions() int { return d.partitions }

// Resident reports whether the tasks that make the data set stay as long as they are needed (Step.Resident). It is for
// engines.
func (d *Dataset) Resident() bool {
	switch plan := d.plan.(type) {
	case Mapped:
		return plan.Step.resident || plan.Parent.Resident()
	case Indexed:
		return plan.Parent.Resident()
	case Selected:
		return plan.Parent.Resident()
	}
	return false
}

// Err returns the mistake that was made in building the data set, or nil. Jobs fail with it.
func (d *Dataset) Err() error { return d.err }

// FromPlan makes a data set from an engine's own source, for engines.
func FromPlan(e Engine, p Plan, partitions int) *Dataset {
	return &Dataset{engine: e, plan: p, partitions: partitions}
}

func (d *Dataset) derive(p Plan, partitions int, err error) *Dataset {
	if d.err != nil {
		err = d.err
	}
	return &Dataset{engine: d.engine, plan: p, partitions: partitions, err: err}
}

// Parallelize makes a data set of rows in memory. The rows belong to the data set from now on.
func Parallelize(e Engine, partitions [][]Row) *Dataset {
	parts := make([]Part, len(partitions))
	for p, rows := range partitions {
		parts[p] = RowSlice(rows)
	}
	return FromParts(e, parts)
}

// FromParts makes a data set of the driver's rows, which are read when a job needs them.
func FromParts(e Engine, parts []Part) *Dataset { return FromPlan(e, DriverRows{parts}, len(parts)) }

// ReadFiles makes a data set with one row for each file (see File), in the given partitions. Each worker reads its
// files when it needs them. A job fails with a storage.ChangedError if a file has changed since an earlier job.
func ReadFiles(e Engine, partitions [][]string) *Dataset {
	return FromPlan(e, Files{Partitions: partitions, Watch: storage.NewWatch()}, len(partitions))
}

// OpenFiles is ReadFiles for operations that read parts of their files. The rows only refer to the files: see
// [Task.Open].
func OpenFiles(e Engine, partitions [][]string) *Dataset {
	return FromPlan(e, Files{Partitions: partitions, Opened: true, Watch: storage.NewWatch()}, len(partitions))
}

// ReadCuts is ReadFiles for a piece of each file. A file may be in several partitions.
func ReadCuts(e Engine, partitions [][]string, cuts [][]Cut) *Dataset {
	d := FromPlan(e, Files{Partitions: partitions, Cuts: cuts, Watch: storage.NewWatch()}, len(partitions))
	for p, paths := range partitions {
		if p >= len(cuts) || len(cuts[p]) != len(paths) {
			d.err = fmt.Errorf("partition %d has %d files, and pieces of another number", p, len(paths))
		}
	}
	return d
}

// Index numbers the rows 0 … N-1 in the order of partitions, and of rows in each. It counts them by a job of its own.
func (d *Dataset) Index() *Dataset { return d.derive(Indexed{Parent: d}, d.partitions, nil) }

// IndexCounted is Index with known numbers of rows in each partition. A job that finds another number fails.
func (d *Dataset) IndexCounted(counts []int64) *Dataset {
	var err error
	if len(counts) != d.partitions {
		err = fmt.Errorf("%d counts were given for %d partitions", len(counts), d.partitions)
	}
	return d.derive(Indexed{d, counts}, d.partitions, err)
}

// Exchange moves the rows, which must have the indices 0 … N-1, to the partitions and places of the assignment. A row
// keeps its index. A job fails if an index is missing or occurs twice.
func (d *Dataset) Exchange(a Assignment) *Dataset {
	err := a.Validate()
	if err == nil {
		a = a.Listed()
	}
	return d.derive(Exchanged{d, a}, len(a.Ends), err)
}

// Select makes a data set of some partitions, in the given order.
func (d *Dataset) Select(partitions ...int) *Dataset {
	var err error
	for _, p := range partitions {
		if p < 0 || p >= d.partitions {
			err = fmt.Errorf("partition %d was selected of a data set that has %d", p, d.partitions)
		}
	}
	return d.derive(Selected{d, partitions}, len(partitions), err)
}

// Map applies a step to each partition.
func (d *Dataset) Map(s Step) *Dataset {
	return d.derive(Mapped{Parent: d, Step: s}, d.partitions, s.Err())
}

// Reduce combines all rows into one. The step reads rows in order and must write one row for them; a single row is
// taken as it is, without the step. First the rows of each partition are combined, then, in depth levels, groups of
// neighbouring partitions. So the order of additions depends only on partitions and depth. The driver receives one row.
// Reduce fails with ErrEmpty if there are no rows.
func (d *Dataset) Reduce(ctx context.Context, s Step, depth int) ([]byte, error) {
	if depth < 1 {
		return nil, fmt.Errorf("an aggregation depth of %d was asked for; it is at least 1", depth)
	}
	at := d.derive(Mapped{d, s, true}, d.partitions, s.Err())
	size := ReduceGroup(d.partitions, depth)
	for at.partitions > 1 {
		groups := (at.partitions + size - 1) / size
		at = at.derive(Gathered{at, size}, groups, nil)
		at = at.derive(Mapped{at, s, true}, groups, nil)
	}
	rows, err := at.CollectAll(ctx)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, ErrEmpty
	}
	return rows[0].Bytes, nil
}

// ReduceGroup returns the number of neighbouring partitions that one level of a reduction combines: the smallest n ≥ 2
// for which depth levels are enough.
func ReduceGroup(partitions, depth int) int {
	n := max(2, int(math.Pow(float64(partitions), 1/float64(depth)))-1)
	for levels(partitions, n) > depth {
		n++
	}
	return n
}

func levels(partitions, size int) int {
	l := 0
	for ; partitions > 1; partitions = (partitions + size - 1) / size {
		l++
	}
	return l
}

// Persist asks the engine to keep the partitions when they have been computed. It returns the data set.
func (d *Dataset) Persist(level StorageLevel) *Dataset {
	if d.err == nil {
		d.engine.Persist(d, level)
	}
	return d
}

// Unpersist drops the persisted rows. The data set can still be computed again, unless it is one of OnUnpersist.
func (d *Dataset) Unpersist() {
	d.engine.Unpersist(d)
	if d.end != nil {
		d.end()
	}
}

// OnUnpersist returns the same data set with an Unpersist that also calls end. It is for rows that need something on
// the driver, such as a file.
func (d *Dataset) OnUnpersist(end func()) *Dataset {
	out := d.derive(d.plan, d.partitions, d.err)
	out.end = end
	return out
}

// Collect passes every row to each: by partition, in order, as partitions are complete. An error of each ends the job.
// The driver holds a few partitions in memory.
func (d *Dataset) Collect(ctx context.Context, each func(partition int, row Row) error) error {
	if d.err != nil {
		return d.err
	}
	return d.engine.Collect(ctx, d, each)
}

// CollectAll returns all rows at once.
func (d *Dataset) CollectAll(ctx context.Context) ([]Row, error) {
	var rows []Row
	err := d.Collect(ctx, func(_ int, row Row) error {
		rows = append(rows, row)
		return nil
	})
	return rows, err
}

// Commits evaluates the data set, leaves the rows in place, and returns the commit of each partition.
func (d *Dataset) Commits(ctx context.Context) ([]Commit, error) {
	if d.err != nil {
		return nil, d.err
	}
	return d.engine.Commits(ctx, d)
}

// Count returns the number of rows.
func (d *Dataset) Count(ctx context.Context) (int64, error) {
	commits, err := d.Commits(ctx)
	var n int64
	for _, c := range commits {
		n += c.Rows
	}
	return n, err
}
