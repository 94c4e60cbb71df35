package paramavg

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/stats"
)

// stayConfig is the configuration of a resident worker.
type stayConfig struct {
	workerConfig
	Shape  engine.BroadcastID
	Access engine.BroadcastID // access data of the coordinator
	// Begun is the round with which the job begins. Own is the places' own updater states at that time; see
	// ownBroadcasts.
	Begun int
	Own   []engine.BroadcastID
}

// stay keeps the partition's rows, and trains portions of them in each round until the coordinator dismisses it. It
// writes no rows.
var stay = engine.Register("paramavg.stay", func(t *engine.Task, conf stayConfig, in engine.Rows,
	_ engine.Writer) error {
	b, err := t.Broadcast(conf.Shape)
	if err != nil {
		return err
	}
	var s shape
	if err := json.Unmarshal(b, &s); err != nil {
		return engine.Permanent(err)
	}
	r := &roundWorker{task: t, conf: conf.workerConfig, parts: s.parts(t.Partition)}
	r.spent = distributed.NewSpent(conf.Kernels, conf.Prefetch)
	r.own = ownStates{from: conf.Begun, ids: conf.Own, parts: r.parts, held: map[int]*heldState{}}
	if r.times, err = conf.Collector(t); err != nil {
		return err
	}
	end := r.times.Begin(stats.WorkerDataSet)
	if r.rows, err = resident.Keep(in); err != nil {
		return err
	}
	end(0) // minibatches count the examples
	defer func() { r.rows.Close() }()
	r.ahead = readAhead{of: r}
	defer r.ahead.close()
	w := resident.Worker{Access: conf.Access, Replica: r, Train: r.train}
	r.first = slices.Index(s.Owners, t.Partition)
	for place, owner := range s.Owners {
		if owner == t.Partition {
			// The coordinator recognises by it a replacement with another number of rows.
			w.Shares = append(w.Shares, coordination.Share{Partition: uint32(place), Minibatches: uint32(r.rows.Len())})
		}
	}
	if err := r.check(); err != nil {
		return err
	}
	err = w.Serve(t)
	if r.failed != nil {
		return r.failed
	}
	return err
})

// roundWorker is a resident worker's replica for rounds.
type roundWorker struct {
	task     *engine.Task
	conf     workerConfig
	parts    map[[2]int]part
	rows     *resident.Rows
	received []byte // the start of the round, until it is decoded
	start    *state
	kept     keptSum
	cut      lengths // of the last result
	first    int     // own place
	own      ownStates
	ahead    readAhead
	spent    distributed.Spent
	memory   memory
	mover    *mover // nil unless the last round was one of a move
	failed   error
	times    *stats.Collector // of getting the rows, until a portion has reported them
}

var _ coordination.Replica = (*roundWorker)(nil)

// check fails if the number of rows is not that of the parts.
func (r *roundWorker) check() error {
	n := 0
	for _, p := range r.parts {
		n = max(n, p.to)
	}
	if n != r.rows.Len() {
		return fmt.Errorf("the worker's partition has %d examples, its shares have %d", r.rows.Len(), n)
	}
	return nil
}

// train trains a share of a round, or moves rows.
func (r *roundWorker) train(a coordination.Train) (out coordination.Trained) {
	place := int(a.Partition)
	if a.Epoch == moveRound {
		if out.Err = r.moving(place); out.Err != nil {
			out.Err = fmt.Errorf("rows for the next pass: %w", out.Err)
		}
		out.Payload = cutMark(place == r.first)
	} else if out.Payload, out.Err = r.share(int(a.Epoch), place); out.Err != nil {
		out.Err = fmt.Errorf("round %d: %w", a.Epoch, out.Err)
	}
	if out.Err != nil {
		r.failed = out.Err
	}
	return out
}

// share trains the share at a place of a round.
func (r *roundWorker) share(round, place int) ([]byte, error) {
	if err := r.moved(); err != nil {
		return nil, err
	}
	p, ok := r.parts[[2]int{round, place}]
	if !ok {
		return nil, engine.Permanent(fmt.Errorf("worker %d has no share at place %d of round %d", r.task.Partition, place,
			round))
	}
	return r.portion(round, place, p)
}

func (r *roundWorker) portion(round, place int, p part) ([]byte, error) {
	s, err := newPortion(r.task, r.conf, place, p.position)
	if err != nil {
		return nil, err
	}
	if s.own, err = r.own.begin(r.task, round, place); err != nil {
		return nil, err
	}
	s.spent, s.room = r.spent, r.memory.result
	s.times.Add(r.times.Events()...)
	r.times = nil
	batches := r.ahead.take(round, place)
	first, err := s.next(batches)
	if err == io.EOF {
		return nil, engine.Permanent(fmt.Errorf("a share without examples"))
	}
	if err != nil {
		return nil, err
	}
	b, err := s.train(r.begin, first, batches)
	if err == nil {
		r.memory.trained(s.trained)
		r.own.end(place, s.net)
		r.ahead.begin(round, place)
	}
	return b, err
}

func (r *roundWorker) Install(start, _ []byte) error {
	r.received, r.start = start, nil
	return nil
}

// begin returns the start of the round.
func (r *roundWorker) begin() (*state, error) {
	if r.start != nil {
		return r.start, nil
	}
	s, err := decodeState(r.received)
	r.received, r.start = nil, s
	return s, engine.Permanent(err)
}

func (r *roundWorker) Sum(parts [][]byte) ([]byte, error) {
	var total sum
	for _, b := range parts {
		if err := total.addRow(b); err != nil {
			return nil, err
		}
	}
	return total.row()
}

func (r *roundWorker) Abandon(*coordination.Update) {}

// The rest belongs to gradient sharing.

var errNoUpdates = errors.New("parameter averaging has rounds, no updates")

func (r *roundWorker) Apply(*coordination.Entry) error                     { return errNoUpdates }
func (r *roundWorker) SetStatistics([]byte) error                          { return errNoUpdates }
func (r *roundWorker) Constrain([]*coordination.Update) error              { return errNoUpdates }
func (r *roundWorker) State() ([]byte, error)                              { return nil, nil }
func (r *roundWorker) Report(bool, []*coordination.Update) ([]byte, error) { return nil, errNoUpdates }
