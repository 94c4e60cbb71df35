package gradtest_test

import (
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/gradtest"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/tensor"
)

// TestBuiltIns checks the gradients of built-in networks, with small hidden layers.
func TestBuiltIns(t *testing.T) {
	for name, d := range map[string]nn.BuiltInData{
		"mlp":  {Input: inputtype.FeedForward(3), Classes: 2},
		"gru":  {Input: inputtype.Recurrent(2, 3), Classes: 2, PerStep: true, Task: nn.Regression},
		"lstm": {Input: inputtype.Recurrent(2, 3), Classes: 2, PerStep: true, Task: nn.MultiLabel},
	} {
		t.Run(name, func(t *testing.T) {
			net, err := nn.NewBuiltIn(name, d, nn.Shape{Hidden: []int{3}, Activation: activation.TanH{}}, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer net.Close()
			fill := func(shape ...int) *tensor.Dense {
				x := tensor.New(shape...)
				for i := range x.Data {
					x.Data[i] = float32(i%5)/4 - 0.4
				}
				return x
			}
			m := &data.MultiDataSet{Features: []*tensor.Dense{fill(d.Input.Shape(2)...)},
				Labels: []*tensor.Dense{tensor.New(2, 2)}}
			if d.PerStep {
				m.Labels[0] = tensor.New(2, 2, 3)
			}
			m.Labels[0].Data[0], m.Labels[0].Data[3] = 1, 1
			gradtest.Check(t, net, m)
		})
	}
}
