package weights

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// Identity passes the input through: for [n, n] it is the identity matrix; for a convolution [n, n, k, …], with odd k,
// it is the filters that copy their channel. Scale multiplies it; nil means 1. (Deeplearning4j: WeightInitIdentity.)
type Identity struct {
	Scale *float64 `dl4j:"scale"`
}

// Fill sets the elements.
func (d Identity) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	clear(dst)
	scale := scaleOr1(d.Scale)
	n := shape[0]
	kernel := shape[2:].Size()
	for i := range n {
		dst[(i*n+i)*kernel+kernel/2] = float32(scale)
	}
}

// Validate requires as many outputs as inputs and an odd kernel.
func (d Identity) Validate(shape tensor.Shape) error {
	if len(shape) < 2 || shape[0] != shape[1] {
		return fmt.Errorf("identity weights need as many outputs as inputs, the shape is %v", shape)
	}
	for _, k := range shape[2:] {
		if k%2 == 0 {
			return fmt.Errorf("identity weights need odd kernel sizes, the shape is %v", shape)
		}
	}
	return validScale(d.Scale)
}

func init() { register("Identity", Identity{}, "IDENTITY") }
