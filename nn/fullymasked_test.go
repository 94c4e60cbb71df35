package nn

import (
	"errors"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// TestPoolingOfNothing: if all steps or pixels of an example are masked, pooling gives 0 and the example gets no
// gradient.
func TestPoolingOfNothing(t *testing.T) {
	image := tensor.MustOf([]float32{1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8}, 2, 2, 2, 2)
	steps := &tensor.Dense{Shape: tensor.Shape{2, 2, 4}, Data: image.Data}
	for name, c := range map[string]struct {
		in   inputtype.Type
		x    *tensor.Dense
		mask *tensor.Dense
		zero []int // elements of the result
		max  []float32
	}{
		"steps": {inputtype.Recurrent(2, 4), steps, tensor.MustOf([]float32{0, 0, 0, 0, 1, 1, 0, 0}, 2, 4), []int{0, 1},
			[]float32{0, 0, -1, -5}},
		"pixels": {inputtype.Convolutional(2, 2, 2), image, tensor.MustOf([]float32{0, 1, 1, 0, 0, 0, 0, 0}, 2, 1, 2, 2),
			[]int{2, 3}, []float32{3, 7, 0, 0}},
		"channels": {inputtype.Convolutional(2, 2, 2), image, tensor.MustOf([]float32{0, 1, 0, 0}, 2, 2, 1, 1),
			[]int{0, 2, 3}, []float32{0, 8, 0, 0}},
	} {
		for _, kind := range []layer.PoolingType{layer.MaxPooling, layer.AvgPooling, layer.SumPooling, layer.PNormPooling} {
			net := newNet(t, Configuration{InputType: c.in, Layers: []layer.Layer{layer.GlobalPooling{Pooling: kind}}})
			m := &data.MultiDataSet{Features: []*tensor.Dense{c.x}, FeatureMasks: []*tensor.Dense{c.mask}}
			got := must(net.Output(m, false))[0]
			for i, v := range got.Data {
				if slices.Contains(c.zero, i) && !(v*v < 1e-20) || v-v != 0 {
					t.Errorf("%s, %s: %v", name, kind, got.Data)
					break
				}
			}
			if kind == layer.MaxPooling && !slices.Equal(got.Data, c.max) {
				t.Errorf("%s: the largest are %v, want %v", name, got.Data, c.max)
			}
		}
	}
}

// TestExamplesThatAreMasked: no layer computes NaN or infinities for a fully masked example, forwards or backwards.
func TestExamplesThatAreMasked(t *testing.T) {
	for name, cases := range gradientCases() {
		for _, c := range cases {
			net, m, err := c.network(featureMask)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			clear(m.FeatureMasks[0].Slice(1, 2).Data)
			_, g, err := net.Gradient(m, Key{})
			var shape *program.ShapeError
			if errors.As(err, &shape) {
				continue // the layer refuses masks
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if at := notFinite(g); at >= 0 {
				t.Errorf("%s: the gradient of parameter %d is %v", name, at, g[at])
			}
			for i, a := range must(net.FeedForward(m, false)) {
				if at := notFinite(a.Data); at >= 0 {
					t.Errorf("%s: layer %d gives %v", name, i, a.Data[at])
				}
			}
		}
	}
}
