package sharing

import (
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/coordination"
)

// Progress is the progress of training.
type Progress struct {
	Epoch            int     // from 0
	Updates, Of      int     // committed minibatches of the epoch, and their total
	UpdatesPerSecond float64 // since the last report
	Score            float64 // the mean over the last updates
	// Sparsity is the mean fraction of the parameters in an update. Threshold is the last one.
	Sparsity, Threshold float64
	// Messages is the bytes of the updates so far, Dense those of the same updates as vectors of float32.
	Messages, Dense int64
	// Sent and Received are all bytes of the coordinator, including the protocol's.
	Sent, Received uint64
	// Workers is the number of active workers. Lag is how many updates the slowest replica lacks.
	Workers int
	Lag     uint64
}

// Result has the figures of a fit.
type Result struct {
	Workers  int // at its end
	Replaced int // workers that replaced a lost one
	Updates  int
	Examples int
	Score    float64 // the mean of the workers' last scores
	// Messages is the bytes of the updates in their Coding, Dense those of the same updates as vectors of float32.
	// Sparsity is the mean fraction of the parameters in an update.
	Messages, Dense int64
	Sparsity        float64
	// Released is the bytes of the releases: the sums or, with EachRelease, the updates. Each worker receives them, except
	// its own updates.
	Released int64
	// Sent and Received are all bytes of the workers' messages. CoordinatorSent and CoordinatorReceived are those of
	// the coordinator.
	Sent, Received                       uint64
	CoordinatorSent, CoordinatorReceived uint64
	Losses                               Losses
	// StepTime is the mean time of a minibatch on a worker, EncodeTime the mean time to encode its update, ApplyTime
	// the mean time to apply another worker's.
	StepTime, EncodeTime, ApplyTime time.Duration
	Duration                        time.Duration

	dense    bool // updates were scaled, in the dense coding
	sumsFrom int  // the number of workers from which on they receive sums; 0: none do
}

// tally collects the news of updates. It belongs to the coordinator's host, except for the fields under the run's lock.
type tally struct {
	epoch    int
	of       int
	updates  int // of the epoch
	examples int // of all epochs
	members  []coordination.Member
	sampled  time.Time
	account  account

	toldUpdates, toldExamples int // since listeners were last told
	toldScore                 float64
	told                      []distributed.Iteration // if there is a listener
	toldAt                    time.Time
	replaced                  int
	lost                      int                       // workers, with their residuals
	trained                   map[coordination.Peer]int // of the epoch
}

// take returns the news for listeners: the commits since the last call. Updates is 0 if there are none.
func (t *tally) take(params int) (distributed.Round, Progress) {
	now := time.Now()
	since := now.Sub(t.toldAt)
	round := distributed.Round{Epoch: t.epoch, Index: t.updates - t.toldUpdates, Of: t.of, Examples: t.toldExamples,
		Minibatches: t.toldUpdates, Duration: since, Iterations: t.told}
	p := Progress{Epoch: t.epoch, Updates: t.updates, Of: t.of, Threshold: t.account.threshold, Messages: t.account.bytes,
		Dense: 4 * int64(params) * int64(t.account.updates)}
	if t.toldUpdates > 0 {
		round.Score = t.toldScore / float64(t.toldExamples)
		p.Score = round.Score
		p.UpdatesPerSecond = float64(t.toldUpdates) / max(since.Seconds(), 1e-9)
	}
	if t.account.updates > 0 {
		p.Sparsity = float64(t.account.values) / float64(t.account.updates) / float64(params)
	}
	for _, m := range t.members {
		if m.Active {
			p.Workers++
			p.Lag = max(p.Lag, m.Behind)
		}
	}
	round.Workers = p.Workers
	t.toldUpdates, t.toldExamples, t.toldScore, t.told, t.toldAt = 0, 0, 0, nil, now
	return round, p
}
