package nn

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/program"
)

// values is a network with the numbers that training changes.
type values struct {
	blueprint
	vectors
	progress
}

// start sets the nodes of a new network and lays out their parameters. It does not allocate memory for them.
func (n *values) start(nodes []node, inputs int, outputs []int, mean bool) error {
	n.nodes, n.inputs, n.outputs, n.mean = nodes, inputs, outputs, mean
	var err error
	if n.layout, err = newLayout(&n.topology); err != nil {
		return err
	}
	n.segments = n.layout.segments(nodes)
	n.score = math.NaN()
	return nil
}

// allocate allocates parameters and updater state.
func (n *values) allocate() error {
	if n.params == nil {
		if err := checkup.Fits(4 * int64(n.layout.params+n.layout.state)); err != nil {
			return fmt.Errorf("a network of %d parameters: %w", n.layout.params, err)
		}
		n.params = make([]float32, n.layout.params)
		n.newState()
	}
	return nil
}

// newState makes the updater state before the first step.
func (n *values) newState() {
	n.state = make([]float32, n.layout.state)
	n.layout.initState(n.state)
}

// takeOver copies the numbers of a network with the same layout.
func (n *values) takeOver(of *values) {
	of.take(program.Params, program.State)
	n.take(program.Params, program.State)
	copy(n.params, of.params)
	n.unset = of.unset
	copy(n.state, of.state)
	n.progress = of.progress
}

// Init draws the parameters from the seed, resets the updater state, and sets iteration and epoch to 0.
func (n *values) Init(seed uint64) {
	n.take(program.Params, program.State)
	n.layout.initParams(n.params, seed)
	n.layout.initState(n.state)
	n.iteration, n.epoch, n.score, n.unset = 0, 0, math.NaN(), false
}

// largestParam returns the largest magnitude of a parameter, and the layer of that parameter.
func (n *values) largestParam() (node int, largest float32) {
	for _, e := range n.layout.entries {
		for _, x := range n.params[e.offset : e.offset+e.size] {
			if x = max(x, -x); x > largest {
				node, largest = e.node, x
			}
		}
	}
	return node, largest
}
