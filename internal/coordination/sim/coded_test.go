package sim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/threshold"
)

// coded uses float32 parameters and the real codec with threshold algorithms and clipping, as in training.
type coded struct {
	world     *World
	algorithm threshold.Algorithm
	coder     *threshold.Coder
}

const codedParams = 50

func (c *coded) reference() coordination.Reference {
	return &codedReference{coder: c.coder, params: make([]float32, codedParams)}
}

func (c *coded) begin() []byte { return tensor.Bytes(make([]float32, codedParams)) }

func (c *coded) start() []byte { return append(numberBytes(firstStart()), 'f') }

func (c *coded) replica(n *node) trackedReplica {
	e, err := threshold.NewEncoder(c.coder, codedParams, c.algorithm, threshold.NewResidualClipping(),
		threshold.Options{Ledger: true})
	if err != nil {
		c.world.failed(err)
	}
	return &codedReplica{coded: c, node: n, encoder: e, params: make([]float32, codedParams),
		committed: make([]float64, codedParams), abandoned: make([]float64, codedParams), rolledBack: map[life]bool{}}
}

// agree reports an error if the replicas' parameters differ from the reference by more than 1e-5 of the sum of
// magnitudes.
func (c *coded) agree(ref coordination.Reference, nodes []*node) error {
	want := ref.(*codedReference).params
	for _, n := range nodes {
		for i, v := range n.replica.(*codedReplica).params {
			if !conserved(float64(v), float64(want[i]), math.Abs(float64(want[i]))+c.moved(i)) {
				return fmt.Errorf("parameter %d of node %d is %v, the reference has %v", i, n.id, v, want[i])
			}
		}
	}
	return nil
}

// conserved reports whether two numbers agree to 1e-5 of the magnitude.
func conserved(got, want, magnitude float64) bool {
	return near.Equal(got, want, 1e-5*magnitude+1e-12, 0)
}

// moved returns the sum of the magnitudes of the steps of a parameter.
func (c *coded) moved(i int) float64 {
	sum := 0.0
	for _, n := range c.world.nodes {
		if r, is := n.replica.(*codedReplica); is {
			sum += r.encoder.Ledger().Magnitude[i]
		}
	}
	return sum
}

func (c *coded) saves(*coordination.Checkpoint) error { return nil }

func (c *coded) settles(_ coordination.Reference, s coordination.Settled) error {
	if got := readFloat(s.Payload); got != float64(s.Workers) {
		return fmt.Errorf("a settlement of %d workers gave %v", s.Workers, got)
	}
	return nil
}

// conserve checks for each parameter that applied + residual + clipped + dropped + lost = updates, and that the
// reference is the sum of the committed messages.
func (c *coded) conserve() error {
	w := c.world
	applied := make([]float64, codedParams)
	for _, h := range w.history {
		if err := addMessage(applied, h.entry.Payload, 1); err != nil {
			return err
		}
	}
	for i := range applied {
		var updates, sent, rest, committed float64
		for _, n := range w.nodes {
			r, is := n.replica.(*codedReplica)
			if !is {
				continue
			}
			l := r.encoder.Ledger()
			updates += l.Updates[i]
			sent += l.Sent[i]
			rest += l.Clipped[i] + l.Dropped[i] + l.Lost[i] + float64(r.encoder.Residual()[i])
			committed += r.committed[i]
			if w.settled(n) && !conserved(l.Sent[i], r.committed[i]+r.abandoned[i], l.Magnitude[i]) {
				return fmt.Errorf("conservation: parameter %d of node %d: %v was sent, %v committed, %v abandoned or rolled back",
					i, n.id, l.Sent[i], r.committed[i], r.abandoned[i])
			}
		}
		lost := sent - applied[i]
		if !conserved(updates, applied[i]+lost+rest, c.moved(i)) || !conserved(committed, applied[i], c.moved(i)) {
			return fmt.Errorf("conservation: parameter %d: steps gave %v; applied %v, by the workers' accounts %v; lost %v; "+
				"residual, clipped and dropped %v",
				i, updates, applied[i], committed, lost, rest)
		}
		if p := w.ref.(*codedReference).params[i]; w.ended == nil && !conserved(float64(p), -applied[i], c.moved(i)) {
			return fmt.Errorf("parameter %d of the reference is %v, the committed messages lead to %v", i, p, -applied[i])
		}
	}
	return nil
}

func addMessage(to []float64, payload []byte, sign float64) error {
	var m threshold.Message
	if err := m.ReadWire(payload, codedParams); err != nil {
		return err
	}
	for i, v := range m.All() {
		to[i] += sign * float64(v)
	}
	return nil
}

type codedReplica struct {
	*coded
	node      *node
	encoder   *threshold.Encoder
	params    []float32
	message   threshold.Message
	iteration int
	averaged
	committed, abandoned []float64
	rolledBack           map[life]bool
}

