package nn

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func TestGradientsOfAttention(t *testing.T) {
	out := layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	mask := arrayOf([]float32{1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}, 3, 4)
	for name, l := range map[string][]layer.Layer{
		"projected":          {layer.SelfAttention{NOut: 4, NHeads: 2, HeadSize: 3, ProjectInput: true}},
		"plain":              {layer.SelfAttention{NOut: 4, ProjectInput: true}, layer.SelfAttention{}},
		"learned":            {layer.LearnedSelfAttention{NOut: 4, NHeads: 2, HeadSize: 3, ProjectInput: true, NQueries: 2}},
		"learned, plain":     {layer.LearnedSelfAttention{NQueries: 5}},
		"recurrent":          {layer.RecurrentAttention{NOut: 4, NHeads: 2, HeadSize: 3}},
		"recurrent, plain":   {layer.RecurrentAttention{PlainInput: true, NoBias: true, Activation: "SIGMOID"}},
		"recurrent, softmax": {layer.RecurrentAttention{NOut: 4, NHeads: 2, Activation: "SOFTMAX"}},
	} {
		net := newNet(t, Configuration{InputType: inputtype.Recurrent(3, 4),
			Layers: append(l, layer.GlobalPooling{Pooling: layer.AvgPooling}, out)})
		for _, masks := range [][]*tensor.Dense{nil, {mask}} {
			m := &data.MultiDataSet{Features: []*tensor.Dense{normals(3, 3, 3, 4)}, Labels: examples(3, 1, 3).Labels,
				FeatureMasks: masks}
			if err := gradientDiffers(t, net, m, nil); err != nil {
				t.Errorf("%s, %d masks: %v", name, len(masks), err)
			}
		}
	}
}

