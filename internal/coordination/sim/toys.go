package sim

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/dl4go/dl4go/internal/coordination"
)

// reference is the coordinator's side of the toy network. It puts everything off that it may put off.
type reference struct {
	model    model
	summed   bool
	padding  int
	release  release
	waiting  []*coordination.Entry
	releases []release
}

func (r *reference) Install(params []byte) (err error) {
	r.waiting, r.releases = nil, nil
	r.model, err = readModel(params)
	return err
}

func (r *reference) Expect([][]byte) {}

func (r *reference) Apply(e *coordination.Entry) error {
	if r.summed {
		return r.release.take(e)
	}
	_, err := decode(e.Payload)
	if err == nil {
		r.waiting = append(r.waiting, e)
	}
	return err
}

func (r *reference) Sum() ([]byte, error) {
	payload := append(r.release.bytes(), make([]byte, r.padding)...)
	r.releases = append(r.releases, r.release)
	r.release = release{}
	return payload, nil
}

func (r *reference) CatchUp() {
	for _, e := range r.waiting {
		r.model.apply(e) // it was decoded before
	}
	for _, sum := range r.releases {
		r.model.applyRelease(sum)
	}
	r.waiting, r.releases = nil, nil
}

func (r *reference) Constrain() error {
	r.CatchUp()
	r.model.constrain()
	return nil
}

func (r *reference) Params() ([]byte, error) {
	r.CatchUp()
	return r.model.bytes(), nil
}

func (r *reference) Average(all [][]byte) ([]byte, error) {
	sum := int64(0)
	for _, b := range all {
		v, n := binary.Varint(b)
		if n != len(b) {
			return nil, errToy
		}
		sum += v
	}
	return binary.AppendVarint(nil, sum/int64(len(all))), nil
}

func (r *reference) SetStatistics(b []byte) error {
	r.model.statistics, _ = binary.Varint(b)
	return nil
}

// toys is a world of toy networks.
type toys struct{ world *World }

func (t toys) reference() coordination.Reference {
	return &reference{summed: t.world.s.Config.Summed, padding: t.world.s.Padding}
}
func (t toys) begin() []byte { return (&model{}).bytes() }
func (t toys) start() []byte { return append(numberBytes(firstStart()), 'f') }

func (t toys) replica(n *node) trackedReplica {
	return &toy{world: t.world, node: n, fates: map[life]fate{}, steps: map[[3]uint32]vector{}}
}

func (t toys) agree(ref coordination.Reference, nodes []*node) error {
	want := ref.(*reference).model
	if count := uint64(len(t.world.history)); want.count != count {
		return fmt.Errorf("the reference has %d updates, %d are committed", want.count, count)
	}
	for _, n := range nodes {
		if got := n.replica.(*toy).model; got != want {
			return fmt.Errorf("node %d has %+v, the reference %+v", n.id, got, want)
		}
	}
	return nil
}

// settles checks that all workers have reported the same number.
func (t toys) settles(ref coordination.Reference, s coordination.Settled) error {
	if got, want := readFloat(s.Payload), float64(s.Workers)*float64(ref.(*reference).model.print%1009); got != want {
		return fmt.Errorf("a settlement of %d workers gave %v, not %v", s.Workers, got, want)
	}
	return nil
}

// saves checks that workers that report for a checkpoint have its updates and, beyond these, only their own pending
// ones.
func (t toys) saves(k *coordination.Checkpoint) error {
	m, err := readModel(k.Params)
	if err != nil || k.Reports == nil {
		return err
	}
	common, sum := float64(m.print%1009), math.Round(readFloat(k.Reports)/residuals)
	if n := sum / common; m.count != uint64(committedIn(k)) ||
		common > 0 && (n != math.Trunc(n) || n < 1 || n > float64(t.world.s.Workers)) {
		return fmt.Errorf("a checkpoint of %d updates, of which %d are committed, has reports of %v, its own number is %v",
			m.count, committedIn(k), sum, common)
	}
	return nil
}

// committedIn returns how many updates are committed in a checkpoint.
func committedIn(k *coordination.Checkpoint) (n int) {
	for _, l := range k.Lives {
		n += int(l.Seq)
	}
	return n
}

// conserve checks that all updates of steps are committed, in residuals, clipped, or counted as lost.
func (t toys) conserve() error {
	w := t.world
	var applied, committed vector
	for _, c := range w.history {
		v, err := decode(c.entry.Payload)
		if err != nil {
			return err
		}
		applied.add(v, quantum)
	}
	for _, n := range w.nodes {
		r, is := n.replica.(*toy)
		if !is {
			continue
		}
		committed.add(r.committed, 1)
		total := r.sent
		for _, v := range []vector{r.residual, r.clipped, r.dropped} {
			total.add(v, 1)
		}
		if total != r.made {
			return fmt.Errorf("conservation: the steps of node %d gave %v; sent %v, residual %v, clipped %v, dropped %v", n.id,
				r.made, r.sent, r.residual, r.clipped, r.dropped)
		}
		open := r.sent
		for _, v := range []vector{r.committed, r.abandoned, r.rolledBack} {
			open.add(v, -1)
		}
		if w.settled(n) && open != (vector{}) {
			return fmt.Errorf("conservation: node %d sent %v; committed %v, abandoned %v, rolled back %v", n.id, r.sent,
				r.committed, r.abandoned, r.rolledBack)
		}
	}
	if committed != applied {
		return fmt.Errorf("conservation: %v are committed, the workers' parts of it are %v", applied, committed)
	}
	start := vector{}
	start.add(applied, -1)
	at := w.ref.(*reference).model.params
	at.add(w.ref.(*reference).model.removed, 1)
	if w.s.Epochs > 0 && w.ended == nil && at != start {
		return fmt.Errorf("the reference is at %v with what constraints took, the committed updates lead to %v", at, start)
	}
	return nil
}
