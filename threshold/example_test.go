package threshold_test

import (
	"fmt"

	"github.com/dl4go/dl4go/threshold"
)

// Example runs two steps of one worker. Each message goes over the wire to a receiver that applies it.
func Example() {
	coder := threshold.NewCoder(1)
	worker, err := threshold.NewEncoder(coder, 6, threshold.Fixed{T: 0.5}, threshold.NewResidualClipping(),
		threshold.Options{})
	if err != nil {
		panic(err)
	}
	params := make([]float32, 6)
	var received threshold.Message
	for iteration, update := range [][]float32{{0.75, 0, 0, -0.5, 0, 0.125}, {0, 0, 0, 0, 0, 0.5}} {
		m, err := worker.Encode(iteration, 0, update)
		if err != nil {
			panic(err)
		}
		if err := received.ReadWire(m.AppendWire(nil), len(params)); err != nil {
			panic(err)
		}
		if err := coder.Subtract(&received, params); err != nil {
			panic(err)
		}
		fmt.Println(received.Form, "params", params, "residual", worker.Residual())
	}
	// Output:
	// bitmap params [-0.5 0 0 0.5 0 0] residual [0.25 0 0 0 0 0.125]
	// bitmap params [-0.5 0 0 0.5 0 -0.5] residual [0.25 0 0 0 0 0.125]
}
