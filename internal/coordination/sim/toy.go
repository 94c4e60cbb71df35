package sim

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/random"
)

// The toy network has a few whole numbers as parameters, so that nothing is rounded and every sum can be checked
// exactly. A step's update depends on its minibatch and on the parameters. The codec sends multiples of a quantum. The
// residual is clipped now and then.
const (
	dims    = 3
	quantum = 8
	bound   = 60 // of the residual
	limit   = 90 // of constrained parameters

	residuals = 1 << 20 // more than twice the bound of all workers' residuals and pending updates
)

type vector [dims]int64

func (v *vector) add(o vector, times int64) {
	for i := range v {
		v[i] += times * o[i]
	}
}

// model is parameters with a record of the updates in them: how many, and the sum of the hashes of their identities.
type model struct {
	params     vector
	removed    vector // by constraints
	count      uint64
	print      uint64
	statistics int64
}

// identity hashes an update's identity.
func identity(e *coordination.Entry) uint64 {
	h := random.Mix(uint64(e.Peer.Worker)<<32|uint64(e.Peer.Incarnation), e.Seq)
	return random.Mix(h, uint64(e.Epoch)<<48^uint64(e.Partition)<<24^uint64(e.Ordinal))
}

func (m *model) apply(e *coordination.Entry) error {
	v, err := decode(e.Payload)
	if err != nil {
		return err
	}
	m.params.add(v, -quantum)
	m.count++
	m.print += identity(e)
	return nil
}

// constrain keeps parameters within the limit.
func (m *model) constrain() {
	for i, v := range m.params {
		m.params[i] = max(-limit, min(limit, v))
		m.removed[i] += v - m.params[i]
	}
}

func (m *model) bytes() []byte {
	var b []byte
	for i, v := range m.params {
		b = binary.AppendVarint(binary.AppendVarint(b, v), m.removed[i])
	}
	b = binary.AppendUvarint(b, m.count)
	b = binary.LittleEndian.AppendUint64(b, m.print)
	return binary.AppendVarint(b, m.statistics)
}

var errToy = errors.New("toy parameters are damaged")

func readModel(b []byte) (m model, err error) {
	varint := func() int64 {
		v, n := binary.Varint(b)
		if n <= 0 {
			err = errToy
			return 0
		}
		b = b[n:]
		return v
	}
	for i := range m.params {
		m.params[i], m.removed[i] = varint(), varint()
	}
	count, n := binary.Uvarint(b)
	if err != nil || n <= 0 || len(b) < n+8 {
		return m, errToy
	}
	m.count, m.print = count, binary.LittleEndian.Uint64(b[n:])
	b = b[n+8:]
	m.statistics = varint()
	return m, err
}

// encode encodes the multiples of the quantum; nil if all are 0.
func encode(v vector) []byte {
	if v == (vector{}) {
		return nil
	}
	b := make([]byte, 0, 8)
	for _, x := range v {
		b = binary.AppendVarint(b, x)
	}
	return b
}

func decode(b []byte) (v vector, err error) {
	if len(b) == 0 {
		return v, nil
	}
	for i := range v {
		x, n := binary.Varint(b)
		if n <= 0 {
			return v, errToy
		}
		v[i], b = x, b[n:]
	}
	for _, x := range b {
		if x != 0 { // padding is 0
			return v, errToy
		}
	}
	return v, nil
}

// toy is a worker's replica that counts everything that goes through it.
type toy struct {
	world    *World
	model    model
	residual vector
	state    uint64 // stands for the updater's state: counts steps

	made, clipped, dropped, sent vector // over its life: made = sent + residual + clipped + dropped
	abandoned, committed         vector // of sent
	rolledBack                   vector
	fates                        map[life]fate
	steps                        map[[3]uint32]vector // each minibatch's update: by epoch, partition and ordinal
	node                         *node
	dead                         bool
	installed                    bool
	installs                     int // of parameters
	averaged
	reported float64 // for a checkpoint
	ahead    map[uint32]uint32
}

// train computes a step at once; the machine gets the result later.
func (t *toy) train(a coordination.Train) coordination.Trained {
	if a.Round {
		return coordination.Trained{ID: a.ID, Payload: roundResult(t.averaged.start, a.Epoch, a.Partition)}
	}
	var update vector
	key := random.Mix(t.world.seed, uint64(a.Epoch)<<48^uint64(a.Partition)<<24^uint64(a.Ordinal))
	for i := range update {
		update[i] = int64(random.Mix(key, uint64(i))%61) - 30 + t.model.params[i]>>3&3
	}
	if key%7 == 0 {
		update = vector{}
	}
	t.state++
	t.made.add(update, 1)
	t.steps[[3]uint32{a.Epoch, a.Partition, a.Ordinal}] = update
	t.residual.add(update, 1)
	for i, r := range t.residual {
		if over := r - max(-bound, min(bound, r)); over != 0 {
			t.clipped[i] += over
			t.residual[i] -= over
		}
	}
	var q vector
	for i, r := range t.residual {
		q[i] = r / quantum
	}
	t.residual.add(q, -quantum)
	t.sent.add(q, quantum)
	t.model.statistics = t.model.statistics*3/4 + int64(key%100)
	out := coordination.Trained{ID: a.ID, Payload: encode(q), Score: float64(key % 100)}
	if len(out.Payload) > 0 {
		out.Payload = append(out.Payload, make([]byte, t.world.s.Padding)...)
	}
	if a.Statistics {
		out.Statistics = binary.AppendVarint(nil, t.model.statistics)
	}
	return out
}

