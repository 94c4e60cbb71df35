package nn

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Reconstructor computes how an autoencoder of a network reconstructs its input. It uses the network's parameters.
// Only one goroutine may use the network and its reconstructors at a time.
type Reconstructor struct {
	*inner
	back    *Network // rows that go into the layer → those rows and their reconstruction
	encoder *Network // of a variational autoencoder: rows → those rows, mean and deviation of z
	decoder *Network // z, rows → −log p(rows | z)
}

// Reconstructor finds an autoencoder of either kind. name is the layer's name or its number from 0; in graphs it is
// the vertex's name. If it is empty, the network's first layer is taken, as in Deeplearning4j's score calculators.
func (n *Network) Reconstructor(name string) (*Reconstructor, error) {
	i, err := n.named(name)
	if err != nil {
		return nil, err
	}
	l, ok := n.nodes[i].layer.(layer.Reconstructor)
	if !ok {
		return nil, n.at(i, errors.New("is not an autoencoder, and only autoencoders reconstruct their input: name one"))
	}
	r := &Reconstructor{inner: &inner{n: n, node: i}}
	if err := r.findBefore(); err != nil {
		return nil, err
	}
	r.back, err = r.aside(l.PretrainParams(), 1, func(c *layer.Context, in []layer.Activation) *program.Value {
		return l.Reconstruct(c, in[0])
	})
	return r, err
}

// Reconstruct returns the rows [rows, nIn] that the layer receives for a minibatch, and their reconstruction. That is
// act(y·Wᵀ + vb) for an autoencoder, and the mean of x for the mean of z for a variational one. Masks are an error.
func (r *Reconstructor) Reconstruct(m *data.MultiDataSet) (in, back *tensor.Dense, err error) {
	x, err := r.input(m)
	if err != nil {
		return nil, nil, err
	}
	out, err := r.back.Output(x, false)
	if err != nil {
		return nil, nil, err
	}
	return out[0], out[1], nil
}

// HasProbability returns the reason why LogProbability is not defined for the layer, or nil.
func (r *Reconstructor) HasProbability() error {
	l, ok := r.n.nodes[r.node].layer.(layer.VariationalAutoencoder)
	if !ok {
		return r.n.at(r.node,
			errors.New("is not a variational autoencoder, and only these give the probability of their input"))
	}
	if _, loss := l.Output.(layer.LossReconstruction); loss {
		return r.n.at(r.node,
			errors.New("reconstructs by a loss, which is not a probability: measure the error of its reconstruction"))
	}
	return nil
}

// LogProbability estimates log p(x) of each row x that a variational autoencoder receives for a minibatch. The
// estimate is the mean of log p(x | z) over draws of z from the encoder's distribution for x (Deeplearning4j:
// reconstructionLogProbability; An and Cho, "Variational autoencoder based anomaly detection using reconstruction
// probability", 2015). The draws of a row depend on the seed and the row itself, so they are the same on any worker. A
// reconstruction by a loss has no probability and is an error. So are masks.
func (r *Reconstructor) LogProbability(m *data.MultiDataSet, samples int, seed uint64) ([]float64, error) {
	if err := r.probabilities(samples); err != nil {
		return nil, err
	}
	x, err := r.input(m)
	if err != nil {
		return nil, err
	}
	out, err := r.encoder.Output(x, false)
	if err != nil {
		return nil, err
	}
	rows, known := out[0], out[1]
	n, size := rows.Shape[0], known.Shape[1]/2
	draws := make([]*random.Source, n)
	for i := range draws {
		draws[i] = drawsOf(rows.Data[i*rows.Shape[1]:(i+1)*rows.Shape[1]], seed)
	}
	sum, z := make([]float64, n), tensor.New(n, size)
	for range samples {
		for i := range n {
			mean := known.Data[2*i*size : (2*i+1)*size]
			deviation := known.Data[(2*i+1)*size : (2*i+2)*size]
			for k := range size {
				z.Data[i*size+k] = mean[k] + deviation[k]*float32(draws[i].Normal())
			}
		}
		lost, err := r.decoder.Output(&data.MultiDataSet{Features: []*tensor.Dense{z, rows}}, false)
		if err != nil {
			return nil, err
		}
		for i, v := range lost[0].Data {
			sum[i] -= float64(v)
		}
	}
	for i := range sum {
		sum[i] /= float64(samples)
	}
	return sum, nil
}

// drawsOf returns the random source of a row.
func drawsOf(row []float32, seed uint64) *random.Source {
	h := fnv.New64a()
	var b [4]byte
	for _, v := range row {
		u := math.Float32bits(v)
		b = [4]byte{byte(u), byte(u >> 8), byte(u >> 16), byte(u >> 24)}
		h.Write(b[:])
	}
	return random.NewSource(random.Mix(seed, h.Sum64()))
}

// probabilities makes the encoder and decoder networks unless they exist.
func (r *Reconstructor) probabilities(samples int) error {
	if err := r.HasProbability(); err != nil {
		return err
	}
	l := r.n.nodes[r.node].layer.(layer.VariationalAutoencoder)
	if samples < 1 {
		return fmt.Errorf("%d samples of the reconstruction's probability: there must be at least one", samples)
	}
	if r.decoder != nil {
		return nil
	}
	var err error
	r.encoder, err = r.aside(l.PretrainParams(), 1, func(c *layer.Context, in []layer.Activation) *program.Value {
		mean, deviation := l.Encode(c, in[0])
		return c.Concat(1, mean, deviation)
	})
	if err != nil {
		return err
	}
	r.decoder, err = r.aside(l.PretrainParams(), 2, func(c *layer.Context, in []layer.Activation) *program.Value {
		lost := l.Output.NegLog(c.Builder, in[1].Value, l.Decode(c, in[0].Value))
		return c.Reshape(lost, lost.Shape[0], 1)
	})
	return err
}
