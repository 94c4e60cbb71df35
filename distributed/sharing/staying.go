package sharing

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/xla"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// keeps reports whether workers stay for the next fit. On an engine of this machine, starting them costs little. A
// coordinator elsewhere sends the parameters only when it ends. A residual on a device can't be reset.
func (m *TrainingMaster) keeps() bool {
	return m.opts.Stay && m.opts.Coordinator == "" && !xla.IsDevice(m.base.Kernels) &&
		(m.opts.anywhere || strings.Contains(m.ready.shares.Engine().Master(), "://"))
}

// stayers are the workers that stayed after the last fit, if any.
type stayers struct{ of *run }

// goOn returns the run whose workers stayed, for another fit, or nil if there is none. If they can't train it, they are
// ended.
func (s *stayers) goOn(m *TrainingMaster, net *nn.Network, n int, listen func(distributed.Round)) (*run, error) {
	r := s.of
	if r == nil {
		return nil, nil
	}
	r.began = net.Iteration()
	conf, err := r.worker()
	var is []byte
	if err == nil {
		is, err = conf.settings()
	}
	if err != nil || n > 1 || m.base.From != nil || r.net != net || r.of != m.ready.shares ||
		!bytes.Equal(is, r.settings) {
		s.dismiss()
		return nil, err
	}
	s.of = nil
	r.reference.account = account{}
	m.carried.inherit(r, net)
	r.before, r.asked, r.left, r.from, r.listen = 0, false, nil, nil, listen
	r.sent, r.received = r.Traffic()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.saved, r.newest, r.short = nil, nil, nil
	r.tally = tally{members: r.tally.members, sampled: r.tally.sampled, trained: map[coordination.Peer]int{}}
	return r, nil
}

// dismiss ends the workers.
func (s *stayers) dismiss() {
	r := s.of
	if r == nil {
		return
	}
	s.of = nil
	defer r.reference.Close()
	defer r.stop(nil)
	if err := r.Stop(r.shut()); err != nil {
		r.master.base.Log.Warn("gradient sharing: workers that were no longer needed ended with an error", "error", err)
	}
}

// settings are all that does not change from one fit to the next.
func (c workerConfig) settings() ([]byte, error) {
	c.Begun, c.First = 0, 0
	return json.Marshal(c)
}

// renew makes the replica one that has not trained, for another fit.
func (r *replica) renew() (err error) {
	r.reported, r.took = false, took{}
	r.minibatches, r.examples, r.score, r.abandoned = 0, 0, 0, 0
	r.sent, r.received = r.traffic()
	r.end = r.times.Begin(stats.WorkerTotal)
	r.encoder, err = r.newEncoder()
	return err
}
