package nn_test

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/tensor"
)

// TestBF16OutputsInAnyBatch: with products of bfloat16, too, an example's outputs don't depend on its minibatch.
func TestBF16OutputsInAnyBatch(t *testing.T) {
	k, err := cpu.Kernels{}.WithBF16()
	if err != nil {
		return // this processor has none
	}
	executor := cpu.New(cpu.Options{Threads: 2, Kernels: k})
	defer executor.Close()
	for _, name := range []string{"mlp", "lenet"} {
		for _, packed := range []int64{0, 1 << 30} {
			net := peer(t, name)
			net.SetExecutor(executor)
			net.PackWeights(packed)
			output := func(features []float32) []float32 {
				f := &tensor.Dense{Shape: tensor.Shape{len(features) / 784, 784}, Data: features}
				out, err := net.Output(&data.MultiDataSet{Features: []*tensor.Dense{f}}, false)
				if err != nil {
					t.Fatal(err)
				}
				return slices.Clone(out[0].Data)
			}
			images := minibatch(33).Features[0].Data
			all := output(images)
			for _, rows := range []int{1, 2, 7, 16, 31} {
				if got := output(images[:784*rows]); !slices.Equal(got, all[:len(got)]) {
					t.Errorf("%s, %d bytes of packed weights: %d images have other outputs than 33", name, packed, rows)
				}
			}
		}
	}
}
