//go:build xla

package sharing

import (
	"os"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/xla"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/threshold"
)

// Two workers on a device come to the same bits whether the device encodes their updates or the processor does: also
// with statistics of batch normalisation, with outliers, and with the momentum of sent values masked.
func TestDeviceEncodes(t *testing.T) {
	e, err := xla.New(xla.Options{Program: os.Getenv("DL4GO_XLA"), Plugin: os.Getenv("DL4GO_XLA_PLUGIN")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	normalized, err := nn.New(nn.Configuration{InputType: inputtype.FeedForward(64), Layers: []layer.Layer{
		layer.Dense{NOut: 20}, layer.NewBatchNormalization(), layer.Output{NOut: 10, Activation: activation.Softmax{},
			Loss: loss.NewMCXENT()}}})
	if err != nil {
		t.Fatal(err)
	}
	normalized.Init(3)
	t.Cleanup(normalized.Close)
	for name, net := range map[string]*nn.MultiLayer{"mlp": network(t, "mlp", 3), "normalized": normalized} {
		fit := func(onDevice bool) (params, residual []float32) {
			c := config()
			c.ThresholdAlgorithm = threshold.Largest{Share: 0.1}
			l := newLockstep(t, net, singles(digits(t, "train").Range(0, 320)), 2, c, threshold.Options{Mean: true})
			for _, r := range l.replicas {
				r.net.SetExecutor(e)
				r.conf.WarmUp, r.conf.MaskMomentum = 3, true
				r.momenta = momentaOf(r.net)
				if onDevice {
					if err := r.toDevice(); err != nil {
						t.Fatal(err)
					}
				}
			}
			l.fit()
			r := l.replicas[1]
			return slices.Clone(r.net.Params()), slices.Clone(r.encoder.Residual())
		}
		params, residual := fit(false)
		params2, residual2 := fit(true)
		if !slices.Equal(params, params2) || !slices.Equal(residual, residual2) {
			t.Errorf("%s: other bits where the device encodes", name)
		}
		if slices.Equal(params, net.Params()) {
			t.Errorf("%s: the network did not move", name)
		}
	}
}
