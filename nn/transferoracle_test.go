package nn

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/nn/weights"
)

// TestTransferOracle compares transferred networks with the real Deeplearning4j: the configuration byte for byte, and
// the parameters that are taken over.
func TestTransferOracle(t *testing.T) {
	seed, biasInit, sum := int64(77), 0.1, true
	adam := updater.NewAdam()
	adam.LearningRate = 0.002
	l2 := []regularization.Regularization{regularization.NewL2(0.03)}
	some := FineTune{Seed: &seed, Updater: adam, Regularization: l2}
	less := some
	less.Dropout = regularization.NewDropout(0.8)
	all := FineTune{Seed: &seed, Activation: activation.TanH{}, WeightInit: weights.ReluUniform{}, BiasInit: &biasInit,
		Regularization:     []regularization.Regularization{regularization.NewL1(0.01), regularization.NewL2(0.02)},
		RegularizationBias: []regularization.Regularization{regularization.NewL1(0.03), regularization.NewL2(0.04)},
		Dropout:            regularization.NewDropout(0.7), WeightNoise: regularization.NewDropConnect(0.9),
		Updater: updater.Nesterovs{LearningRate: 0.002, Momentum: 0.8}, BiasUpdater: updater.Sgd{LearningRate: 0.01},
		SumGradients: &sum, GradientNormalization: layer.ClipL2PerLayer, GradientNormalizationThreshold: 0.7,
		ConvolutionMode: layer.Same,
		Constraints:     []regularization.Constraint{regularization.NewMaxNorm(2, 1).Of("W")},
		BackpropType:    TruncatedBPTT, TBPTTForwardLength: 3, TBPTTBackLength: 2}
	graph := all // Deeplearning4j forgets its truncation
	graph.BackpropType, graph.TBPTTForwardLength, graph.TBPTTBackLength = "", 0, 0
	none := FineTune{Seed: &seed, Without: []regularization.Regularization{regularization.L2{}}, NoDropout: true,
		NoWeightNoise:         true,
		GradientNormalization: layer.NoNormalization, Constraints: []regularization.Constraint{}}
	softmax := layer.Output{NIn: 6, NOut: 4, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}

	for name, c := range map[string]struct {
		layers Transfer
		graph  GraphTransfer
		fresh  []string // keys of the parameters that are drawn
	}{
		"layers-head": {layers: Transfer{FineTune: less, Freeze: 3, Remove: 1,
			Add: []layer.Layer{layer.Dense{NIn: 4, NOut: 6}, softmax}},
			fresh: []string{"4_W", "4_b", "5_W", "5_b"}},
		"layers-fine-tune": {layers: Transfer{FineTune: all}},
		"layers-without":   {layers: Transfer{FineTune: none}},
		"layers-sizes": {layers: Transfer{NOut: map[int]int{0: 7},
			WeightInit: map[int]weights.Init{0: weights.XavierUniform{}, 1: weights.XavierUniform{}}},
			fresh: []string{"0_W", "0_b", "1_W", "1_b"}},
		"graph-head": {graph: GraphTransfer{FineTune: some, Freeze: []string{"add"}, Remove: []string{"out1", "out2"},
			Add: []GraphVertex{
				{Name: "scaled", Vertex: vertex.Scale{Factor: 0.5}, Inputs: []string{"d3"}},
				{Name: "d4", Layer: layer.Dense{NIn: 5, NOut: 6}, Inputs: []string{"scaled"}},
				{Name: "out3", Layer: softmax, Inputs: []string{"d4"}}}, Outputs: []string{"out3"}},
			fresh: []string{"d4_W", "d4_b", "out3_W", "out3_b"}},
		"graph-keep": {graph: GraphTransfer{FineTune: some,
			Replace: []GraphVertex{{Name: "d3", Layer: layer.Dense{NIn: 4, NOut: 5}}}},
			fresh: []string{"d3_W", "d3_b"}},
		"graph-fine-tune": {graph: GraphTransfer{FineTune: graph}},
		"graph-sizes": {graph: GraphTransfer{NOut: map[string]int{"d1": 8},
			WeightInit: map[string]weights.Init{"d1": weights.Relu{}, "d2": weights.Relu{}}},
			fresh: []string{"d1_W", "d1_b", "d2_W", "d2_b"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("..", "testdata", "oracle", "transfer", name)
			trained, err := LoadNetwork(t.Context(), filepath.Join(dir, "trained.zip"))
			if err != nil {
				t.Fatal(err)
			}
			var of AnyNetwork
			if n, row := As[*MultiLayer](trained); row {
				of, err = c.layers.New(n, 1)
			} else if n, graph := As[*Graph](trained); graph {
				of, err = c.graph.New(n, 1)
			}
			if err != nil {
				t.Fatal(err)
			}
			made := of.Base()
			want, err := os.ReadFile(filepath.Join(dir, "conf.json"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := made.Configuration()
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(want) {
				t.Errorf("configuration: %s", firstDifference(string(got), string(want)))
			}
			theirs := floats(t, filepath.Join(dir, "params.f32"))
			fresh := map[string]bool{}
			for _, key := range c.fresh {
				fresh[key] = true
			}
			for _, p := range made.ParamTable() {
				a, b := made.Params()[p.Offset:p.Offset+p.Size], theirs[p.Offset:p.Offset+p.Size]
				if !fresh[p.Key] && !equalBits(a, b) {
					t.Errorf("%s is %v, want %v", p.Key, a, b)
				}
				delete(fresh, p.Key)
			}
			if len(fresh) > 0 || len(theirs) != made.NumParams() {
				t.Errorf("%d parameters, want %d; there are no %v", made.NumParams(), len(theirs), fresh)
			}
		})
	}
}
