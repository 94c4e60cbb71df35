package coordination

import (
	"fmt"
	"time"
)

// Cluster is what there is to be known before it is decided how a network is trained.
type Cluster struct {
	Workers  int
	StepTime time.Duration // of a minibatch, measured
	// MessageBytes is the length of an encoded update, EncodeTime what making one takes, ApplyTime what applying another
	// worker's takes.
	MessageBytes          float64
	EncodeTime, ApplyTime time.Duration
	// ModelBytes is the length of parameters and updater state, which averaging moves; Frequency the minibatches of a
	// worker between two averagings, Depth the levels of the tree.
	ModelBytes       float64
	Frequency, Depth int
	// Bandwidth is what a machine sends, or receives, in bytes a second; Latency that of a message one way.
	Bandwidth float64
	Latency   time.Duration
}

// Advice is how many minibatches a second all workers train together, and what follows. Package sim's table is what
// these formulas are tested against.
type Advice struct {
	One       float64 // one worker alone
	Plain     float64 // gradient sharing, the coordinator sends everything
	Mesh      float64 // gradient sharing, workers relay
	Averaging float64 // parameter averaging in rounds
	Sharing   bool    // rather than averaging
	Mode      Mode    // of sharing
	Alone     bool    // the network is so slow that more workers are hardly worth it
}

// entryBytes is what a message carries beside its payload.
const entryBytes = 11

// Advise compares. A worker's step takes StepTime, an encoding, and the application of all others' updates. In sharing
// the coordinator's card must carry each update to its children: Workers-1 of them, or, in a mesh, as many as a node
// feeds. In averaging each level of the tree is a transfer of the model, up and down. Sharing is preferred up to 1.25
// times the speed, as its replicas stay closer together; Plain up to 1.05 times, as its updates arrive sooner.
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

// groupOf is the number of neighbours that a level adds, so that depth levels suffice.
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
