package train_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/train"
)

// TestProfile: each way of training reports the times of operations, and has the result of a run that is not timed.
func TestProfile(t *testing.T) {
	for name, method := range methods(t) {
		t.Run(name, func(t *testing.T) {
			c := train.Config{Network: network(t, "mlp"), Data: open(t, "digits:train"), Epochs: 1, Seed: 1}
			method(&c)
			timed := c
			timed.Network, timed.Profile, timed.GradientLimit = network(t, "mlp"), true, nn.DefaultGradientLimit
			bare, err := train.Fit(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			result, err := train.Fit(t.Context(), timed)
			if err != nil {
				t.Fatal(err)
			}
			if bare.Profile != nil || timed.Network.Base().Profile() != nil {
				t.Error("a run that is not timed has a profile, or the network keeps one")
			}
			products := map[program.Phase]int64{}
			for _, c := range result.Profile {
				if c.Layer == "layer1" && strings.HasPrefix(c.Op, "matmul") { // alone, or with elementwise operations
					products[c.Phase] += c.Times
				}
			}
			minibatches := int64((1497 + 15) / 16)
			if products[program.Forward] < minibatches || products[program.Backward] < minibatches {
				t.Errorf("%d minibatches, products of layer1: %v", minibatches, products)
			}
			if name != "sharing" && !slices.Equal(c.Network.Base().Params(), timed.Network.Base().Params()) {
				t.Error("the timed run came to other parameters")
			}
		})
	}
}

// TestGradientLimit: the error of a run names the layer and the operation, wherever the step is computed.
func TestGradientLimit(t *testing.T) {
	for name, method := range methods(t) {
		t.Run(name, func(t *testing.T) {
			c := train.Config{Network: network(t, "mlp"), Data: open(t, "digits:train"), Epochs: 1, GradientLimit: 1e-9}
			method(&c)
			_, err := train.Fit(t.Context(), c)
			var a *nn.AnomalyError
			if !errors.As(err, &a) || a.Phase != program.Backward || a.Layer == "" || a.Op == "" || !a.Exploding {
				t.Errorf("%v", err)
			}
			c.GradientLimit = -1
			var wrong *train.ConfigError
			if err := c.Validate(); !errors.As(err, &wrong) || wrong.Field != "GradientLimit" {
				t.Errorf("%v", err)
			}
		})
	}
}
