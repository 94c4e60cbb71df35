package distributed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/parts"
	"github.com/dl4go/dl4go/pipeline"
)

// JoinRaw joins two tables of [OpenRaw] or [SendRaw]. The workers join the rows, and the result has the order of a
// [pipeline.JoinRun]. The driver sees the keys, and needs 8 bytes of memory for each row of the result. The join must
// have the schemas of both tables; columns are found by their names. bad decides about rows that can't be read. Queries
// can't be joined in this way: write a JOIN in the query itself.
func JoinRaw(ctx context.Context, j *pipeline.Join, left, right *RawTable, bad *source.BadRows) (*RawTable, error) {
	plan, err := j.Bind(j.Left, j.Right)
	if err != nil {
		return nil, err
	}
	conf := joinConf{Right: right.conf, Left: left.conf, Rights: right.rows.Partitions(), Limit: bad.Limit,
		Ragged: bad.Ragged}
	if conf.Join, err = j.JSON(); err != nil {
		return nil, err
	}
	t := &RawTable{name: left.name, schema: plan.Out()}
	t.conf.Table, t.conf.Sent = schemaText{t.schema}, true
	if err = t.join(ctx, plan, conf, right.rows, left.rows, bad); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// join makes the rows of the joined table.
func (t *RawTable) join(ctx context.Context, plan *pipeline.JoinPlan, conf joinConf, right, left *engine.Dataset,
	bad *source.BadRows) error {
	rows, err := t.together(ctx, &conf, right, left)
	if err != nil {
		return err
	}
	rows = rows.Map(readSide.With(conf))
	t.kept = append(t.kept, rows)
	run := parts.Run{Count: func(row []byte) error {
		var f sideFound
		if err := json.Unmarshal(row[1:], &f); err != nil {
			return err
		}
		if f.Left {
			t.lost.Join(f.Found)
		}
		return bad.Add(f.Found)
	}}
	var o pipeline.JoinOrder
	partitions := max(rows.Partitions(), rows.Engine().Slots())
	moved, err := run.Move(ctx, rows, func(keys [][]byte, in []int64) (engine.Assignment, error) {
		rights := int64(0)
		for _, n := range in[:conf.Rights] {
			rights += n
		}
		o = plan.Arrange(keys[:rights], keys[rights:], partitions)
		return engine.Assignment{Order: o.Rows, Ends: o.Ends}, nil
	})
	if err != nil {
		return err
	}
	ends := engine.EvenEnds(len(o.Results), partitions)
	t.rows = moved.Map(joinSides.With(conf)).IndexCounted(o.Counts).
		Exchange(engine.Assignment{Order: o.Results, Ends: ends})
	return nil
}

// Lost returns the number of rows that were skipped when the table was made: see [JoinRaw].
func (t *RawTable) Lost() int { return t.lost.Skipped }

// together returns a data set with the partitions of both tables. If workers read only one of them, they get the other
// one as broadcast values.
func (t *RawTable) together(ctx context.Context, conf *joinConf, right, left *engine.Dataset) (*engine.Dataset, error) {
	e := left.Engine()
	var files [][]string
	var sent [][]engine.Row
	sides := []*engine.Dataset{right, left}
	for _, side := range sides {
		switch plan := side.Plan().(type) {
		case engine.Files:
			files = append(files, plan.Partitions...)
		case engine.DriverRows:
			for _, p := range plan.Partitions {
				var rows []engine.Row
				for row, err := range engine.All(p.Rows()) {
					if err != nil {
						return nil, err
					}
					rows = append(rows, row)
				}
				sent = append(sent, rows)
			}
		default:
			return nil, errors.New("join: a table is neither files nor rows of the driver; write it to a file first")
		}
	}
	switch {
	case sent == nil:
		return engine.ReadFiles(e, files), nil
	case files == nil:
		return engine.Parallelize(e, sent), nil
	}
	conf.Sent = map[int]engine.BroadcastID{}
	empty := make([][]string, len(sent))
	all := slices.Concat(files, empty)
	first := len(files)
	if _, ok := right.Plan().(engine.DriverRows); ok {
		all, first = slices.Concat(empty, files), 0
	}
	for p, rows := range sent {
		b, err := e.Broadcast(ctx, packRows(rows))
		if err != nil {
			return nil, err
		}
		t.sent = append(t.sent, b)
		conf.Sent[first+p] = b.ID()
	}
	return engine.ReadFiles(e, all), nil
}

// joinConf says how workers read and join the rows of two tables. The partitions of the right one come first.
type joinConf struct {
	Join        json.RawMessage // with the columns of both tables
	Right, Left rawConf
	Rights      int                        // partitions of the right table
	Sent        map[int]engine.BroadcastID `json:",omitempty"` // partitions whose rows are broadcast values
	Limit       int                        // as in source.BadRows
	Ragged      bool
}

// plan returns the join, and the columns of both tables.
func (c joinConf) plan() (*pipeline.Join, *pipeline.JoinPlan, error) {
	j, err := pipeline.ParseJoin(c.Join)
	if err != nil {
		return nil, nil, engine.Permanent(err)
	}
	plan, err := j.Bind(j.Left, j.Right)
	return j, plan, engine.Permanent(err)
}

// sideFound reports the skipped rows of a partition.
type sideFound struct {
	Left bool
	source.Found
}

// The tables of a row, between its key and its place.
const (
	leftSide  = 'l'
	rightSide = 'r'
)

// readSide reads a partition of one of the tables. Its rows are items with their keys, the table, and the place.
var readSide = engine.Register("distributed.join.read",
	func(t *engine.Task, conf joinConf, in engine.Rows, out engine.Writer) error {
		j, plan, err := conf.plan()
		if err != nil {
			return err
		}
		side, raw, as, key, of := byte(rightSide), conf.Right, j.Right, plan.RightKey(), *t
		if t.Partition >= conf.Rights {
			side, raw, as, key = leftSide, conf.Left, j.Left, plan.LeftKey()
			of.Partition -= conf.Rights
		}
		if id, ok := conf.Sent[t.Partition]; ok {
			b, err := t.Broadcast(id)
			if err != nil {
				return err
			}
			in = unpackRows(b)
		}
		bad := source.BadRows{Limit: conf.Limit, Ragged: conf.Ragged}
		var scratch []byte
		err = raw.each(&of, in, func(rows source.Rows) error {
			rows, _, err := source.Match(rows, as)
			if err != nil {
				return engine.Permanent(err)
			}
			return eachItem(t, rows, &bad, func(i pipeline.Item) error {
				if scratch, err = key(scratch[:0], i.Row); err != nil {
					return engine.Permanent(fmt.Errorf("%s: %w", rows.Place(), err))
				}
				row := appendPlace(append(parts.AppendKey(nil, scratch), side), rows.Place())
				return out.Write(engine.Unindexed(pipeline.AppendItem(row, i)))
			})
		})
		if err != nil {
			return err
		}
		b, err := json.Marshal(sideFound{side == leftSide, bad.Found()})
		if err != nil {
			return err
		}
		return out.Write(engine.Unindexed(append([]byte{parts.CountRow}, b...)))
	})

// joinSides joins the rows of a partition: those of the right table, then those of the left one. A result has the place
// of its left row.
var joinSides = engine.Register("distributed.join",
	func(t *engine.Task, conf joinConf, in engine.Rows, out engine.Writer) error {
		_, plan, err := conf.plan()
		if err != nil {
			return err
		}
		place := ""
		run := plan.Start(func(row pipeline.Row) error {
			return out.Write(engine.Unindexed(pipeline.AppendItem(appendPlace(nil, place), pipeline.Item{Row: row})))
		})
		for row, err := range engine.All(in) {
			if err != nil {
				return err
			}
			rest, err := parts.CutKey(row.Bytes)
			if err != nil || len(rest) == 0 {
				return engine.Permanent(errors.Join(errPlace, err))
			}
			item, at, err := cutPlace(rest[1:])
			if err != nil {
				return err
			}
			push := run.PushRight
			if place = at; rest[0] == leftSide {
				push = run.PushLeft
			}
			if err := push(item.Row); err != nil {
				return err
			}
		}
		place = "a right row without a partner"
		return run.Close()
	})
