package nn

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

const tableRows = 1000

// embedded is a network that begins with the embedding of single indices, or of sequences, and a minibatch for it that
// uses some rows twice.
func embedded(sequences bool, edit func(*layer.Embedding)) (Configuration, *data.MultiDataSet) {
	e := layer.NewEmbedding(tableRows, 5)
	e.HasBias = true
	if edit != nil {
		edit(&e)
	}
	c := Configuration{InputType: inputtype.FeedForward(1), Updater: updater.Sgd{LearningRate: 0.5}, Layers: []layer.Layer{
		e, layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}}
	m := examples(6, 1, 3)
	m.Features[0] = tensor.MustOf([]float32{7, 999, 7, 0, 12, 7}, 6, 1)
	if !sequences {
		return c, m
	}
	s := layer.NewEmbeddingSequence(tableRows, 5)
	s.Base, s.HasBias = e.Base, true
	c.InputType = inputtype.Recurrent(1, 4)
	c.Layers = []layer.Layer{s, layer.LSTM{NOut: 4}, layer.RnnOutput{NOut: 2, Activation: activation.Identity{},
		Loss: loss.MSE{}}}
	m = &data.MultiDataSet{Features: []*tensor.Dense{tensor.MustOf(
		[]float32{3, 1, 3, 999, 500, 3, 1, 0, 8, 8, 8, 8}, 3, 1, 4)}, Labels: []*tensor.Dense{normals(1, 3, 2, 4)},
		FeatureMasks: []*tensor.Dense{arrayOf([]float32{1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0}, 3, 4)}}
	return c, m
}

// TestUsedRowsAreUpdatedAlone: a step that updates only the rows in use gives the bits of one that computes the whole
// update first, for each updater that allows it, with any kernels and threads.
func TestUsedRowsAreUpdatedAlone(t *testing.T) {
	for _, u := range []updater.Updater{updater.Sgd{LearningRate: 0.5}, updater.NewAdaGrad(), updater.NoOp{},
		updater.LazyAdam{LearningRate: 0.1}} {
		for _, sequences := range []bool{false, true} {
			for _, clip := range []layer.GradientNormalization{"", layer.ClipElementWiseAbsolute} {
				c, m := embedded(sequences, func(e *layer.Embedding) {
					e.GradientNormalization, e.GradientNormalizationThreshold = clip, 0.01
				})
				c.Updater = u
				for _, k := range cpu.AvailableKernels() {
					t.Run(fmt.Sprintf("%T/sequences %v/%s/%v", u, sequences, clip, k), func(t *testing.T) {
						compareUpdates(t, c, m, k)
					})
				}
			}
		}
	}
}

// compareUpdates trains a network by steps on rows in use, and another one by whole updates.
func compareUpdates(t *testing.T, c Configuration, m *data.MultiDataSet, k cpu.Kernels) {
	var nets []*MultiLayer
	for _, threads := range []int{1, 3} {
		e := cpu.New(cpu.Options{Threads: threads, Kernels: k})
		defer e.Close()
		net := newNet(t, c)
		net.SetExecutor(e)
		nets = append(nets, net)
	}
	before := slices.Clone(nets[0].Params())
	for i := range 4 {
		part := m.Clone()
		part.Features[0].Data[0] = float32(100 * i)
		key := Key{Seed: 1, Example: uint64(i)}
		if _, err := nets[0].Fit(part, key); err != nil {
			t.Fatal(err)
		}
		if _, err := nets[1].Updates(part, key, nets[1].Apply); err != nil {
			t.Fatal(err)
		}
	}
	if !equalBits(nets[0].Params(), nets[1].Params()) || !equalBits(nets[0].UpdaterState(), nets[1].UpdaterState()) {
		t.Error("parameters or updater state differ")
	}
	changed := 0
	for i, x := range nets[0].Params()[:5*tableRows] {
		if x != before[i] {
			changed++
		}
	}
	if changed == 0 || changed > 5*16 {
		t.Errorf("%d elements of the table have changed", changed)
	}
	if pl := nets[0].plans.find(forRows, true, false, m); pl == nil || pl.update == nil {
		t.Error("the step does not update rows in use alone")
	}
}

