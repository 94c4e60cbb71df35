package paramavg

import (
	"encoding/json"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/registry"
	"github.com/dl4go/dl4go/nn"
)

// Hook is user code that runs on the workers, around each minibatch (Deeplearning4j: TrainingHook). Each task has an
// instance of its own. An error ends the training.
type Hook interface {
	PreUpdate(net *nn.Network, minibatch *data.MultiDataSet) error
	PostUpdate(net *nn.Network, minibatch *data.MultiDataSet) error
}

// MasterHook is a Hook that also runs on the master, before the first round of a fit and after the last one.
type MasterHook interface {
	Hook
	BeforeTraining(net *nn.Network) error
	AfterTraining(net *nn.Network) error
}

// HookKind is a registered kind of hook, configured by a C.
type HookKind[C any] struct{ name string }

// RegisterHook makes a kind of hook known to master and workers. Call it to initialise a package variable. It panics if
// the name is taken.
func RegisterHook[C any](name string, make func(C) (Hook, error)) HookKind[C] {
	hooks.Add(name, func(conf json.RawMessage) (Hook, error) {
		var c C
		if err := json.Unmarshal(conf, &c); err != nil {
			return nil, fmt.Errorf("training hook %s: its configuration does not read back from JSON: %w", name, err)
		}
		return make(c)
	})
	return HookKind[C]{name}
}

// With returns a hook with a configuration.
func (k HookKind[C]) With(conf C) (HookStep, error) {
	b, err := json.Marshal(conf)
	return HookStep{k.name, string(b)}, err
}

// HookStep is a hook with its configuration, as it is sent to workers. Two with the same content are equal.
type HookStep struct {
	Name string `json:"name"`
	Conf string `json:"conf"`
}

func (s HookStep) make() (Hook, error) {
	make, err := hooks.Find(s.Name)
	if err != nil {
		return nil, err
	}
	return make(json.RawMessage(s.Conf))
}

func makeHooks(steps []HookStep) ([]Hook, error) {
	var all []Hook
	for _, s := range steps {
		h, err := s.make()
		if err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return all, nil
}

var hooks = registry.New[func(json.RawMessage) (Hook, error)]("training hook")
