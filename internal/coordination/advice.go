package coordination

import (
	"fmt"
	"time"
)

// Cluster is what Advise needs to know about the workers, the model and the network.
type Cluster struct {
	Workers  int
	StepTime time.Duration // of a minibatch, measured
	// MessageBytes is the length of an encoded update. EncodeTime is the time to encode one, ApplyTime the time to
	// apply another worker's.
	MessageBytes          float64
	EncodeTime, ApplyTime time.Duration
	// ModelBytes is the length of parameters and updater state, which averaging moves. Frequency is a worker's
	// minibatches between two averagings, Depth the levels of the tree.
	ModelBytes       float64
	Frequency, Depth int
	// Bandwidth is how much a machine sends, or receives, in bytes a second. Latency is the delay of a message one way.
	Bandwidth float64
	Latency   time.Duration
}

// Advice is how many minibatches a second all workers train together, and the choice that follows. These formulas are
// tested against package sim's table.
type Advice struct {
	One       float64 // one worker alone
	Plain     float64 // gradient sharing, the coordinator sends everything
	Mesh      float64 // gradient sharing, workers relay
	Averaging float64 // parameter averaging in rounds
	Sharing   bool    // rather than averaging
	Mode      Mode    // of sharing
	Alone     bool    // the network is so slow that more workers are hardly worth it
}

// entryBytes is the overhead of a message beside its payload.
const entryBytes = 11

// Advise compares the speed of gradient sharing and parameter averaging. A worker's step takes StepTime, an encoding,
// and the application of all others' updates. In sharing, the coordinator's network card must carry each update to its
// children: Workers-1 of them, or, in a mesh, as many as a node feeds. In averaging, each level of the tree transfers
// the model up and down. Advise prefers sharing unless averaging is more than 1.25 times as fast, as its replicas stay
// closer together. It prefers Plain unless Mesh is more than 1.05 times as fast, as its updates arrive sooner.
func Advise(c Cluster) Advice {
	w, t := float64(c.Workers), c.StepTime.Seconds()
	step := t + c.EncodeTime.Seconds() + (w-1)*c.ApplyTime.Seconds()
	const fanout = 8
	limited := func(children, hops float64) float64 {
		rate := w / step
		if c.Bandwidth > 0 {
			m := c.MessageBytes + entryBytes
			rate = min(rate, c.Bandwidth/(max(1, children)*m))
		}
		if l := c.Latency.Seconds(); l > 0 {
			rate = min(rate, w*defaultInFlight/((1+hops)*l))
		}
		return rate
	}
	levels := 0
	for n := 1; n < c.Workers; n *= fanout {
		levels++
	}
	a := Advice{One: 1 / t, Plain: limited(w-1, 1), Mesh: limited(min(fanout, w), float64(levels))}

	transfer, l := 0.0, c.Latency.Seconds()
	if c.Bandwidth > 0 {
		transfer = c.ModelBytes / c.Bandwidth
	}
	depth := max(1, c.Depth)
	group := groupOf(c.Workers, depth)
	up := float64(depth)*(float64(group-1)*transfer+l) + transfer + l
	down := float64(max(1, levels)) * (min(fanout, w)*transfer + l)
	k := float64(max(1, c.Frequency))
	a.Averaging = w * k / (k*t + up + down)

	shared := a.Plain
	if a.Mesh > 1.05*a.Plain {
		a.Mode, shared = Mesh, a.Mesh
	}
	a.Sharing = a.Averaging <= 1.25*shared
	a.Alone = max(shared, a.Averaging) < 1.5*a.One
	return a
}

// groupOf returns the smallest group size with which depth levels suffice.
func groupOf(places, depth int) int {
	for g := 2; ; g++ {
		if (treeShape{places, g}).top() <= depth {
			return g
		}
	}
}

func (a Advice) String() string {
	text := fmt.Sprintf("minibatches a second: %.0f by one worker; shared gradients %.0f (PLAIN), %.0f (MESH); "+
		"averaging %.0f: ",
		a.One, a.Plain, a.Mesh, a.Averaging)
	switch {
	case a.Alone:
		return text + "the network is too slow for these workers: train on one machine, or raise the averaging frequency"
	case !a.Sharing:
		return text + "average parameters"
	case a.Mode == Mesh:
		return text + "share gradients, MESH"
	}
	return text + "share gradients, PLAIN"
}
