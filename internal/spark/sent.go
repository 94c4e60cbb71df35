package spark

import (
	"bytes"
	"fmt"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/worker"
)

const (
	// sentWhole is the maximum size of rows that go to every executor as one file, like this program's own file, which
	// is not much smaller. Each worker reads its partition there. More rows go as a table, of which each executor gets
	// a part; that takes Spark's server and executors several times as long.
	sentWhole = 64 << 20
	// sentHead is the number of bytes that a row's record adds to the row. sentCommit is the number of bytes at the end
	// of a partition.
	sentHead, sentCommit = 40, 16
	// sentAll limits the bytes of all data sets that are sent whole at a time: each new session sends them again.
	sentAll = 4 * sentWhole
)

// sent is the driver's rows in a file that every executor has.
type sent struct {
	file *broadcast
	size int64 // of the rows
	ends []int // of the partitions in the file
}

// sentTable returns a table for the driver's rows in a file. It returns false if there are too many rows, or if they
// have a table already.
func (j keeper) sentTable(d *engine.Dataset) (t table, ok bool, err error) {
	rows, inMemory := d.Plan().(engine.DriverRows)
	if !inMemory {
		return t, false, nil
	}
	k, level := j.use(d)
	free, err := j.take(k)
	if err != nil {
		return t, false, err
	}
	defer free()
	if k.made || level.Disk() || level.Memory() || !j.engine.whole(k, rows) {
		return t, false, nil
	}
	s := k.sent
	if err := s.to(j.job, rows); err != nil {
		return t, false, err
	}
	return s.table(d.Partitions(), j.engine.slots), true, nil
}

// table returns the partitions in the file. Spark only has their place records.
func (s *sent) table(partitions, slots int) table {
	return table{rows: begun(partitions, slots), shape: func(p int, t *worker.Task) {
		t.Open = true
		part := worker.Sent{Value: s.file.id, To: s.ends[p]}
		if p > 0 {
			part.From = s.ends[p-1]
		}
		t.Links = append([]worker.Link{{Partition: p, Sent: &part}}, t.Links...)
	}}
}

// whole reports whether the rows go to every executor.
func (e *tables) whole(k *keeping, rows engine.DriverRows) bool {
	if k.sent != nil {
		return true
	}
	size := weight(rows.Partitions)
	file := &broadcast{e.valueStore, engine.BroadcastID(e.unique("b"))}
	e.mu.Lock()
	defer e.mu.Unlock()
	all := size
	for other := range e.all {
		if other.sent != nil {
			all += other.sent.size
		}
	}
	if size > sentWhole || all > sentAll {
		return false
	}
	k.sent = &sent{file: file, size: size}
	return true
}

// to sends the rows to the executors of the job's session.
func (s *sent) to(j *job, rows engine.DriverRows) error {
	e, id := j.engine, s.file.id
	e.mu.Lock()
	value := e.values[id]
	e.mu.Unlock()
	if value == nil {
		var b bytes.Buffer
		heads := 0
		for _, partition := range rows.Partitions {
			heads += partition.Len() + sentCommit
		}
		b.Grow(int(s.size) + heads*sentHead) // otherwise it would briefly hold all rows twice
		w := worker.NewSender(&b, worker.Binary)
		var ends []int
		for p, partition := range rows.Partitions {
			w.Begin(p, 1)
			for row, err := range engine.All(partition.Rows()) {
				if err == nil {
					err = w.Write(row)
				}
				if err != nil {
					return err
				}
			}
			if err := w.Commit(); err != nil {
				return err
			}
			ends = append(ends, b.Len())
		}
		value, s.ends = b.Bytes(), ends
		e.mu.Lock()
		e.values[id] = value // first, so that a session that is being made also gets it
		e.mu.Unlock()
	}
	told := int64(-1)
	if err := j.carrier.ensure(j.ctx, id, value, func(n int) {
		if now := s.size * int64(n) / int64(max(1, len(value))); now >= told+uploadLight || n == len(value) {
			told = now
			e.told(now, s.size)
		}
	}); err != nil {
		return fmt.Errorf("sending rows of this program: %w", err)
	}
	return nil
}

// told reports the progress of sending rows, if there are more than a few.
func (e *cluster) told(sent, all int64) {
	if all <= uploadLight {
		return
	}
	e.options.Log.Info("rows of this program go to the cluster", "master", e.Master(), "sentMB", sent>>20, "ofMB", all>>20)
	if told := e.options.Progress; told != nil {
		told(engine.Progress{Sent: sent, ToSend: all})
	}
}

// weight returns the number of bytes in rows.
func weight(partitions []engine.Part) (size int64) {
	for _, p := range partitions {
		size += p.Size()
	}
	return size
}
