package nn

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/tensor"
)

// attending is a graph whose vertex lets sequences q of 3 features attend to an LSTM's outputs for the sequences k,
// and to v.
func attending(v vertex.Vertex) GraphConfiguration {
	lstm := layer.NewLSTM(2)
	return GraphConfiguration{Inputs: []string{"q", "k", "v"}, Outputs: []string{"out"},
		InputTypes: []inputtype.Type{inputtype.Recurrent(3, 5), inputtype.Recurrent(2, 4), inputtype.Recurrent(3, 4)},
		Vertices: []GraphVertex{
			{Name: "lstm", Layer: lstm, Inputs: []string{"k"}},
			point("att", v, "q", "lstm", "v"),
			{Name: "pool", Layer: layer.GlobalPooling{Pooling: layer.AvgPooling}, Inputs: []string{"att"}},
			output("out", "pool"),
		}}
}

var projected = vertex.Attention{NOut: 4, NHeads: 2, HeadSize: 3, ProjectInput: true}

// TestAttentionVertexGradients compares gradients with every combination of masks.
func TestAttentionVertexGradients(t *testing.T) {
	g := newGraph(t, attending(projected))
	plain := attending(vertex.Attention{})
	plain.Vertices[0].Layer = layer.NewLSTM(3)
	for name, g := range map[string]*Graph{"projected": g, "plain": newGraph(t, plain)} {
		for bits := range 8 {
			m := minibatch(3, 1, g.InputTypes()...)
			masks := []*tensor.Dense{
				arrayOf([]float32{1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1}, 3, 5),
				arrayOf([]float32{1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1}, 3, 4),
				arrayOf([]float32{1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1}, 3, 4),
			}
			for i := range masks {
				if bits>>i&1 == 0 {
					masks[i] = nil
				}
			}
			if bits > 0 {
				m.FeatureMasks = masks
			}
			checkGraph(t, fmt.Sprintf("%s, masks %03b", name, bits), g, m)
		}
	}
}

// TestAttentionVertexMasks: masked steps do not count, and the results of masked queries are 0.
func TestAttentionVertexMasks(t *testing.T) {
	c := attending(projected)
	c.Outputs, c.Vertices[1].Inputs = []string{"att"}, []string{"q", "k", "v"}
	c.Vertices = c.Vertices[1:2]
	g := newGraph(t, c)
	m := minibatch(2, 0, c.InputTypes...)
	m.FeatureMasks = []*tensor.Dense{arrayOf([]float32{1, 1, 1, 1, 0, 1, 1, 1, 1, 1}, 2, 5),
		arrayOf([]float32{1, 1, 0, 1, 1, 1, 1, 1}, 2, 4), arrayOf([]float32{1, 1, 1, 0, 1, 1, 1, 1}, 2, 4)}
	run := func() []float32 {
		out, err := g.Output(m, false)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Clone(out[0].Data)
	}
	before := run()
	for i := range 4 {
		if before[i*5+4] != 0 || before[i*5+3] == 0 {
			t.Errorf("element %d of the masked query is %v, of the one before %v", i, before[i*5+4], before[i*5+3])
		}
	}
	for _, at := range []struct{ input, size, step int }{{1, 2, 2}, {1, 2, 3}, {2, 3, 2}, {2, 3, 3}} {
		for i := range at.size {
			m.Features[at.input].Data[i*4+at.step] += 5
		}
	}
	if after := run(); !slices.Equal(after, before) {
		t.Errorf("masked keys and values count: %v became %v", before, after)
	}
}

