package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
)

// Shape holds settings of a built-in network. The zero value changes nothing. A setting that has no effect on a network
// is a *[ShapeError].
type Shape struct {
	// Hidden holds the sizes of the hidden layers, dense ones or the recurrent ones of lstm and gru. Nil keeps the
	// network's own sizes; an empty list means no hidden layers.
	Hidden []int
	// Activation is the activation of the hidden layers and of convolutions. Nil keeps the network's own.
	Activation activation.Activation
	// Dropout is the probability to DROP an output of a hidden layer in training. Deeplearning4j's dropOut is the
	// probability to keep it: 0.2 here is 0.8 there. Nil keeps the network's own; 0 means no dropout.
	Dropout *float64
	// Updater replaces the network's updater, including its learning rate.
	Updater updater.Updater
	// LearningRate replaces the updater's learning rate and its schedule; 0 keeps them.
	LearningRate float64
	// L1 and L2 are the coefficients of these regularizations, on all weights. WeightDecay is the coefficient of
	// decoupled weight decay, which is multiplied by the learning rate.
	L1, L2, WeightDecay float64
}

// ShapeError means that a setting of a [Shape] is wrong, or has no effect on the network.
type ShapeError struct {
	Network string
	Setting string // hidden, activation, dropout, updater, learning-rate, l1, l2 or weight-decay
	Problem string
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("network %s: %s: %s", e.Network, e.Setting, e.Problem)
}

// Given lists the settings that are set, by the names that ShapeErrors use.
func (s Shape) Given() []string {
	var given []string
	for _, of := range []struct {
		name string
		is   bool
	}{
		{"hidden", s.Hidden != nil}, {"activation", s.Activation != nil}, {"dropout", s.Dropout != nil},
		{"updater", s.Updater != nil}, {"learning-rate", s.LearningRate != 0},
		{"l1", s.L1 != 0}, {"l2", s.L2 != 0}, {"weight-decay", s.WeightDecay != 0},
	} {
		if of.is {
			given = append(given, of.name)
		}
	}
	return given
}

// shaper applies settings to a network under construction, and notes which of them had an effect.
type shaper struct {
	Shape
	used map[string]bool
}

// hidden returns the sizes of the hidden layers.
func (s *shaper) hidden(usual ...int) []int {
	s.used["hidden"] = true
	if s.Hidden != nil {
		return s.Hidden
	}
	return usual
}

// activation returns the activation of a hidden layer.
func (s *shaper) activation(usual activation.Activation) activation.Activation {
	s.used["activation"] = true
	if s.Activation != nil {
		return s.Activation
	}
	return usual
}

// dropout returns the dropout of a hidden layer's outputs; nil for none.
func (s *shaper) dropout() regularization.Dropout { return s.dropoutOr(0) }

// dropoutOr is dropout for a network that drops with the probability usual by default.
func (s *shaper) dropoutOr(usual float64) regularization.Dropout {
	s.used["dropout"] = true
	if s.Dropout != nil {
		usual = *s.Dropout
	}
	if usual == 0 {
		return nil
	}
	return regularization.NewDropout(regularization.Keeping(usual))
}

// dense returns the hidden layers. Each layer drops some outputs of the one before it; drop is for the next layer.
func (s *shaper) dense(usual ...int) (layers []layer.Layer, drop regularization.Dropout) {
	for _, n := range s.hidden(usual...) {
		d := layer.Dense{NOut: n, Activation: s.activation(activation.ReLU{})}
		d.Dropout = drop
		layers, drop = append(layers, d), s.dropout()
	}
	return layers, drop
}

// apply sets the updater and the regularization of a finished network. It refuses settings without an effect.
func (s *shaper) apply(network string, c *Configuration) error {
	bad := func(setting, format string, args ...any) error {
		return &ShapeError{network, setting, fmt.Sprintf(format, args...)}
	}
	for _, setting := range s.Given() {
		if !slices.Contains([]string{"hidden", "activation", "dropout"}, setting) || s.used[setting] {
			continue
		}
		return bad(setting, "%s; leave it out", s.without(setting))
	}
	if s.Updater != nil {
		c.Updater = s.Updater
	}
	if s.LearningRate != 0 {
		u, ok := updater.WithRate(c.Updater, s.LearningRate)
		if !ok {
			return bad("learning-rate", "the updater %T has none; leave it out", c.Updater)
		}
		c.Updater = u
	}
	for _, r := range []struct {
		setting string
		x       float64
		of      regularization.Regularization
	}{
		{"l1", s.L1, regularization.NewL1(s.L1)}, {"l2", s.L2, regularization.NewL2(s.L2)},
		{"weight-decay", s.WeightDecay, regularization.NewWeightDecay(s.WeightDecay, true)},
	} {
		if r.x != 0 {
			c.Regularization = append(c.Regularization, r.of)
		}
	}
	return nil
}

// without explains why a setting has no effect.
func (s *shaper) without(setting string) string {
	switch {
	case s.used["hidden"]:
		return "it has no effect without hidden layers"
	case setting == "hidden":
		return "the network has no hidden layers whose sizes could be chosen"
	}
	return "the network has no hidden layer"
}

// check reports an error if a number is out of range.
func (s Shape) check(network string) error {
	for _, n := range s.Hidden {
		if n < 1 || n > maxUnits {
			return &ShapeError{network, "hidden", fmt.Sprintf("a layer of %d: sizes are 1 to %d", n, maxUnits)}
		}
	}
	if len(s.Hidden) > maxHidden {
		return &ShapeError{network, "hidden", fmt.Sprintf("%d layers: there may be %d", len(s.Hidden), maxHidden)}
	}
	if s.Dropout != nil && !(*s.Dropout >= 0 && *s.Dropout < 1) {
		return &ShapeError{network, "dropout", fmt.Sprintf("%g is the probability to drop: it must be in [0, 1)", *s.Dropout)}
	}
	for _, of := range []struct {
		setting string
		x       float64
	}{{"learning-rate", s.LearningRate}, {"l1", s.L1}, {"l2", s.L2}, {"weight-decay", s.WeightDecay}} {
		if !(of.x >= 0 && of.x < 1e6) {
			return &ShapeError{network, of.setting, fmt.Sprintf("%g: it must be positive and below 1e6", of.x)}
		}
	}
	if s.Updater != nil {
		if err := updater.Complete(s.Updater).Validate(); err != nil {
			return &ShapeError{network, "updater", strings.TrimPrefix(err.Error(), "updater ")}
		}
	}
	return nil
}

// Bounds of Shape.Hidden.
const (
	maxUnits  = 1 << 24
	maxHidden = 1000
)
