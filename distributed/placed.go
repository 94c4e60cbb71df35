package distributed

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
)

// placed is a network of any kind on an engine.
type placed struct {
	engine engine.Engine
	net    *nn.Network // nil if there is none
	opts   Options

	held     held
	here     sync.Mutex  // held to compute with net in this process
	workers  int         // replicas in a process
	training atomic.Bool // a fit is running
}

// applications evaluate a placed network, and apply it to data.
type applications struct{ placed }

// Engine returns the engine on which the network is trained and applied.
func (m *placed) Engine() engine.Engine { return m.engine }

// DefaultEvaluationWorkers returns the number set by [Network.SetDefaultEvaluationWorkers], or the constant of that
// name.
func (m *placed) DefaultEvaluationWorkers() int { return m.workers }

// SetDefaultEvaluationWorkers sets how many replicas of the network evaluate, score and predict at once in a process.
// EvaluationOptions may override it. The replicas share one copy of the parameters; each has its own memory for the
// activations of a minibatch. If a process runs more tasks than it has replicas, as local[N] may, tasks take turns at
// each minibatch, and a replica has the threads of several tasks. A worker of processes[N] or Spark runs one task at a
// time, and has one replica.
func (m *placed) SetDefaultEvaluationWorkers(n int) error {
	if n < 1 {
		return fmt.Errorf("%d evaluation workers were asked for: at least 1 is needed", n)
	}
	m.workers = n
	return nil
}

// LastScore returns the score of the last round of training: the mean of its workers' last minibatches (Deeplearning4j:
// getScore). It is the same as the network's own LastScore.
func (m *placed) LastScore() float64 { return m.net.LastScore() }

// SetLastScore sets the score (Deeplearning4j: setScore).
func (m *placed) SetLastScore(score float64) { m.net.SetLastScore(score) }

// ready fails unless the network can be used now.
func (m *placed) ready() error {
	switch {
	case missing(m.engine):
		return errors.New("the network has no engine: New was given nil")
	case m.net == nil:
		return errors.New("there is no network: New or SetNet was given nil")
	case m.training.Load(): // the fit's workers may hold all slots until the listener returns
		return errors.New("the network is in training: ask when Fit has ended, not in a listener")
	}
	return nil
}

// check is ready for work on this data.
func (m *placed) check(d *Data) error {
	if err := m.ready(); err != nil {
		return err
	}
	switch {
	case d == nil:
		return errors.New("there is no data: it is nil")
	case d.Engine() != m.engine && d.Engine().Master() != m.engine.Master(): // one engine may wrap the other
		return fmt.Errorf("the data is on another engine, %s, than the network, %s: make both on one", d.Engine().Master(),
			m.engine.Master())
	}
	return nil
}

// missing reports whether x is nil, or a nil pointer.
func missing(x any) bool {
	if x == nil {
		return true
	}
	v := reflect.ValueOf(x)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