// TestAttentionVertexFiles: settings of the vertex are written and read again; open ones come from the network.
func TestAttentionVertexFiles(t *testing.T) {
	v := projected
	v.Updater, v.WeightInit, v.Regularization = updater.NewNesterovs(), "RELU",
		[]regularization.Regularization{regularization.NewL1(0.1)}
	v.GradientNormalization, v.GradientNormalizationThreshold = layer.ClipL2PerLayer, 0.5
	for _, v := range []vertex.Vertex{projected, v, vertex.Frozen{Vertex: v}} {
		c := attending(v)
		c.Defaults.Updater, c.Defaults.Regularization = updater.NewAdam(),
			[]regularization.Regularization{regularization.NewL2(0.01)}
		text, err := c.JSON()
		if err != nil {
			t.Fatal(err)
		}
		again, err := LoadGraphConfiguration(text)
		if err != nil {
			t.Fatal(err)
		}
		written, err := again.JSON()
		if err != nil || string(written) != string(text) {
			t.Errorf("%v: %s", err, firstDifference(string(written), string(text)))
		}
		if of, ok := again.Vertices[1].Vertex.(vertex.Attention); ok {
			if of.NInQueries != 3 || of.NInKeys != 2 || of.NInValues != 3 || of.Updater == nil ||
				len(of.Regularization) != 1 || of.Name != "att" {
				t.Errorf("read again: %+v", of)
			}
		}
	}
}

// TestFrozenAttentionVertex: the vertex does not change, but the layers below it do.
func TestFrozenAttentionVertex(t *testing.T) {
	c := attending(vertex.Frozen{Vertex: projected})
	c.Defaults.Regularization = []regularization.Regularization{regularization.NewL2(0.1)}
	g := newGraph(t, c)
	before := slices.Clone(g.Params())
	if _, err := g.Fit(minibatch(3, 1, c.InputTypes...), Key{}); err != nil {
		t.Fatal(err)
	}
	for _, p := range g.ParamTable() {
		same := slices.Equal(before[p.Offset:][:p.Size], g.Params()[p.Offset:][:p.Size])
		if frozen := strings.HasPrefix(p.Key, "att_"); same != frozen {
			t.Errorf("%s: frozen %t, unchanged %t", p.Key, frozen, same)
		}
	}
	thawed := attending(projected)
	thawed.Defaults = c.Defaults
	other := newGraph(t, thawed)
	if err := other.SetParams(before); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Fit(minibatch(3, 1, c.InputTypes...), Key{}); err != nil {
		t.Fatal(err)
	}
	for _, p := range other.ParamTable() {
		if strings.HasPrefix(p.Key, "att_") == slices.Equal(other.Params()[p.Offset:][:p.Size],
			g.Params()[p.Offset:][:p.Size]) {
			t.Errorf("%s after a step with the vertex thawed and frozen: %v", p.Key, other.Params()[p.Offset])
		}
	}
}

// TestAttentionVertexRefuses names what is wrong.
func TestAttentionVertexRefuses(t *testing.T) {
	for want, v := range map[string]vertex.Attention{
		"projectInput must be true where": {NOut: 3},
		"nOut is 0":                       {ProjectInput: true},
		"nHeads is 3":                     {NOut: 4, NHeads: 3, ProjectInput: true},
		"vectors of 7 as keys":            {NOut: 4, NInKeys: 7, ProjectInput: true},
		"weightInit IDENTITY: Wq":         {NOut: 4, ProjectInput: true, WeightInit: "IDENTITY"},
		"unknown weight initialisation":   {NOut: 4, ProjectInput: true, WeightInit: "HEAVY"},
	} {
		if _, err := NewGraph(attending(v)); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "att") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	c := attending(projected)
	c.Vertices[1].Inputs = []string{"q", "k"}
	if _, err := NewGraph(c); err == nil || !strings.Contains(err.Error(), "takes 3 inputs, got 2") {
		t.Error(err)
	}
	g := newGraph(t, attending(projected))
	m := &data.MultiDataSet{Features: []*tensor.Dense{normals(1, 2, 3, 5), normals(2, 2, 2, 4), normals(3, 2, 3, 6)}}
	if _, err := g.Output(m, false); err == nil || !strings.Contains(err.Error(), "as many keys as values") {
		t.Error(err)
	}
}
