package weights

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// FromDistribution draws from any distribution, independent of the fan. (Deeplearning4j: WeightInitDistribution.)
type FromDistribution struct {
	Distribution Distribution `dl4j:"distribution"`
}

// Fill draws the array.
func (d FromDistribution) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	d.Distribution.Sample(dst, shape, src)
}

// Validate requires a valid distribution.
func (d FromDistribution) Validate(tensor.Shape) error {
	if d.Distribution == nil {
		return fmt.Errorf("the weights are drawn from a distribution, and none is set")
	}
	return d.Distribution.Validate()
}

func init() { register("Distribution", FromDistribution{}) }
