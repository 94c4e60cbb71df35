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
	// apply another worker's, or a sum.
	MessageBytes          float64
	EncodeTime, ApplyTime time.Duration
	// ReleaseBytes is the length of the sum of all workers' updates of a step, and ReleaseTime the time in which the
	// coordinator makes it. With 0 bytes, workers receive all updates, and run apart.
	ReleaseBytes float64
	ReleaseTime  time.Duration
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

// Advise compares the speed of gradient sharing and parameter averaging. Without sums, a worker's step takes StepTime,
// an encoding, and the application of all others' updates. The coordinator's network card must carry each update to its
// children: Workers-1 of them, or, in a mesh, as many as a node feeds. With sums, a step takes StepTime, an encoding,
// the way of all updates to the coordinator, its time for the sum, the way of the sum to all workers, and its
// application. In averaging, each level of the tree transfers the model up and down. Advise prefers sharing unless
// averaging is more than 1.25 times as fast, as its replicas stay closer together. It prefers Plain unless Mesh is more
// than 1.05 times as fast, as its updates arrive sooner.
func Advise(c Cluster) Advice {
	w, t, l := float64(c.Workers), c.StepTime.Seconds(), c.Latency.Seconds()
	levels := 0
	for n := 1; n < c.Workers; n *= adviceFanout {
		levels++
	}
	rate := c.apart
	if c.ReleaseBytes > 0 {
		rate = c.lockstep
	}
	a := Advice{One: 1 / t, Plain: rate(w-1, 1), Mesh: rate(min(adviceFanout, w), float64(levels))}

	transfer := c.transfer(c.ModelBytes)
	depth := max(1, c.Depth)
	group := groupOf(c.Workers, depth)
	up := float64(depth)*(float64(group-1)*transfer+l) + transfer + l
	down := float64(max(1, levels)) * (min(adviceFanout, w)*transfer + l)
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

// adviceFanout is how many workers a node feeds in a mesh.
const adviceFanout = DefaultFanout

// transfer returns the seconds that a network card takes for so many bytes.
func (c Cluster) transfer(bytes float64) float64 {
	if c.Bandwidth == 0 {
		return 0
	}
	return bytes / c.Bandwidth
}

// apart returns the minibatches a second of workers that receive all updates. The coordinator has so many children, and
// an update so many hops to the last worker.
func (c Cluster) apart(children, hops float64) float64 {
	w := float64(c.Workers)
	rate := w / (c.StepTime + c.EncodeTime + time.Duration(c.Workers-1)*c.ApplyTime).Seconds()
	if card := max(1, children) * c.transfer(c.MessageBytes+entryBytes); card > 0 {
		rate = min(rate, 1/card)
	}
	if l := c.Latency.Seconds(); l > 0 {
		rate = min(rate, w*defaultInFlight/((1+hops)*l))
	}
	return rate
}

// lockstep is apart for workers that receive sums.
func (c Cluster) lockstep(children, hops float64) float64 {
	w, l := float64(c.Workers), c.Latency.Seconds()
	up := w*c.transfer(c.MessageBytes+entryBytes) + l
	down := hops * (max(1, children)*c.transfer(c.ReleaseBytes+w*entryBytes) + l)
	return w / ((c.StepTime + c.EncodeTime + c.ReleaseTime + c.ApplyTime).Seconds() + up + down)
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
