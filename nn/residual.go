package nn

import (
	"errors"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/program"
)

// Residual is the part of a network's updates that gradient sharing has not sent yet, on the network's device. Programs
// on it and on the network's other vectors run there, so none of them is copied to this process.
type Residual struct {
	n        *training
	bindings program.Bindings
}

// Residual returns the residual of gradient sharing on the network's device. elements, of the parameters' length, are
// its copy in this process. A network has one residual at a time.
func (n *training) Residual(elements []float32) (*Residual, error) {
	if len(elements) != len(n.params) {
		return nil, &LengthError{"residual", len(n.params), len(elements)}
	}
	n.take(program.Residual)
	n.residual = elements
	return &Residual{n: n}, nil
}

// Updates does the steps of [Network.Updates], and leaves their updates on the device. take, called after each step,
// runs programs on them.
func (r *Residual) Updates(m *data.MultiDataSet, key Key, take func() error) (float64, error) {
	return r.n.updates(forUpdate, m, key, take)
}

// Update copies the last update to this process. The slice belongs to the network and is valid until the next step.
func (r *Residual) Update() ([]float32, error) {
	return r.n.updateVector(), r.n.fetch(program.Update)
}

// Hold makes room for the vector program.Held, of the parameters' length. Its elements are 0 at first.
func (r *Residual) Hold() {
	if r.n.held == nil {
		r.n.held = make([]float32, len(r.n.params))
	}
}

// Compile compiles a program on the vectors program.Params, program.State, program.Update, program.Residual and, after
// Hold, program.Held.
func (r *Residual) Compile(p *program.Program) (program.Executable, error) { return r.n.compile(p) }

// Run runs a compiled program.
func (r *Residual) Run(x program.Executable, inputs ...[]float32) error {
	n, b := r.n, &r.bindings
	n.reside()
	if n.lost != nil {
		return n.lost
	}
	b.Inputs, b.Kept = inputs, n.kept
	b.Vectors[program.Params], b.Vectors[program.State] = n.params, n.state
	b.Vectors[program.Update], b.Vectors[program.Residual] = n.updateVector(), n.residual
	b.Vectors[program.Held] = n.held
	return x.Run(b)
}

// Fetch copies the residual to its elements in this process.
func (r *Residual) Fetch() error { return r.n.fetch(program.Residual) }

// Take is Fetch for a caller that changes the elements. The next run copies them back.
func (r *Residual) Take() error {
	err := r.Fetch()
	if err == nil && r.n.kept != nil {
		r.n.kept.Changed(program.Residual)
	}
	return err
}

// UpdatesTo does the steps of [Network.Updates] on the processor, and adds each update, times a factor, to a residual
// of the parameters' length. The product is rounded, then the sum. factor returns the factor of an iteration, and take
// is called after each step.
func (n *training) UpdatesTo(residual []float32, factor func(iteration int) float32, m *data.MultiDataSet, key Key,
	take func() error) (float64, error) {
	switch {
	case len(residual) != len(n.params):
		return 0, &LengthError{"residual", len(n.params), len(residual)}
	case n.OnDevice():
		return 0, errors.New("nn: UpdatesTo is for networks on the processor; use Residual on a device")
	}
	n.residual, n.factor = residual, factor(n.iteration)
	return n.updates(forResidual, m, key, func() error {
		err := take()
		n.factor = factor(n.iteration)
		return err
	})
}
