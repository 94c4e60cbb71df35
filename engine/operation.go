package engine

import (
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/dl4go/dl4go/internal/registry"
)

// Func is an operation on one partition. It reads rows, not necessarily all of them, and writes rows. It may run
// several times, on any worker, and must write the same rows each time. So it may depend only on its configuration, its
// rows, broadcasts and Task.Partition.
type Func[C any] func(t *Task, conf C, in Rows, out Writer) error

// Op is the handle of a registered operation with a configuration of type C.
type Op[C any] struct{ name string }

// Register makes an operation known to drivers and workers, which run the same binary. Call it to initialise a package
// variable, so that it happens on both sides:
//
//	var fit = engine.Register("paramavg.fit",
//		func(t *engine.Task, conf FitConfig, in engine.Rows, out engine.Writer) error { … })
//
// C must survive a round trip through JSON. Register panics if the name is taken, and names both places.
func Register[C any](name string, f Func[C]) Op[C] {
	operations.Add(name, func(t *Task, conf []byte, in Rows, out Writer) error {
		var c C
		if err := json.Unmarshal(conf, &c); err != nil {
			return Permanent(fmt.Errorf("its configuration does not read back from JSON: %w", err))
		}
		return f(t, c, in, out)
	})
	return Op[C]{name}
}

// Name returns the operation's registered name.
func (o Op[C]) Name() string { return o.name }

// With returns the operation's step with this configuration. It encodes the configuration now: later changes have no
// effect.
func (o Op[C]) With(conf C) Step {
	b, err := json.Marshal(conf)
	if err != nil {
		err = fmt.Errorf("the configuration of %s can't be written as JSON: %w", o.name, err)
	}
	return Step{name: o.name, config: b, err: err}
}

// Step is a registered operation with its configuration: a name and JSON. Only these go to a worker. Only Op.With makes
// one.
type Step struct {
	name     string
	config   []byte
	resident bool
	err      error
}

// Name returns the operation's registered name.
func (s Step) Name() string { return s.name }

// Resident returns the step for tasks without a deadline: Options.TaskDeadline ends neither them nor their job. Such a
// task ends when its operation ends, when its job is given up, or when its driver is gone. An operation that waits for
// others needs time limits of its own.
func (s Step) Resident() Step {
	s.resident = true
	return s
}

// IsResident reports whether the step was made by Resident.
func (s Step) IsResident() bool { return s.resident }

// Err returns the mistake in the configuration, or nil.
func (s Step) Err() error {
	if s.name == "" {
		return fmt.Errorf("a Step is made by Op.With, not by hand")
	}
	return s.err
}

// MarshalJSON encodes the step for a worker.
func (s Step) MarshalJSON() ([]byte, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	return json.Marshal(wireStep{s.name, s.config, s.resident})
}

// UnmarshalJSON reads a step that a driver sent. It fails if the operation is not registered in this binary.
func (s *Step) UnmarshalJSON(b []byte) error {
	var w wireStep
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	if _, err := operations.Find(w.Name); err != nil {
		return err
	}
	*s = Step{name: w.Name, config: w.Config, resident: w.Resident}
	return nil
}

type wireStep struct {
	Name     string          `json:"name"`
	Config   json.RawMessage `json:"config"`
	Resident bool            `json:"resident,omitempty"`
}

// Run runs the step on one partition, for engines. A panic becomes a PanicError; any failure is a StepError that
// names the operation in which it began.
func (s Step) Run(t *Task, in Rows, out Writer) (err error) {
	op, err := operations.Find(s.name)
	if err != nil {
		return &StepError{s.name, Permanent(err)}
	}
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v, debug.Stack()}
		}
		if _, named := err.(*StepError); err != nil && !named {
			err = &StepError{s.name, err}
		}
	}()
	return op(t, s.config, in, out)
}

// operation is a Func with the JSON of its configuration.
type operation func(t *Task, conf []byte, in Rows, out Writer) error

var operations = registry.New[operation]("operation")
