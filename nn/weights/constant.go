package weights

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/tensor"
)

// Constant is one value: ZERO and ONES. (Deeplearning4j: WeightInitConstant.)
type Constant struct {
	Value float64 `dl4j:"value"`
}

// Fill sets each element.
func (c Constant) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	for i := range dst {
		dst[i] = float32(c.Value)
	}
}

// Validate requires a number.
func (c Constant) Validate(tensor.Shape) error {
	if math.IsNaN(c.Value) || math.IsInf(c.Value, 0) {
		return fmt.Errorf("constant weights of %g", c.Value)
	}
	return nil
}

func init() {
	register("Constant", Constant{}, "ZERO")
	names.Register(Constant{Value: 1}, "ONES")
}
