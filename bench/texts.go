package main

import (
	"math/rand/v2"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// The texts are made up: sequences of textLength words from a vocabulary of textWords. Only 1 % of the words occur.
// Half of a text's words are typical of its class.
const textWords, textsOccurring, textLength, textClasses = 20000, 200, 8, 10

// texts is a table of such texts.
type texts struct{ all *data.MultiDataSet }

func newTexts(seed uint64, n int) texts {
	r := rand.New(rand.NewPCG(1, seed))
	x, y := tensor.New(n, textLength), tensor.New(n, textClasses)
	for i := range n {
		class := i % textClasses
		y.Data[i*textClasses+class] = 1
		for k := range textLength {
			word := r.IntN(textsOccurring)
			if r.IntN(2) == 0 {
				word = textsOccurring/textClasses*class + r.IntN(textsOccurring/textClasses)
			}
			x.Data[i*textLength+k] = float32(word * (textWords / textsOccurring))
		}
	}
	return texts{&data.MultiDataSet{Features: []*tensor.Dense{x}, Labels: []*tensor.Dense{y}}}
}

var _ source.Table = texts{}

func (t texts) Info() source.Info {
	return source.Info{Name: "texts", Examples: t.Objects(), Features: []tensor.Shape{{textLength}},
		Labels: []tensor.Shape{{textClasses}}, Classes: textClasses}
}

func (t texts) Objects() int                             { return t.all.Examples() }
func (t texts) Object(i int) (*data.MultiDataSet, error) { return t.Range(i, i+1), nil }
func (t texts) Examples(rows []int) *data.MultiDataSet   { return t.all.Select(rows) }
func (t texts) Range(from, to int) *data.MultiDataSet    { return t.all.Slice(from, to).Clone() }

// textNet returns a network with a vector of 16 numbers for each word, which classifies texts by the mean vector. 99 %
// of its parameters belong to words that do not occur.
func textNet(seed int64) (*nn.MultiLayer, error) {
	out := layer.Output{NIn: 16, NOut: textClasses, Activation: activation.Softmax{}, Loss: loss.NewNegativeLogLikelihood()}
	conf := nn.Configuration{Seed: seed, Updater: updater.Nesterovs{LearningRate: 0.1, Momentum: 0.9},
		Layers: []layer.Layer{layer.NewEmbeddingSequence(textWords, 16), layer.GlobalPooling{Pooling: "AVG"}, out}}
	net, err := nn.New(conf)
	if err != nil {
		return nil, err
	}
	net.Init(uint64(seed))
	return net, nil
}
