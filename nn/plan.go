package nn

import (
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// plan is a compiled program with the bindings of its inputs.
type plan struct {
	purpose  purpose
	training bool
	shapes   shapes
	program  *program.Program
	then     []*plan // plans that run after it, in the same computation
	update   *plan   // the update of the rows in use; nil if all elements of the parameters are updated
	from     *plan   // the plan whose update this is
	lengths  [program.NumVectors]int
	exe      program.Executable
	inputs   []input
	scalars  []func(iteration, epoch int) float64
	bindings program.Bindings
	carries  bool             // passes the states of recurrent layers from run to run
	states   []stateKey       // the keys of these states
	views    []*tensor.Dense  // of the outputs, once Infer has run the plan
	types    []inputtype.Type // of every layer's activations, if a purpose returns these
}

// input says which array a program's input is bound to.
type input struct {
	// 'f'eatures, feature mask 'F', 'l'abels, label mask 'L', 'w'eights, 's'calar, 'S'tate, 'r'ows in use, factor of the
	// update 'u'
	what  byte
	index int
}

// isNumber reports whether the input is a number in the plan's own memory.
func (i input) isNumber() bool { return i.what == 's' || i.what == 'u' }

// prepare makes a plan whose program is not compiled yet.
func prepare(l *lowered, p purpose, training bool, s shapes) *plan {
	l.emitStates()
	pl := &plan{purpose: p, training: training, shapes: s, program: l.Build(), scalars: l.scalars, states: l.states}
	pl.lengths = pl.program.Lengths
	if p == forActivations {
		for _, a := range l.out {
			pl.types = append(pl.types, a.Type)
		}
	}
	pl.carries = l.carries && s.features != nil
	for _, v := range pl.program.Inputs {
		digits := strings.IndexAny(v.Name, "0123456789")
		i, _ := strconv.Atoi(v.Name[digits:])
		what := map[string]byte{"features": 'f', "featureMask": 'F', "labels": 'l', "labelMask": 'L', "weights": 'w',
			"scalar": 's', "state": 'S', "index": 'r', "rows": 'r', "factor": 'u'}[v.Name[:digits]]
		pl.inputs = append(pl.inputs, input{what, i})
	}
	pl.bindings.Inputs = make([][]float32, len(pl.inputs))
	for k, in := range pl.inputs {
		if in.isNumber() {
			pl.bindings.Inputs[k] = make([]float32, 1)
		}
	}
	return pl
}

// bind sets the inputs from a minibatch, which may be nil, from iteration and epoch, and from the factor of the update.
func (p *plan) bind(m *data.MultiDataSet, iteration, epoch int, factor float32) {
	for k, in := range p.inputs {
		switch in.what {
		case 'f':
			p.bindings.Inputs[k] = m.Features[in.index].Data
		case 'F':
			p.bindings.Inputs[k] = m.FeatureMasks[in.index].Data
		case 'l':
			p.bindings.Inputs[k] = m.Labels[in.index].Data
		case 'L':
			p.bindings.Inputs[k] = m.LabelMasks[in.index].Data
		case 'w':
			p.bindings.Inputs[k] = m.Weights.Data
		case 'r':
			p.bindings.Inputs[k] = p.from.exe.Output(p.from.program.Output(p.program.Inputs[k].Name))
		case 's':
			p.bindings.Inputs[k][0] = float32(p.scalars[in.index](iteration, epoch))
		case 'u':
			p.bindings.Inputs[k][0] = factor
		}
	}
	for _, next := range p.then { // their inputs are scalars, which are in p.bindings, too
		next.bind(nil, iteration, epoch, factor)
	}
}

// fits reports whether the plan was made for minibatches like this one.
func (p *plan) fits(purpose purpose, training bool, m *data.MultiDataSet) bool {
	if p.purpose != purpose || p.training != training {
		return false
	}
	if m == nil {
		return true
	}
	if p.purpose.weighs() && (m.Weights == nil) != (p.shapes.weights == nil) {
		return false
	}
	return same(p.shapes.features, m.Features) && same(p.shapes.featureMasks, m.FeatureMasks) &&
		(p.shapes.labels == nil || same(p.shapes.labels, m.Labels)) && same(p.shapes.labelMasks, m.LabelMasks)
}

func same(want []tensor.Shape, got []*tensor.Dense) bool {
	if len(want) != len(got) {
		return false
	}
	for i, w := range want {
		if got[i] == nil || w == nil {
			if got[i] != nil || w != nil {
				return false
			}
		} else if !w.Equal(got[i].Shape) {
			return false
		}
	}
	return true
}

// maxPlans bounds the number of programs that a network keeps. It drops the least recently used.
const maxPlans = 12

type planCache struct{ list []*plan } // the most recently used first

func (c *planCache) clear() { c.list = nil }

func (c *planCache) find(p purpose, training, carries bool, m *data.MultiDataSet) *plan {
	for i, pl := range c.list {
		if pl.carries == carries && pl.fits(p, training, m) {
			copy(c.list[1:i+1], c.list[:i])
			c.list[0] = pl
			return pl
		}
	}
	return nil
}

func (c *planCache) add(pl *plan) {
	if len(c.list) < maxPlans {
		c.list = append(c.list, nil)
	}
	copy(c.list[1:], c.list)
	c.list[0] = pl
}
