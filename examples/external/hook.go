package external

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/nn"
)

// MaxNorm are the settings of a training hook that scales the parameters down, on the workers, after every minibatch
// that leaves them with a larger norm.
type MaxNorm struct{ Norm float64 }

// NormHook is the kind of hook: NormHook.With(MaxNorm{…}) is what a training master's AddHook takes.
var NormHook = paramavg.RegisterHook("com.example.MaxNorm", func(c MaxNorm) (paramavg.Hook, error) {
	if !(c.Norm > 0) {
		return nil, fmt.Errorf("hook MaxNorm: the norm is %g; set it above 0", c.Norm)
	}
	return c, nil
})

// PreUpdate is called before each minibatch.
func (c MaxNorm) PreUpdate(*nn.Network, *data.MultiDataSet) error { return nil }

// PostUpdate is called after each minibatch.
func (c MaxNorm) PostUpdate(net *nn.Network, _ *data.MultiDataSet) error {
	params, squares := net.Params(), 0.0
	for _, p := range params {
		squares += float64(p) * float64(p)
	}
	if norm := math.Sqrt(squares); norm > c.Norm {
		for i := range params {
			params[i] *= float32(c.Norm / norm)
		}
	}
	return nil
}