func (t *toy) Install(params, state []byte) error {
	if t.averaged.install(params) {
		t.installed = true
		return nil
	}
	m, err := readModel(params)
	if err != nil {
		return err
	}
	t.dropped.add(t.residual, 1)
	t.residual = vector{}
	t.model, t.installed = m, true
	t.installs++
	t.state = 0
	if state != nil {
		t.state = binary.LittleEndian.Uint64(state)
	}
	return nil
}

func (t *toy) Apply(e *coordination.Entry) error {
	if !t.installed {
		return errors.New("an update comes before the parameters")
	}
	if e.Kind == coordination.SumEntry {
		r, err := readRelease(e.Payload)
		if err == nil {
			t.model.applyRelease(r)
		}
		return err
	}
	return t.model.apply(e)
}

// Constrain applies the constraints without the pending updates.
func (t *toy) Constrain(pending []*coordination.Update) error {
	var own vector
	for _, u := range pending {
		v, err := decode(u.Payload)
		if err != nil {
			return err
		}
		own.add(v, quantum)
	}
	t.model.params.add(own, 1)
	t.model.constrain()
	t.model.params.add(own, -1)
	return nil
}

func (t *toy) SetStatistics(b []byte) error {
	v, n := binary.Varint(b)
	if n != len(b) {
		return errToy
	}
	t.model.statistics = v
	return nil
}

func (t *toy) State() ([]byte, error) { return binary.LittleEndian.AppendUint64(nil, t.state), nil }

// Report returns a number that all replicas have in common. For a checkpoint it is that number times residuals, plus
// the sum of the residual and the pending updates.
func (t *toy) Report(open bool, pending []*coordination.Update) ([]byte, error) {
	print := t.model.print
	t.reported, t.ahead = 0, map[uint32]uint32{}
	for _, r := range t.residual {
		t.reported += float64(r)
	}
	for _, u := range pending {
		if !t.world.s.Config.Summed { // else it is not applied here
			print -= identity(&coordination.Entry{Peer: u.Peer, Seq: u.Seq, Epoch: u.Epoch, Partition: u.Partition,
				Ordinal: u.Ordinal})
		}
		v, err := decode(u.Payload)
		if err != nil {
			return nil, err
		}
		for _, q := range v {
			t.reported += float64(quantum * q)
		}
		t.ahead[u.Partition]++
	}
	common := float64(print % 1009)
	if !open {
		return floatBytes(common), nil
	}
	return floatBytes(common*residuals + t.reported), nil
}

func (t *toy) Abandon(u *coordination.Update) {
	v, err := decode(u.Payload)
	if err != nil {
		t.world.failed(fmt.Errorf("a payload was abandoned that is none: %w", err))
	}
	if u.Seq > 0 {
		term, _ := t.node.worker.Identity()
		switch t.fates[life{term, u.Peer, u.Seq}] {
		case isCommitted:
			t.world.failed(fmt.Errorf("node %d abandons update %d, which is committed", t.node.id, u.Seq))
		case isRolledBack:
			return // it is counted already
		}
	}
	t.abandoned.add(v, quantum)
}

// life identifies an update of a process.
type life struct {
	term uint32
	peer coordination.Peer
	seq  uint64
}

type fate uint8

const (
	isCommitted fate = iota + 1
	isRolledBack
)

// commits notes that an update of this process has been committed.
func (t *toy) commits(e *coordination.Entry, term uint32) {
	v, err := decode(e.Payload)
	if err != nil {
		t.world.failed(err)
	}
	t.committed.add(v, quantum)
	t.fates[life{term, e.Peer, e.Seq}] = isCommitted
}

// rollsBack notes that the coordinator restarted from before an update.
func (t *toy) rollsBack(e *coordination.Entry, term uint32) {
	v, _ := decode(e.Payload)
	t.committed.add(v, -quantum)
	t.rolledBack.add(v, quantum)
	t.fates[life{term, e.Peer, e.Seq}] = isRolledBack
}

// die loses the residual.
func (t *toy) die() {
	t.dead = true
	t.dropped.add(t.residual, 1)
	t.residual = vector{}
}
