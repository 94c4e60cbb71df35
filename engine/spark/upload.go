package spark

import (
	"bytes"
	"strings"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/spark/arrow"
	"github.com/dl4go/dl4go/engine/worker"
)

// uploadBytes is how much text goes to the server as one relation: Spark sends a task its part of it in one message.
const uploadBytes = 16 << 20

// upload makes a table of rows that the driver has, as if workers had written it.
func (j *job) upload(k *keeping, partitions [][]engine.Row) error {
	var b lines
	var all query
	flush := func() error {
		r, err := j.session.Upload(j.ctx, b.batch())
		if err != nil {
			return err
		}
		view, err := j.view(r)
		if err != nil {
			return err
		}
		if all.sql != "" {
			all.sql += " UNION ALL "
		}
		all.sql += "SELECT p, k, line, place, bigint(0) AS seq FROM " + view
		b = lines{partition: b.partition, place: b.place}
		return nil
	}
	s := worker.NewSender(&b, worker.Text)
	k.whole = true
	for p, rows := range partitions {
		b.partition, b.place = p, 0
		s.Begin(p, 1)
		s.Header()
		for _, row := range rows {
			s.Write(row)
			if b.bytes >= uploadBytes {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		if err := s.Commit(); err != nil {
			return err
		}
		commit := engine.Commit{Partition: p, Attempt: 1}
		for _, row := range rows {
			commit.Add(row)
		}
		k.commits = append(k.commits, commit)
		k.whole = k.whole && b.place == commit.Rows+2
	}
	if err := flush(); err != nil {
		return err
	}
	k.query = j.engine.placed(all, len(partitions), inBlocks)
	return nil
}

// lines is a batch of records in the making: what a Sender writes.
type lines struct {
	partition int
	place     int64
	bytes     int
	p         []int64
	k, line   []string
	places    []int64
}

// Write takes whole lines.
func (l *lines) Write(text []byte) (int, error) {
	for line := range bytes.Lines(text) {
		line := string(bytes.TrimSuffix(line, []byte("\n")))
		kind := strings.SplitN(line, "\t", 5)[3]
		if kind == "j" {
			kind = place
		}
		l.p, l.k, l.line = append(l.p, int64(l.partition)), append(l.k, kind), append(l.line, line)
		l.places = append(l.places, l.place)
		l.place++
		l.bytes += len(line)
	}
	return len(text), nil
}

func (l *lines) batch() *arrow.Batch {
	p := make([]int32, len(l.p))
	for i := range p {
		p[i] = int32(l.p[i])
	}
	return &arrow.Batch{Rows: len(p), Schema: arrow.Schema{
		{Name: "p", Type: arrow.Of(arrow.Int32)}, {Name: "k", Type: arrow.Of(arrow.String)},
		{Name: "line", Type: arrow.Of(arrow.String)}, {Name: "place", Type: arrow.Of(arrow.Int64)}},
		Columns: []arrow.Column{arrow.Int32s(p), arrow.Strings(l.k), arrow.Strings(l.line), arrow.Int64s(l.places)}}
}