func (r *codedReplica) train(a coordination.Train) coordination.Trained {
	if a.Round {
		return coordination.Trained{ID: a.ID, Payload: roundResult(r.averaged.start, a.Epoch, a.Partition)}
	}
	s := random.NewSource(random.Mix(r.world.seed, uint64(a.Epoch)<<48^uint64(a.Partition)<<24^uint64(a.Ordinal)))
	update := make([]float32, codedParams)
	for i := range update {
		update[i] = float32(s.Normal()*2e-4) + r.params[i]*0.01
	}
	m, err := r.encoder.Encode(r.iteration, int(a.Epoch), update)
	if err != nil {
		return coordination.Trained{ID: a.ID, Err: err}
	}
	r.iteration++
	return coordination.Trained{ID: a.ID, Payload: m.AppendWire(nil)}
}

func (r *codedReplica) Install(params, state []byte) error {
	if r.averaged.install(params) {
		return nil
	}
	r.encoder.Drop()
	copy(r.params, tensor.Floats(params))
	if state == nil {
		return nil
	}
	var s threshold.EncoderState
	if err := dl4j.Unmarshal(state, &s); err != nil {
		return err
	}
	r.encoder.SetState(s)
	return nil
}

func (r *codedReplica) Apply(e *coordination.Entry) error {
	messages := [][]byte{e.Payload}
	if e.Kind == coordination.SumEntry {
		messages = nil
		for b := e.Payload; len(b) > 0; {
			size, n := binary.Uvarint(b)
			messages = append(messages, b[n:n+int(size)])
			b = b[n+int(size):]
		}
	}
	for _, b := range messages {
		if err := r.message.ReadWire(b, codedParams); err != nil {
			return err
		}
		if err := r.coder.Subtract(&r.message, r.params); err != nil {
			return err
		}
	}
	return nil
}

func (r *codedReplica) SetStatistics([]byte) error             { return errors.New("there are none") }
func (r *codedReplica) Constrain([]*coordination.Update) error { return nil }
func (r *codedReplica) State() ([]byte, error)                 { return dl4j.Marshal(r.encoder.State()) }
func (r *codedReplica) Report(bool, []*coordination.Update) ([]byte, error) {
	return floatBytes(1), nil
}

func (r *codedReplica) Abandon(u *coordination.Update) {
	term, _ := r.node.worker.Identity()
	if u.Seq > 0 && r.rolledBack[life{term, u.Peer, u.Seq}] {
		return // already counted
	}
	if err := addMessage(r.abandoned, u.Payload, 1); err != nil {
		r.world.failed(err)
	}
}

func (r *codedReplica) commits(e *coordination.Entry, term uint32) {
	if err := addMessage(r.committed, e.Payload, 1); err != nil {
		r.world.failed(err)
	}
}

func (r *codedReplica) rollsBack(e *coordination.Entry, term uint32) {
	r.rolledBack[life{term, e.Peer, e.Seq}] = true
	if err := errors.Join(addMessage(r.committed, e.Payload, -1), addMessage(r.abandoned, e.Payload, 1)); err != nil {
		r.world.failed(err)
	}
}

func (r *codedReplica) die() { r.encoder.Drop() }

type codedReference struct {
	coder   *threshold.Coder
	params  []float32
	message threshold.Message
	release []byte
}

func (r *codedReference) Install(params []byte) error {
	copy(r.params, tensor.Floats(params))
	return nil
}

func (r *codedReference) Apply(e *coordination.Entry) error {
	r.release = append(binary.AppendUvarint(r.release, uint64(len(e.Payload))), e.Payload...)
	if err := r.message.ReadWire(e.Payload, codedParams); err != nil {
		return err
	}
	return r.coder.Subtract(&r.message, r.params)
}

func (r *codedReference) Expect([][]byte) {}
func (r *codedReference) CatchUp()        {}

// Sum returns the messages of the release, each after its length. Apply has subtracted them.
func (r *codedReference) Sum() ([]byte, error) {
	release := r.release
	r.release = nil
	return release, nil
}

func (r *codedReference) Params() ([]byte, error) {
	return tensor.Bytes(append([]float32(nil), r.params...)), nil
}

func (r *codedReference) Average([][]byte) ([]byte, error) { return nil, errors.New("there are none") }
func (r *codedReference) SetStatistics([]byte) error       { return errors.New("there are none") }
func (r *codedReference) Constrain() error                 { return nil }

// TestCodec runs schedules with the real codec. It checks that every parameter is conserved and that replicas agree,
// within 1e-5.
func TestCodec(t *testing.T) {
	algorithms := []threshold.Algorithm{threshold.Default(), threshold.NewTargetSparsity(1e-1), threshold.Fixed{T: 3e-4}}
	checks, faults := 0, 0
	seeds := campaign.Count(200, 1000, 10_000)
	campaign.Record(t).Add(seeds)
	for seed := uint64(1); seed <= uint64(seeds); seed++ {
		c := &coded{algorithm: algorithms[seed%3], coder: threshold.NewCoder(1)}
		w := schedule(seed, func(w *World) numbers { c.world = w; return c }, nil)
		r, err := w.run()
		if err == nil {
			err = w.ended
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		checks += r.Checks
		faults += r.Faults
	}
	t.Logf("%d replicas compared, %d faults", checks, faults)
}
