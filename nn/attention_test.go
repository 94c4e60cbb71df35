package nn

import (
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

func TestGradientsOfAttention(t *testing.T) {
	out := layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	mask := arrayOf([]float32{1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}, 3, 4)
	for name, l := range map[string][]layer.Layer{
		"projected": {layer.SelfAttention{NOut: 4, NHeads: 2, HeadSize: 3, ProjectInput: true}},
		"plain":     {layer.SelfAttention{NOut: 4, ProjectInput: true}, layer.SelfAttention{}},
	} {
		net := newNet(t, Configuration{InputType: inputtype.Recurrent(3, 4), Layers: append(l, layer.GlobalPooling{Pooling: layer.AvgPooling}, out)})
		for _, masks := range [][]*tensor.Dense{nil, {mask}} {
			m := &data.MultiDataSet{Features: []*tensor.Dense{normals(3, 3, 3, 4)}, Labels: examples(3, 1, 3).Labels, FeatureMasks: masks}
			if err := gradientDiffers(t, net, m, nil); err != nil {
				t.Errorf("%s, %d masks: %v", name, len(masks), err)
			}
		}
	}
}
