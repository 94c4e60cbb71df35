package nn

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
)

// wordSize is the length of a token's vector.
const wordSize = 50

func lstm(d BuiltInData, s *shaper) (Configuration, error) {
	return recurrentNetwork("lstm", d, s, func(n int, act activation.Activation, drop regularization.Dropout) layer.Layer {
		l := layer.NewLSTM(n)
		l.Activation, l.Dropout = act, drop
		return l
	})
}

func gru(d BuiltInData, s *shaper) (Configuration, error) {
	return recurrentNetwork("gru", d, s, func(n int, act activation.Activation, drop regularization.Dropout) layer.Layer {
		return layer.GRU{Base: layer.Base{Dropout: drop}, NOut: n, Activation: act}
	})
}

// recurrentNetwork stacks the layers made by unit over sequences. The last step that is not masked is classified, or
// each step if the steps have labels of their own.
func recurrentNetwork(name string, d BuiltInData, s *shaper,
	unit func(n int, act activation.Activation, drop regularization.Dropout) layer.Layer,
) (Configuration, error) {
	if d.Input.Kind != inputtype.RecurrentKind {
		return Configuration{}, fmt.Errorf("it takes sequences, and the data has %v", d.Input)
	}
	hidden := s.hidden(64)
	if len(hidden) == 0 {
		return Configuration{}, &ShapeError{name, "hidden", "it needs one recurrent layer or more"}
	}
	var layers []layer.Layer
	var drop regularization.Dropout
	if d.Words > 0 {
		layers = append(layers, layer.NewEmbeddingSequence(d.Words, min(hidden[0], wordSize)))
	}
	for i, n := range hidden {
		l := unit(n, s.activation(activation.TanH{}), drop)
		drop = s.dropout()
		if i == len(hidden)-1 && !d.PerStep {
			layers = append(layers, layer.NewLastTimeStep(l))
			continue
		}
		layers = append(layers, l)
	}
	return Configuration{Updater: updater.NewAdam(), Layers: append(layers, builtInOutput(d, drop))}, nil
}
