package spark

import (
	"fmt"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/worker"
)

// planner determines how the partitions of a data set are made: from which table and by which tasks.
type planner struct{ *job }

func (j *job) planner() planner { return planner{j} }

// Plan marks the type as a plan of this engine.
func (*selected) Plan()  {}
func (*savedRows) Plan() {}

// plan returns the table from which d's partitions are made, and a task for each needed one.
func (j planner) plan(d *engine.Dataset, need []int) (table, []task, error) {
	if err := d.Err(); err != nil {
		return table{}, nil, err
	}
	if t, ok, err := j.keeper().keptTable(d); ok || err != nil {
		return t, identity(need), err
	}
	return j.derive(d, need)
}

// derive is plan for a data set that is not kept.
func (j planner) derive(d *engine.Dataset, need []int) (table, []task, error) {
	tasks := identity(need)
	var t table
	var err error
	switch plan := d.Plan().(type) {
	case engine.DriverRows:
		t, err = j.keeper().filed(d, plan)
	case engine.Files:
		t, err = j.files().table(plan, need)
	case *savedRows:
		t, err = j.savedTable(plan)
	case *selected:
		t, err = j.selected(plan)
	case engine.Exchanged:
		l := dealt
		if j.ordered && len(need) == d.Partitions() {
			l = inBlocks
		}
		t, err = j.exchanged(plan, l)
	case engine.Gathered:
		t, err = j.gathered(plan)
	case engine.Mapped:
		t, tasks, err = j.plan(plan.Parent, need)
		for i, p := range need[:len(tasks)] {
			tasks[i].links = append(tasks[i].links, worker.Link{Partition: p, Step: &plan.Step, Combine: plan.Combine})
		}
	case engine.Indexed:
		starts, counting := j.count(d, plan)
		if counting != nil {
			return t, nil, counting
		}
		t, tasks, err = j.plan(plan.Parent, need)
		for i, p := range need[:len(tasks)] {
			tasks[i].links = append(tasks[i].links, worker.Link{Partition: p,
				Index: &worker.Range{From: starts[p], To: starts[p+1]}})
		}
	case engine.Selected:
		parents := make([]int, len(need))
		for i, p := range need {
			parents[i] = plan.Partitions[p]
		}
		t, tasks, err = j.plan(plan.Parent, parents)
	default:
		err = fmt.Errorf("%s can't evaluate a %T", j.engine.Master(), d.Plan())
	}
	for i, p := range need[:len(tasks)] {
		tasks[i].output = p
	}
	return t, tasks, err
}

// count finds the index at which each partition begins.
func (j planner) count(d *engine.Dataset, plan engine.Indexed) ([]int64, error) {
	if starts := j.starts[d]; starts != nil {
		return starts, nil
	}
	counts := plan.Counts
	if counts == nil {
		commits, err := j.commits(plan.Parent)
		if err != nil {
			return nil, err
		}
		for _, c := range commits {
			counts = append(counts, c.Rows)
		}
	}
	starts := []int64{0}
	for _, n := range counts {
		starts = append(starts, starts[len(starts)-1]+n)
	}
	j.starts[d] = starts
	return starts, nil
}

// sealedRows returns a query for the records p, k, line of a whole data set, as workers write them.
func (j planner) sealedRows(d *engine.Dataset) (query, error) {
	if k, err := j.keeper().keep(d); err != nil || k != nil && k.commits != nil {
		return k.rows(), err
	}
	lines, err := j.lines(d, upTo(d.Partitions()))
	return sealed(lines), err
}

// gathered makes the table of joined neighbouring partitions.
func (j planner) gathered(plan engine.Gathered) (table, error) {
	partitions, size := plan.Parent.Partitions(), plan.Size
	groups := (partitions + size - 1) / size
	parent, err := j.sealedRows(plan.Parent)
	if err != nil {
		return table{}, err
	}
	moved := sqlf("SELECT p DIV %s AS p, IF(k = '"+place+"', 'j', k) AS k, line, bigint(p) AS place, bigint("+field(3)+
		") AS seq FROM (%s) UNION ALL %s", fmt.Sprint(size), parent, places(groups))
	return table{rows: j.engine.placed(moved, groups, inBlocks), shape: func(g int, t *worker.Task) {
		t.Open, t.From = true, make([]int, 0, size)
		for p := g * size; p < min((g+1)*size, partitions); p++ {
			t.From = append(t.From, p)
		}
	}}, nil
}
