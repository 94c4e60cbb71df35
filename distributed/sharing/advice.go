package sharing

import (
	"time"

	"github.com/dl4go/dl4go/distributed/gradshare"
	"github.com/dl4go/dl4go/nn"
)

// took is the time of the workers' steps, encodings and applications of others' updates, added up.
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

// mean is a part of a sum.
func mean(sum time.Duration, n int) time.Duration { return sum / time.Duration(max(1, n)) }

// Cluster is what the fit has measured, for gradshare.Advise, of a network trained by so many workers: bandwidth and latency
// are left to be filled in. Averaging is taken to be that of parameter averaging's defaults, every 5 minibatches with a
// tree of 2 levels.
func (r Result) Cluster(net nn.Network, workers int) gradshare.Cluster {
	return gradshare.Cluster{Workers: workers, StepTime: r.StepTime, EncodeTime: r.EncodeTime, ApplyTime: r.ApplyTime,
		MessageBytes: float64(r.Messages) / float64(max(1, r.Updates)), ModelBytes: 4 * float64(net.NumParams()+net.NumStates()), Frequency: 5, Depth: 2}
}
