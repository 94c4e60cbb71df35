package nn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

// plainly computes with plain loops on a network's parameters, by name. W is stored [in, out] in 'f' order.
type plainly struct {
	net   *MultiLayer
	layer string
}

func (n plainly) param(name string) []float32 {
	for _, p := range n.net.ParamTable() {
		if p.Key == n.layer+"_"+name {
			return n.net.Params()[p.Offset : p.Offset+p.Size]
		}
	}
	panic(name)
}

func (n plainly) affine(name string, x []float64, act func(float64) float64) []float64 {
	w, b := n.param(name+"W"), n.param(name+"b")
	out := make([]float64, len(b))
	for j := range out {
		out[j] = float64(b[j])
		for i, v := range x {
			out[j] += v * float64(w[j*len(x)+i])
		}
		out[j] = act(out[j])
	}
	return out
}

func doubles(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

func identity(x float64) float64 { return x }
func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func closeTo(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !near.Equal(got, want, within, within) {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

// TestReconstructAutoEncoder compares the reconstruction of a layer above another with plain loops.
func TestReconstructAutoEncoder(t *testing.T) {
	first := layer.Dense{NOut: 6, Activation: activation.TanH{}}
	net := pretrainNet(t, 5, first, layer.NewAutoEncoder(3))
	for i := range net.Params() {
		net.Params()[i] += 0.01 * float32(i%7) // the bias of the reconstruction is 0 at first
	}
	r, err := net.Reconstructor("1")
	if err != nil {
		t.Fatal(err)
	}
	m := &data.MultiDataSet{Features: []*tensor.Dense{normals(3, 4, 5)}}
	in, back, err := r.Reconstruct(m)
	if err != nil {
		t.Fatal(err)
	}
	dense, ae := plainly{net, "0"}, plainly{net, "1"}
	w, vb := ae.param("W"), ae.param("vb")
	for i := range 4 {
		h := dense.affine("", doubles(m.Features[0].Data[i*5:(i+1)*5]), math.Tanh)
		y := ae.affine("", h, logistic)
		for k := range h {
			z := float64(vb[k])
			for j := range y {
				z += y[j] * float64(w[j*6+k])
			}
			closeTo(t, "in", float64(in.Data[i*6+k]), h[k], 1e-6)
			closeTo(t, "back", float64(back.Data[i*6+k]), logistic(z), 1e-6)
		}
	}
}

// TestReconstructionProbability compares log p(x) with plain loops on the same random numbers, for each distribution
// that has one.
func TestReconstructionProbability(t *testing.T) {
	gauss := func(x, mean, logVariance float64) float64 {
		return 0.5 * (math.Log(2*math.Pi) + logVariance + (x-mean)*(x-mean)*math.Exp(-logVariance))
	}
	bernoulli := func(x, z float64) float64 { return -x*math.Log(logistic(z)) - (1-x)*math.Log(1-logistic(z)) }
	exponential := func(x, z float64) float64 { return x*math.Exp(z) - z }
	for name, c := range map[string]struct {
		output layer.Reconstruction
		lost   func(x, z []float64) (sum float64)
	}{
		"Gaussian": {layer.GaussianReconstruction{}, func(x, z []float64) (sum float64) {
			for k := range x {
				sum += gauss(x[k], z[k], z[k+5])
			}
			return sum
		}},
		"Bernoulli": {layer.BernoulliReconstruction{}, func(x, z []float64) (sum float64) {
			for k := range x {
				sum += bernoulli(x[k], z[k])
			}
			return sum
		}},
		"composite": {layer.CompositeReconstruction{Sizes: []int{2, 3},
			Parts: []layer.Reconstruction{layer.ExponentialReconstruction{}, layer.GaussianReconstruction{}}},
			func(x, z []float64) float64 {
				return exponential(x[0], z[0]) + exponential(x[1], z[1]) + gauss(x[2], z[2], z[5]) + gauss(x[3], z[3],
					z[6]) + gauss(x[4], z[4], z[7])
			}},
	} {
		t.Run(name, func(t *testing.T) {
			net := pretrainNet(t, 5, layer.VariationalAutoencoder{NOut: 2, Encoder: []int{4, 3}, Decoder: []int{3},
				PzxActivation: activation.TanH{}, Output: c.output})
			r, err := net.Reconstructor("")
			if err != nil {
				t.Fatal(err)
			}
			x := normals(5, 4, 5)
			for i, v := range x.Data {
				x.Data[i] = float32(logistic(float64(v)))
			}
			got, err := r.LogProbability(&data.MultiDataSet{Features: []*tensor.Dense{x}}, 7, 11)
			if err != nil {
				t.Fatal(err)
			}
			vae := plainly{net, "0"}
			for i := range 4 {
				row := doubles(x.Data[i*5 : (i+1)*5])
				h := vae.affine("e1", vae.affine("e0", row, logistic), logistic)
				mean, logVariance := vae.affine("pZXMean", h, math.Tanh), vae.affine("pZXLogStd2", h, math.Tanh)
				draws, want := drawsOf(x.Data[i*5:(i+1)*5], 11), 0.
				for range 7 {
					z := make([]float64, 2)
					for k := range z {
						z[k] = mean[k] + math.Exp(logVariance[k]/2)*draws.Normal()
					}
					want -= c.lost(row, vae.affine("pXZ", vae.affine("d0", z, logistic), identity)) / 7
				}
				closeTo(t, "log p", got[i], want, 1e-5)
			}
			// A row alone has the same result as among others.
			alone, err := r.LogProbability(&data.MultiDataSet{Features: []*tensor.Dense{{Shape: tensor.Shape{1, 5},
				Data: x.Data[10:15]}}}, 7, 11)
			if err != nil || alone[0] != got[2] {
				t.Errorf("alone %v, among others %v, %v", alone, got[2], err)
			}
			other, err := r.LogProbability(&data.MultiDataSet{Features: []*tensor.Dense{x}}, 7, 12)
			if err != nil || slices.Equal(got, other) {
				t.Errorf("another seed has the same draws: %v", err)
			}
		})
	}
}

// TestReconstructorOfImages: the layer receives the preprocessor's output for images, and the parameters are shared
// with the network.
func TestReconstructorOfImages(t *testing.T) {
	net := newNet(t, Configuration{InputType: inputtype.Convolutional(2, 3, 1), Activation: activation.Sigmoid{},
		Layers: []layer.Layer{layer.NewAutoEncoder(4), layer.Output{NOut: 3, Activation: activation.Softmax{},
			Loss: loss.NewMCXENT()}}})
	r, err := net.Reconstructor("layer0")
	if err != nil {
		t.Fatal(err)
	}
	m := &data.MultiDataSet{Features: []*tensor.Dense{normals(3, 2, 1, 2, 3)}}
	in, first, err := r.Reconstruct(m)
	if err != nil {
		t.Fatal(err)
	}
	if !in.Shape.Equal(tensor.Shape{2, 6}) || !slices.Equal(in.Data, m.Features[0].Data) {
		t.Errorf("%v goes in", in)
	}
	clear(net.Params())
	_, second, err := r.Reconstruct(m)
	if err != nil || second.Data[0] != 0.5 || first.Data[0] == 0.5 {
		t.Errorf("with all parameters 0: %v, %v", second.Data, err)
	}
}

func TestReconstructorMistakes(t *testing.T) {
	vae := layer.VariationalAutoencoder{NOut: 2, Output: layer.LossReconstruction{Loss: loss.MSE{}}}
	net := pretrainNet(t, 5, layer.Dense{NOut: 5}, layer.NewAutoEncoder(5), vae)
	m := &data.MultiDataSet{Features: []*tensor.Dense{normals(3, 2, 5)}}
	for name, want := range map[string]string{"": "is not an autoencoder", "3": "is not an autoencoder", "9": `no layer "9"`,
		"x": `no layer "x"`, "1": "not a variational autoencoder", "2": "a loss, which is not a probability"} {
		r, err := net.Reconstructor(name)
		if err == nil {
			_, err = r.LogProbability(m, 1, 0)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("layer %q: %v", name, err)
		}
	}
	r, err := net.Reconstructor("1")
	if err != nil {
		t.Fatal(err)
	}
	m.FeatureMasks = []*tensor.Dense{tensor.New(2, 1)}
	if _, _, err := r.Reconstruct(m); err == nil || !strings.Contains(err.Error(), "mask") {
		t.Errorf("with a mask: %v", err)
	}
}
