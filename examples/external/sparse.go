package external

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/tensor"
)

// Sparse gives each output K inputs with weights of N(0, 1), and 0 for the others (Martens, "Deep learning via
// Hessian-free optimization", 2010).
type Sparse struct {
	K int `dl4j:"k"`
}

func init() {
	weights.Classes.Register("com.example.Sparse", func() weights.Init { return Sparse{K: 15} })
}

// Fill draws the inputs of each output without replacement. Matrices come as [outputs, inputs].
func (s Sparse) Fill(dst []float32, shape tensor.Shape, _ weights.FanInOut, src *weights.Source) {
	clear(dst)
	inputs := shape[1:].Size()
	for row := range shape[0] {
		for left, i := min(s.K, inputs), 0; left > 0; i++ {
			if src.Intn(inputs-i) < left {
				dst[row*inputs+i] = float32(src.Normal())
				left--
			}
		}
	}
}

// Validate wants one input at least, and two dimensions.
func (s Sparse) Validate(shape tensor.Shape) error {
	if s.K < 1 || len(shape) < 2 {
		return fmt.Errorf("sparse weights: k is %d, the shape %v; set k to 1 or more, for 2 dimensions or more", s.K, shape)
	}
	return nil
}
