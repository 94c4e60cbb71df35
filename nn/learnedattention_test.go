package nn

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

// attentionReference computes softmax(q·kᵀ/√d)·v for k and v of one example with plain loops. It leaves out steps
// whose mask is 0.
func attentionReference(q, k, v [][]float64, mask []float32) [][]float64 {
	var out [][]float64
	for _, query := range q {
		sum, y := 0.0, make([]float64, len(v[0]))
		for s := range k {
			if mask != nil && mask[s] == 0 {
				continue
			}
			dot := 0.0
			for i := range query {
				dot += query[i] * k[s][i]
			}
			e := math.Exp(dot / math.Sqrt(float64(len(query))))
			sum += e
			for i := range y {
				y[i] += e * v[s][i]
			}
		}
		for i := range y {
			y[i] /= sum
		}
		out = append(out, y)
	}
	return out
}

// columns makes a matrix of at(i, j), for i below rows and j below n.
func columns(rows, n int, at func(i, j int) float32) [][]float64 {
	out := make([][]float64, rows)
	for i := range out {
		for j := range n {
			out[i] = append(out[i], float64(at(i, j)))
		}
	}
	return out
}

// TestLearnedSelfAttention compares with plain loops, since Deeplearning4j cannot run the layer.
func TestLearnedSelfAttention(t *testing.T) {
	const rows, nIn, steps, queries, heads, size, nOut = 3, 3, 4, 2, 2, 3, 4
	out := layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	mask := []float32{1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0}
	for _, project := range []bool{true, false} {
		l := layer.LearnedSelfAttention{NQueries: queries}
		if project {
			l = layer.LearnedSelfAttention{NQueries: queries, NOut: nOut, NHeads: heads, HeadSize: size, ProjectInput: true}
		}
		net := newNet(t, Configuration{InputType: inputtype.Recurrent(nIn, steps),
			Layers: []layer.Layer{l, layer.GlobalPooling{}, out}})
		x := normals(3, rows, nIn, steps)
		for _, masked := range []bool{false, true} {
			m := &data.MultiDataSet{Features: []*tensor.Dense{x}}
			if masked {
				m.FeatureMasks = []*tensor.Dense{arrayOf(mask, rows, steps)}
			}
			acts, err := net.FeedForward(m, false)
			if err != nil {
				t.Fatal(err)
			}
			p := net.Params()
			q := columns(queries, nIn, func(i, j int) float32 { return p[j*queries+i] })
			for r := range rows {
				k := columns(steps, nIn, func(i, j int) float32 { return x.Data[(r*nIn+j)*steps+i] })
				var of []float32
				if masked {
					of = mask[r*steps:][:steps]
				}
				want := attentionReference(q, k, k, of)
				if project {
					want = projectedReference(q, k, of, p[nIn*queries:], heads, size, nOut)
				}
				for i := range want {
					for j, w := range want[i] {
						if got := float64(acts[0].Data[(r*len(want[i])+j)*queries+i]); !near.Equal(got, w, 1e-5, 0) {
							t.Fatalf("projected %t, masked %t: element %d of query %d of example %d is %v, want %v", project,
								masked, j, i, r, got, w)
						}
					}
				}
			}
		}
	}
}

// projectedReference expects the parameters Wq, Wk, Wv and Wo one after the other.
func projectedReference(q, x [][]float64, mask, p []float32, heads, size, nOut int) [][]float64 {
	n := len(x[0])
	each := heads * size * n
	out := columns(len(q), nOut, func(int, int) float32 { return 0 })
	for h := range heads {
		project := func(rows [][]float64, w []float32) (y [][]float64) {
			for _, r := range rows {
				y = append(y, make([]float64, size))
				for i := range size {
					for j := range n {
						y[len(y)-1][i] += r[j] * float64(w[(h*size+i)*n+j])
					}
				}
			}
			return y
		}
		y := attentionReference(project(q, p), project(x, p[each:]), project(x, p[2*each:]), mask)
		for i := range y {
			for j := range nOut {
				for s := range size {
					out[i][j] += y[i][s] * float64(p[3*each+(h*size+s)*nOut+j])
				}
			}
		}
	}
	return out
}

// TestLearnedSelfAttentionFiles: Deeplearning4j can make and save these networks, although it cannot run them.
func TestLearnedSelfAttentionFiles(t *testing.T) {
	for _, name := range []string{"learned-attention", "learned-attention-plain"} {
		dir := filepath.Join("..", "testdata", "oracle", "made", name)
		want, err := os.ReadFile(filepath.Join(dir, "conf.json"))
		if err != nil {
			t.Fatal(err)
		}
		net, err := LoadNetwork(t.Context(), filepath.Join(dir, "model.zip"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := net.Configuration()
		if err != nil || string(got) != string(want) {
			t.Errorf("%s: %v, %s", name, err, firstDifference(string(got), string(want)))
		}
		m := &data.MultiDataSet{Features: []*tensor.Dense{normals(3, 2, 3, 5)}, Labels: examples(2, 1, 3).Labels}
		if _, err := net.Fit(m, Key{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	made := Configuration{InputType: inputtype.Recurrent(3, 5),
		Layers: []layer.Layer{layer.LearnedSelfAttention{NQueries: 4},
			layer.GlobalPooling{Pooling: layer.AvgPooling},
			layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}}
	text, err := made.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := LoadConfiguration(text); err != nil {
		t.Error(err)
	} else if l := again.Layers[0].(layer.LearnedSelfAttention); l.NIn != 3 || l.NOut != 0 || l.NQueries != 4 {
		t.Errorf("read again: %+v", l)
	}
}