// TestUsedRowsOfSeveralTables: in a graph with two embedded columns, both tables are updated in rows.
func TestUsedRowsOfSeveralTables(t *testing.T) {
	d := BuiltInData{Input: inputtype.FeedForward(3), Classes: 2, Task: Regression,
		Categories: []Category{{Name: "a", Count: tableRows, Size: 3}, {Name: "b", Column: 2, Count: 2 * tableRows}}}
	rows := tensor.MustOf([]float32{2, 0.5, 3, 999, 0, 1500, 0, 1, 3, 2, 2, 0}, 4, 3)
	m := &data.MultiDataSet{Features: []*tensor.Dense{rows}, Labels: []*tensor.Dense{normals(1, 4, 2)}}
	var nets []*Network
	for range 2 {
		net, err := NewBuiltIn("mlp", d, Shape{Hidden: []int{4}, Updater: updater.NewAdaGrad()}, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer net.Close()
		nets = append(nets, net)
	}
	for i := range 3 {
		key := Key{Example: uint64(i)}
		if _, err := nets[0].Fit(m, key); err != nil {
			t.Fatal(err)
		}
		if _, err := nets[1].Updates(m, key, nets[1].Apply); err != nil {
			t.Fatal(err)
		}
	}
	if !equalBits(nets[0].Params(), nets[1].Params()) || !equalBits(nets[0].UpdaterState(), nets[1].UpdaterState()) {
		t.Error("parameters or updater state differ")
	}
	pl := nets[0].plans.find(forRows, true, false, m)
	if pl == nil || pl.update == nil || pl.update.program.Input("index1") < 0 {
		t.Error("the step does not update rows of both tables alone")
	}
}

// TestUsedRowsTakeNoTable: neither the gradient nor the update of a few rows takes memory for the table.
func TestUsedRowsTakeNoTable(t *testing.T) {
	const rows = 100 * tableRows
	c, m := embedded(false, func(e *layer.Embedding) { e.NIn = rows })
	net := newNet(t, c)
	defer net.Close()
	if n, err := net.Memory(m); err != nil || n >= 4*rows {
		t.Errorf("a step takes %d bytes of buffers, %v: a table has %d", n, err, 4*5*rows)
	}
	text, err := net.Program(6)
	if err != nil || !strings.Contains(text, "set-columns, in place") || !strings.Contains(text, "sum-rows") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestWholeTableIsUpdated: what changes rows without a gradient keeps a step from updating rows in use alone.
func TestWholeTableIsUpdated(t *testing.T) {
	for name, edit := range map[string]func(*layer.Embedding){
		"momentum": func(e *layer.Embedding) { e.Updater = updater.NewNesterovs() },
		"Adam":     func(e *layer.Embedding) { e.Updater = updater.NewAdam() },
		"L2": func(e *layer.Embedding) {
			e.Regularization = []regularization.Regularization{regularization.NewL2(0.1)}
		},
		"a norm":    func(e *layer.Embedding) { e.GradientNormalization = layer.RenormalizeL2PerLayer },
		"many rows": func(e *layer.Embedding) { e.NIn = 13; e.WeightInit = nil },
	} {
		t.Run(name, func(t *testing.T) {
			c, m := embedded(false, edit)
			if name == "many rows" {
				m.Features[0] = tensor.MustOf([]float32{7, 1, 7, 0, 12, 7}, 6, 1)
			}
			net := newNet(t, c)
			defer net.Close()
			if _, err := net.Fit(m, Key{}); err != nil {
				t.Fatal(err)
			}
			if pl := net.plans.find(forRows, true, false, m); pl == nil || pl.update != nil {
				t.Errorf("the step updates only rows in use: %v", pl.update)
			}
		})
	}
}

// TestFrozenParametersAreLeftAlone: a step does not go through parameters that no gradient reaches.
func TestFrozenParametersAreLeftAlone(t *testing.T) {
	c, m := embedded(false, nil)
	c.Layers[0] = layer.Frozen{Layer: c.Layers[0]}
	net := newNet(t, c)
	defer net.Close()
	before := slices.Clone(net.Params())
	if _, err := net.Fit(m, Key{}); err != nil {
		t.Fatal(err)
	}
	pl := net.plans.find(forRows, true, false, m)
	if pl == nil || pl.update == nil {
		t.Fatal("the step goes through the frozen table")
	}
	table := 5*tableRows + 5
	if !equalBits(net.Params()[:table], before[:table]) || equalBits(net.Params()[table:], before[table:]) {
		t.Error("a frozen parameter has changed, or another one has not")
	}
}
