package sim

import (
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/random"
)

// intruder is a machine that calls every process and sends any message except a valid greeting. It acts like an
// attacker that has a certificate of the job.
type intruder struct {
	world  *World
	random *random.Source
	links  uint64
}

func (i *intruder) Step(now coordination.Time, e coordination.Event) (out []coordination.Action) {
	switch e := e.(type) {
	case coordination.Tick:
		i.links++
		victim := i.world.nodes[i.random.Intn(len(i.world.nodes))]
		return append(out, coordination.Dial{Link: coordination.Link(2*i.links - 1), Address: victim.name})
	case coordination.Connected:
		for range i.random.Intn(4) {
			out = append(out, coordination.Send{Link: e.Link, Message: i.message()})
		}
		if i.random.Intn(2) == 0 {
			out = append(out, coordination.Close(e))
		}
	case coordination.Received:
		if i.random.Intn(4) == 0 {
			out = append(out, coordination.Send{Link: e.Link, Message: i.message()})
		}
	}
	return out
}

// number returns a small number, one near the run's current position, or any other.
func (i *intruder) number() uint64 {
	switch i.random.Intn(4) {
	case 0:
		return i.world.machine.Head() + uint64(i.random.Intn(3)) - 1
	case 1:
		return i.random.Uint64()
	}
	return uint64(i.random.Intn(5))
}

func (i *intruder) number32() uint32 { return uint32(i.number()) }

func (i *intruder) bytes() []byte { return make([]byte, i.random.Intn(12)) }

func (i *intruder) peer() coordination.Peer {
	return coordination.Peer{Worker: i.number32(), Incarnation: i.number32()}
}

func (i *intruder) message() coordination.Message {
	switch i.random.Intn(18) {
	case 0:
		return &coordination.Hello{Job: coordination.JobID{byte(i.number())}, Nonce: i.number(), Attempt: 99,
			Shares: []coordination.Share{{Partition: i.number32(), Minibatches: i.number32()}}}
	case 1: // a message of the job, but impossible
		return &coordination.Hello{Job: jobID, Attempt: 99,
			Shares: [][]coordination.Share{nil, {{Partition: 1 << 20}}, {{Partition: 1}, {Partition: 0}},
				{{Partition: 1}, {Partition: 1}}}[i.random.Intn(4)]}
	case 2:
		return &coordination.Welcome{Term: i.number32(), Peer: i.peer(), Fresh: true, Position: i.number()}
	case 3:
		return &coordination.Refuse{Final: true}
	case 4:
		return &coordination.Snapshot{Position: i.number(), Next: make([]uint32, i.random.Intn(3)), Params: i.bytes()}
	case 5:
		return &coordination.Update{Peer: i.peer(), Seq: i.number(), Epoch: i.number32(), Partition: i.number32(),
			Ordinal: i.number32(), Applied: i.number(), Payload: i.bytes()}
	case 6:
		return &coordination.Beat{Received: i.number(), Applied: i.number()}
	case 7:
		return &coordination.Pulse{Head: i.number(), Keep: i.number(), Report: i.number()}
	case 8:
		return &coordination.StateRequest{ID: i.number32()}
	case 9:
		return &coordination.State{ID: i.number32(), State: i.bytes()}
	case 10:
		return &coordination.Follow{Version: i.number32(), Parent: i.peer(), Address: "nowhere"}
	case 11:
		return &coordination.Attach{Term: i.world.term, Peer: i.peer(), Version: i.number32(), Received: i.number()}
	case 12:
		return &coordination.Log{First: i.number(), Keep: i.number(), Entries: []*coordination.Entry{
			{Kind: coordination.EntryKind(i.number()), Peer: i.peer(), Seq: i.number(), Own: true},
			{Kind: coordination.RoundEntry, Shares: []uint32{i.number32(), 0}, Payload: i.bytes()}}}
	case 13:
		return &coordination.Behind{}
	case 14:
		return &coordination.Orphan{Version: i.number32(), Received: i.number(), Unreachable: true}
	case 15:
		return &coordination.Part{Term: i.world.term, To: coordination.Peer{Worker: i.number32(), Incarnation: 100},
			Gather: i.number(), Level: i.number32(), Index: i.number32(), Payload: floatBytes(1)}
	case 16:
		return &coordination.Target{Gather: i.number(), Position: i.number32(), Peer: i.peer(), Address: "nowhere"}
	}
	return &coordination.Bye{Final: true}
}

// TestIntruder checks that an intruder's messages don't affect training.
func TestIntruder(t *testing.T) {
	seeds := campaign.Count(100, 300, 5_000)
	campaign.Record(t).Add(seeds)
	for seed := uint64(1); seed <= uint64(seeds); seed++ {
		s := small(coordination.Mode(seed % 2))
		s.Codec = seed%4 == 0
		w := toyWorld(seed, s)
		for range 3 {
			n := w.newNode("stranger")
			n.stranger = true
			n.machine = &intruder{world: w, random: random.NewSource(random.Mix(seed, uint64(n.id)))}
			n.act = func(*node, coordination.Action) {}
		}
		w.tickEvery = 20 * time.Millisecond
		if _, err := w.run(); err != nil || w.ended != nil {
			t.Fatalf("seed %d: %v, %v", seed, err, w.ended)
		}
	}
}
