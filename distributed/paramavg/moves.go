package paramavg

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/resident"
)

// moveRound is the number of the sliced rounds in which resident workers move rows among themselves, between two
// passes. The piece of a result for another worker is then a list of rows for it, and the report's Examples are the
// rows that are still to be moved. Such a round is repeated until there are none.
const moveRound = math.MaxUint32

// moveBytes bounds the rows that a worker sends to another one in a round, unless one row is larger.
const moveBytes = 32 << 20

// move is the start of these rounds: where the rows are, where they go, and the pass that follows.
type move struct {
	From, To engine.Assignment // without Order
	Shape    shape
	Epoch    uint64
	NetEpoch int
}

// mover is a resident worker's part of a move.
type mover struct {
	move
	worker int
	place  []int    // of each row, in the order of To
	rows   [][]byte // the worker's rows of the next pass; nil until they arrive
	leave  [][]int  // by worker: the numbers of the rows that go there
	out    [][]byte // of this round
}

// newMover finds out where the worker's rows go. Rows that stay are where they belong from the beginning.
func newMover(m move, worker int, rows *resident.Rows) (*mover, error) {
	first, end := m.From.Places(worker)
	if end-first != rows.Len() {
		return nil, fmt.Errorf("the worker has %d rows to move, not %d", rows.Len(), end-first)
	}
	from, to := m.From.Listed(), m.To.Listed()
	placed := make([]uint32, to.Rows())
	for p := range placed {
		placed[to.Index(p)] = uint32(p)
	}
	own, ownEnd := m.To.Places(worker)
	v := &mover{move: m, worker: worker, place: make([]int, rows.Len()), rows: make([][]byte, ownEnd-own),
		leave: make([][]int, len(m.To.Ends)), out: make([][]byte, len(m.To.Ends))}
	for i := range v.place {
		p := int(placed[from.Index(first+i)])
		v.place[i] = p
		to := sort.SearchInts(m.To.Ends, p+1)
		if to != worker {
			v.leave[to] = append(v.leave[to], i)
			continue
		}
		row, err := rows.At(i)
		if err != nil {
			return nil, err
		}
		v.rows[p-own] = row
	}
	return v, nil
}

// pack takes the next rows for each other worker.
func (v *mover) pack(rows *resident.Rows) error {
	for to, all := range v.leave {
		var b []byte
		n := 0
		for _, i := range all {
			row, err := rows.At(i)
			if err != nil {
				return err
			}
			if n > 0 && len(b)+len(row) > moveBytes {
				break
			}
			b = binary.AppendUvarint(b, uint64(v.place[i]))
			b = binary.AppendUvarint(b, uint64(len(row)))
			b = append(b, row...)
			n++
		}
		v.leave[to], v.out[to] = all[n:], b
	}
	return nil
}

// left returns the number of rows that the worker has still to give away.
func (v *mover) left() (n int) {
	for _, all := range v.leave {
		n += len(all)
	}
	return n
}

// unpack takes rows from the other workers.
func (v *mover) unpack(pieces [][]byte) ([]byte, error) {
	for _, b := range pieces {
		for len(b) > 0 {
			var err error
			if b, err = v.take(b); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// take takes the first row of a piece, and returns the rest of it.
func (v *mover) take(b []byte) ([]byte, error) {
	place, n := binary.Uvarint(b)
	size, m := binary.Uvarint(b[max(n, 0):])
	if n <= 0 || m <= 0 || size > uint64(len(b)-n-m) {
		return nil, errors.New("rows from another worker are damaged")
	}
	b = b[n+m:]
	own, end := v.To.Places(v.worker)
	if place < uint64(own) || place >= uint64(end) || v.rows[place-uint64(own)] != nil {
		return nil, fmt.Errorf("another worker sent a row for place %d, which is not free; this worker has places %d to %d",
			place, own, end-1)
	}
	v.rows[place-uint64(own)] = b[:size:size]
	return b[size:], nil
}

// all yields the rows of the next pass, copied: so the memory of messages and of the last pass is free afterwards.
func (v *mover) all() engine.Rows {
	next := 0
	var room []byte
	return engine.RowsFunc(func() (engine.Row, error) {
		if next == len(v.rows) {
			return engine.Row{}, io.EOF
		}
		row := v.rows[next]
		if row == nil {
			return engine.Row{}, fmt.Errorf("no worker sent the row for place %d", next)
		}
		v.rows[next] = nil
		next++
		if len(row) > cap(room)-len(room) {
			room = make([]byte, 0, max(len(row), 1<<20))
		}
		from := len(room)
		room = append(room, row...)
		return engine.Unindexed(room[from:len(room):len(room)]), nil
	})
}

// moving handles a round of a move, at one of the worker's places. The first place moves all of the worker's rows.
func (r *roundWorker) moving(place int) error {
	if place != r.first {
		return nil
	}
	r.ahead.close()
	r.kept = keptSum{}
	if r.mover == nil {
		var m move
		err := json.Unmarshal(r.received, &m)
		if err == nil {
			r.mover, err = newMover(m, r.task.Partition, r.rows)
		}
		if err != nil {
			return engine.Permanent(err)
		}
	}
	return r.mover.pack(r.rows)
}

// moved begins the next pass if the last rounds were a move.
func (r *roundWorker) moved() error {
	v := r.mover
	if v == nil {
		return nil
	}
	rows, err := resident.Keep(v.all())
	if err != nil {
		return err
	}
	r.rows.Close()
	r.rows, r.mover = rows, nil
	r.conf.Epoch, r.conf.NetEpoch, r.parts = v.Epoch, v.NetEpoch, v.Shape.parts(v.worker)
	return r.check()
}

// cutMark is the result of a round of a move, which tells cut whether it is of the worker's first place.
func cutMark(first bool) []byte {
	if first {
		return []byte{1}
	}
	return []byte{0}
}

// cut returns the rows for each worker at the worker's first place, and nothing at its other places. The report has the
// number of rows that are left.
func (v *mover) cut(mark []byte, n int) (pieces [][]byte, report []byte, err error) {
	if n != len(v.out) {
		return nil, nil, fmt.Errorf("rows are to be moved among %d workers, not %d", len(v.out), n)
	}
	s := state{Workers: 1}
	pieces = make([][]byte, n)
	if mark[0] == 1 {
		pieces, v.out, s.Examples = v.out, pieces, v.left()
	}
	report, err = s.row()
	return pieces, report, err
}
