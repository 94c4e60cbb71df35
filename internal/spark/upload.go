package spark

import (
	"bytes"
	"strings"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

const (
	// uploadBytes is the maximum text of one relation for the server. Spark's driver has it in its heap, and sends each
	// task its part in one message.
	uploadBytes = 16 << 20
	// uploadLight is how much of that may stay in the server, as part of plans: more rows are moved on to the
	// executors.
	uploadLight = 4 << 20
)

// upload makes a table of the driver's rows, as if workers had written it. If there are many, Spark moves them to the
// executors, if it can.
func (j keeper) upload(k *keeping, partitions []engine.Part, level connect.StorageLevel) error {
	u := uploading{job: j.job, all: weight(partitions)}
	s := worker.NewSender(&u, worker.Text)
	k.whole = true
	for p, rows := range partitions {
		u.partition, u.place = p, 0
		commit := engine.Commit{Partition: p, Attempt: 1}
		s.Begin(p, 1)
		s.Header()
		for row, err := range engine.All(rows.Rows()) {
			if err != nil {
				return err
			}
			commit.Add(row)
			u.taken += int64(len(row.Bytes))
			if err := s.Write(row); err != nil {
				return err
			}
		}
		if err := s.Commit(); err != nil {
			return err
		}
		k.commits = append(k.commits, commit)
		k.whole = k.whole && u.place == commit.Rows+2
	}
	if err := u.flush(); err != nil {
		return err
	}
	k.query = j.engine.placed(u.rows, len(partitions), inBlocks)
	if !u.moved {
		return nil
	}
	parts := j.views
	j.views = nil
	defer func() {
		ctx, cancel := cleanup(j.ctx)
		defer cancel()
		j.left("rows as they were sent", j.dropAll(ctx, parts))
	}()
	if !level.Memory {
		level = connect.StorageLevel{Disk: true}
	}
	view, err := j.move(connect.SQL(string(k.query)), level, u.sent)
	k.query = query("SELECT p, k, line FROM " + view)
	return err
}

// move makes a view of a relation's rows, size bytes. The rows go to the executors and stay there as long as the view.
func (j keeper) move(r connect.Relation, level connect.StorageLevel, size int) (string, error) {
	j.fragile = true
	there, err := j.session.Checkpoint(j.ctx, r, level,
		connect.Run{Timeout: j.deadline() + time.Duration(size>>20)*time.Second})
	if err != nil {
		return "", err
	}
	defer func() {
		ctx, cancel := cleanup(j.ctx)
		defer cancel()
		err := j.answers(ctx)
		if err == nil {
			err = j.session.Forget(ctx, there)
		}
		j.left("a checkpoint until the session's end", err)
	}()
	return j.view(there)
}

// uploading sends the records that a Sender writes to the server.
type uploading struct {
	*job
	rows  query // for the sent records: p, k, line, place, seq
	sent  int   // bytes
	all   int64 // bytes of the rows
	taken int64 // of all
	moved bool  // to the executors

	partition int
	place     int64
	bytes     int
	p         []int32
	k, line   []string
	places    []int64
}

// Write takes whole lines.
func (u *uploading) Write(text []byte) (int, error) {
	for line := range bytes.Lines(text) {
		line := string(bytes.TrimSuffix(line, []byte("\n")))
		kind := strings.SplitN(line, "\t", 5)[3]
		if kind == "j" {
			kind = place
		}
		u.p, u.k, u.line = append(u.p, int32(u.partition)), append(u.k, kind), append(u.line, line)
		u.places = append(u.places, u.place)
		u.place++
		u.bytes += len(line)
	}
	if u.bytes >= uploadBytes {
		return len(text), u.flush()
	}
	return len(text), nil
}

// flush sends the records. A server without checkpoints keeps them in its heap.
func (u *uploading) flush() error {
	if u.p == nil && u.rows != "" {
		return nil
	}
	r, err := u.session.Upload(u.ctx, &arrow.Batch{Rows: len(u.p), Schema: arrow.Schema{
		{Name: "p", Type: arrow.Of(arrow.Int32)}, {Name: "k", Type: arrow.Of(arrow.String)},
		{Name: "line", Type: arrow.Of(arrow.String)}, {Name: "place", Type: arrow.Of(arrow.Int64)}},
		Columns: []arrow.Column{arrow.Int32s(u.p), arrow.Strings(u.k), arrow.Strings(u.line), arrow.Int64s(u.places)}})
	if err != nil {
		return err
	}
	var view string
	if u.sent+u.bytes > uploadLight && u.keeper().checkpoints() {
		u.moved = true
		view, err = u.keeper().move(r, connect.StorageLevel{Disk: true}, u.bytes)
	} else {
		view, err = u.view(r)
	}
	if err != nil {
		return err
	}
	if u.rows != "" {
		u.rows += " UNION ALL "
	}
	u.rows += query("SELECT p, k, line, place, bigint(0) AS seq FROM " + view)
	u.sent += u.bytes
	u.bytes, u.p, u.k, u.line, u.places = 0, nil, nil, nil, nil
	u.engine.told(u.taken, u.all)
	return nil
}