// TestLongAttention trains on long sequences, with and without a mask: attention then takes a block of queries at a
// time. It compares the parameters with those of the naive executor.
func TestLongAttention(t *testing.T) {
	const steps = 150
	mask := arrayOf(make([]float32, 2*steps), 2, steps)
	for i := range mask.Data {
		mask.Data[i] = float32(min(1, (i+1)%7))
	}
	for _, masks := range [][]*tensor.Dense{nil, {mask}} {
		m := &data.MultiDataSet{Features: []*tensor.Dense{normals(3, 2, 6, steps)}, Labels: examples(2, 1, 3).Labels,
			FeatureMasks: masks}
		train := func(e program.Executor) []float32 {
			net := newNet(t, Configuration{InputType: inputtype.Recurrent(6, steps), Updater: updater.Sgd{LearningRate: 1},
				Layers: []layer.Layer{layer.SelfAttention{NOut: 6, NHeads: 2, ProjectInput: true},
					layer.GlobalPooling{Pooling: layer.AvgPooling},
					layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
			net.SetExecutor(e)
			for range 3 {
				if _, err := net.Fit(m, Key{}); err != nil {
					t.Fatal(err)
				}
			}
			return net.Params()
		}
		fast := cpu.New(cpu.Options{Threads: 2})
		defer fast.Close()
		got := train(fast)
		for i, want := range train(naive.Executor{}) {
			if !near.Equal(float64(got[i]), float64(want), 1e-5, 1e-4) {
				t.Fatalf("%d masks: parameter %d is %v, want %v", len(masks), i, got[i], want)
			}
		}
	}
}

// TestAttentionOfOneStep: a sequence of one step has no earlier step to attend to.
func TestAttentionOfOneStep(t *testing.T) {
	net := newNet(t, Configuration{InputType: inputtype.Recurrent(3, 0),
		Layers: []layer.Layer{layer.RecurrentAttention{NOut: 4, NHeads: 2},
			layer.GlobalPooling{}, layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	for _, steps := range []int{1, 2, 5} {
		m := &data.MultiDataSet{Features: []*tensor.Dense{normals(3, 3, 3, steps)}, Labels: examples(3, 1, 3).Labels}
		if err := gradientDiffers(t, net, m, nil); err != nil {
			t.Errorf("%d steps: %v", steps, err)
		}
		if _, err := net.Fit(m, Key{}); err != nil {
			t.Errorf("%d steps: %v", steps, err)
		}
	}
}

// TestAttentionBySegments: truncated back-propagation treats each segment as its own sequence, whatever its length.
func TestAttentionBySegments(t *testing.T) {
	c := Configuration{InputType: inputtype.Recurrent(3, 0),
		Layers: []layer.Layer{layer.RecurrentAttention{NOut: 4, NHeads: 2},
			layer.RnnOutput{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}}
	whole := newNet(t, c)
	c.BackpropType, c.TBPTTForwardLength, c.TBPTTBackLength = TruncatedBPTT, 4, 4
	parts := newNet(t, c)
	labels := arrayOf(make([]float32, 2*3*6), 2, 3, 6)
	for i := range 12 {
		labels.Data[i/6*18+i%3*6+i%6] = 1
	}
	m := &data.MultiDataSet{Features: []*tensor.Dense{normals(3, 2, 3, 6)}, Labels: []*tensor.Dense{labels}}
	if _, err := parts.Fit(m, Key{}); err != nil {
		t.Fatal(err)
	}
	for _, from := range []int{0, 4} {
		cut := func(a *tensor.Dense) []*tensor.Dense {
			to := min(from+4, 6)
			out := tensor.New(2, 3, to-from)
			for i := range out.Data {
				out.Data[i] = a.Data[i/(to-from)*6+from+i%(to-from)]
			}
			return []*tensor.Dense{out}
		}
		if _, err := whole.Fit(&data.MultiDataSet{Features: cut(m.Features[0]), Labels: cut(labels)}, Key{}); err != nil {
			t.Fatal(err)
		}
	}
	oracleClose(t, "parameters after two segments", parts.Params(), whole.Params(), 1e-7, 1e-6, nil)
}

// TestAttentionRefuses names the member at fault.
func TestAttentionRefuses(t *testing.T) {
	in := inputtype.Recurrent(3, 4)
	identity := layer.SameDiff{WeightInit: "IDENTITY"}
	for want, l := range map[string]layer.Layer{
		"nQueries is 0":               layer.LearnedSelfAttention{NOut: 4, ProjectInput: true},
		"projectInput must":           layer.LearnedSelfAttention{NOut: 4, NQueries: 2},
		"nHeads is 3":                 layer.RecurrentAttention{NOut: 4, NHeads: 3},
		"nHeads is -1":                layer.SelfAttention{NOut: 4, NHeads: -1, ProjectInput: true},
		"headSize is -2":              layer.RecurrentAttention{NOut: 4, HeadSize: -2},
		"nOut is 0":                   layer.RecurrentAttention{},
		`unknown activation "SOFTER"`: layer.RecurrentAttention{NOut: 4, Activation: "SOFTER"},
		"weightInit IDENTITY: W":      layer.RecurrentAttention{SameDiff: identity, NOut: 2, NHeads: 2},
		"identity weights are": layer.SelfAttention{SameDiff: identity, NOut: 3, NHeads: 3, HeadSize: 3,
			ProjectInput: true},
		"W, of the shape [3, 6, 5]": layer.LocallyConnected1D{SameDiff: identity, NOut: 5, Mode: layer.Truncate},
		"for 2 heads":               layer.RecurrentAttention{NOut: 4, NHeads: 2, PlainInput: true},
	} {
		c := Configuration{InputType: in, Layers: []layer.Layer{l,
			layer.RnnOutput{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}}
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", l, err, want)
		}
	}
}

// TestAttentionGradientsAreHalf: in layers on SameDiff and below them, Deeplearning4j's gradients are twice the
// derivative.
func TestAttentionGradientsAreHalf(t *testing.T) {
	for _, name := range []string{"selfattention-mask", "recurrent-attention", "recurrent-attention-mask",
		"recurrent-attention-plain",
		"attention-vertex", "attention-vertex-mask"} {
		c := oracleRead(t, name)
		net := oracleLoad(t, filepath.Join(c.dir, "model.zip"))
		_, got, err := net.Gradient(c.data(t), Key{})
		if err != nil {
			t.Fatal(err)
		}
		want := c.array(t, "gradient").Data
		nodes := net.nodes
		for _, p := range net.ParamTable() {
			factor := float32(0.5)
			if strings.HasPrefix(p.Key, nodes[len(nodes)-1].key+"_") {
				factor = 1
			}
			half := make([]float32, p.Size)
			for i := range half {
				half[i] = factor * want[p.Offset+i]
			}
			oracleClose(t, name+": gradient of "+p.Key, got[p.Offset:][:p.Size], half, 1e-5, 1e-3, nil)
		}
	}
}

// oracleRead reads a case of the repository.
func oracleRead(t *testing.T, name string) *oracleCase {
	c := &oracleCase{dir: filepath.Join("..", "testdata", "oracle", "nets", name)}
	text, err := os.ReadFile(filepath.Join(c.dir, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(text, c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}
