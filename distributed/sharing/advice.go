package sharing

import (
	"math"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/nn"
)

// took is the total time of the workers' steps, encodings and applications of others' updates.
type took struct {
	Steps   int           `json:"steps"`
	Step    time.Duration `json:"step"` // without the encoding
	Encode  time.Duration `json:"encode"`
	Applied int           `json:"applied"`
	Apply   time.Duration `json:"apply"`
}

func (t *took) add(o took) {
	t.Steps += o.Steps
	t.Step += o.Step
	t.Encode += o.Encode
	t.Applied += o.Applied
	t.Apply += o.Apply
}

// mean returns sum/n.
func mean(sum time.Duration, n int) time.Duration { return sum / time.Duration(max(1, n)) }

// Cluster describes a network and the machines that will train it, for [Cluster.Advise].
type Cluster struct {
	Workers  int
	StepTime time.Duration // of a minibatch, measured
	// MessageBytes is the length of an encoded update. EncodeTime is the time to encode one, ApplyTime the time to
	// apply another worker's, or a sum.
	MessageBytes          float64
	EncodeTime, ApplyTime time.Duration
	// ReleaseBytes is the length of the sum of all workers' updates of a step, and ReleaseTime the time in which the
	// coordinator makes it. With 0 bytes, the default, workers receive each other's updates.
	ReleaseBytes float64
	ReleaseTime  time.Duration
	// ModelBytes is the length of parameters and updater state, which averaging moves. Frequency is a worker's
	// minibatches between two averagings, Depth the levels of the tree.
	ModelBytes       float64
	Frequency, Depth int
	// Bandwidth is the number of bytes a second that a machine can send, or receive. Latency is the time of a message
	// in one direction.
	Bandwidth float64
	Latency   time.Duration
}

// Advice compares ways of training by the minibatches a second that all workers train together.
type Advice struct {
	One       float64       // one worker alone
	Plain     float64       // gradient sharing, the coordinator sends everything
	Mesh      float64       // gradient sharing, workers relay
	Averaging float64       // parameter averaging in rounds
	Sharing   bool          // gradient sharing is advised, rather than averaging
	Mode      MeshBuildMode // of sharing
	Alone     bool          // the network is so slow that more workers are hardly worth it
	text      string
}

// String returns the advice in words.
func (a Advice) String() string { return a.text }

// Advise recommends a way to train on the cluster. It prefers gradient sharing unless averaging is 1.25 times as fast,
// because its replicas stay closer together. It prefers Plain unless Mesh is 1.05 times as fast, because updates arrive
// sooner.
func (c Cluster) Advise() Advice {
	a := coordination.Advise(coordination.Cluster(c))
	mode := Plain
	if a.Mode == coordination.Mesh {
		mode = Mesh
	}
	return Advice{a.One, a.Plain, a.Mesh, a.Averaging, a.Sharing, mode, a.Alone, a.String()}
}

// Cluster describes training with the given number of workers, with the times that this fit measured. Fill in bandwidth
// and latency. Averaging has its defaults: every 5 minibatches, with a tree of 2 levels. If so many workers would
// receive sums, their bytes and time are estimates.
func (r Result) Cluster(net nn.AnyNetwork, workers int) Cluster {
	params := net.Base().NumParams()
	c := Cluster{Workers: workers, StepTime: r.StepTime, EncodeTime: r.EncodeTime, ApplyTime: r.ApplyTime,
		MessageBytes: r.messageBytes(params),
		ModelBytes:   4 * float64(params+net.Base().NumStates()), Frequency: 5, Depth: 2}
	if r.sumsFrom > 0 && workers >= r.sumsFrom {
		c.ReleaseBytes = sumBytes(params, workers, r.Sparsity)
		c.ReleaseTime = time.Duration(workers) * r.ApplyTime
	}
	return c
}

// sumBytes estimates the bytes of a sum of so many updates, each with this share of the parameters. Updates move a
// parameter up or down, so their sum grows with the root of their number, and its bits with the logarithm. The factors
// are those of BenchmarkRelease with 8 to 1,000 workers.
func sumBytes(params, workers int, share float64) float64 {
	return float64(params) * (1.45 + 0.88*math.Log2(1+share*float64(workers))) / 8
}

// messageBytes returns the mean bytes of an update on a cluster. After dense ones, it estimates those of compact ones,
// as threshold.Message's AppendWire writes them.
func (r Result) messageBytes(params int) float64 {
	mean := float64(r.Messages) / float64(max(1, r.Updates))
	if !r.dense || r.Sparsity == 0 {
		return mean
	}
	return min(mean, 15+r.Sparsity*float64(params)*(math.Log2(1/r.Sparsity)+2.5)/8)
}
