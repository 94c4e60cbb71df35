package slots

import (
	"fmt"
	"io"

	"github.com/dl4go/dl4go/engine"
)

// exchange finds rows by their index. No row moves: a partition is a list of its rows' places.
type exchange struct {
	blocks []block
	places []place // by index
}

type place struct{ block, row int32 }

func (x *exchange) rows(a engine.Assignment, p int) engine.Rows {
	next, end := a.Places(p)
	return engine.RowsFunc(func() (engine.Row, error) {
		if next == end {
			return engine.Row{}, io.EOF
		}
		at := x.places[a.Index(next)]
		next++
		return x.blocks[at.block].row(int(at.row))
	})
}

func (x *exchange) retain() *exchange {
	for _, b := range x.blocks {
		b.retain()
	}
	return x
}

func (x *exchange) release() {
	for _, b := range x.blocks {
		b.release()
	}
}

// exchange indexes the rows of an exchanged data set: for this job or, if d is persisted, for all jobs.
func (j *job) exchange(d *engine.Dataset, plan engine.Exchanged) error {
	if j.exchanges[d] != nil {
		return nil
	}
	s := j.engine.store
	s.mu.Lock()
	k := s.kept[d]
	s.mu.Unlock()
	if k == nil {
		x, err := j.place(plan, engine.MemoryOnly)
		j.exchanges[d] = x
		return err
	}
	select {
	case k.building <- struct{}{}:
	case <-j.ctx.Done():
		return j.givenUp()
	}
	defer func() { <-k.building }()
	s.mu.Lock()
	if k.exchange != nil && s.kept[d] == k {
		j.exchanges[d] = k.exchange.retain()
		j.own(k.exchange.blocks...)
	}
	level := k.level
	s.mu.Unlock()
	if j.exchanges[d] != nil {
		return nil
	}
	x, err := j.place(plan, level)
	if err != nil {
		return err
	}
	j.exchanges[d] = x
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept[d] == k {
		k.exchange = x.retain()
	}
	return nil
}

// place computes the parent's partitions, which the job owns, and records where each index is.
func (j *job) place(plan engine.Exchanged, level engine.StorageLevel) (*exchange, error) {
	all := upTo(plan.Parent.Partitions())
	if err := j.prepare(plan.Parent, all); err != nil {
		return nil, err
	}
	if err := j.materialise(plan.Parent, all, level); err != nil {
		return nil, err
	}
	x := &exchange{places: make([]place, plan.Assignment.Rows())}
	for i := range x.places {
		x.places[i].block = -1
	}
	for _, p := range all {
		b := j.held[plan.Parent][p]
		x.blocks = append(x.blocks, b)
		for i := range b.len() {
			index, err := indexOf(b, i)
			if err != nil {
				return nil, err
			}
			if index < 0 || index >= int64(len(x.places)) {
				return nil, fmt.Errorf("exchange: row %d of partition %d has the index %d, which the assignment of %d rows lacks",
					i, p, index, len(x.places))
			}
			at := &x.places[index]
			if at.block >= 0 {
				return nil, fmt.Errorf("exchange: two rows have the index %d: row %d of partition %d and row %d of partition %d",
					index, at.row, at.block, i, p)
			}
			*at = place{int32(p), int32(i)}
		}
	}
	for index, at := range x.places {
		if at.block < 0 {
			return nil, fmt.Errorf("exchange: no row has the index %d of the assignment's %d", index, len(x.places))
		}
	}
	return x, nil
}

// indexOf reads only a row's index.
func indexOf(b block, i int) (int64, error) {
	switch b := b.(type) {
	case *packedBlock:
		return b.indices[i], nil
	case *fileBlock:
		return b.rows[i].index, nil
	}
	row, err := b.row(i)
	return row.Index, err
}
