package nn

import (
	"math"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

// TestNormsOfLargeGradients: a gradient whose squares overflow or underflow in float32 is clipped and renormalised
// like any other, and does not become 0.
func TestNormsOfLargeGradients(t *testing.T) {
	for _, kind := range []layer.GradientNormalization{layer.ClipL2PerLayer, layer.ClipL2PerParam,
		layer.RenormalizeL2PerLayer, layer.RenormalizeL2PerParam} {
		clips := kind == layer.ClipL2PerLayer || kind == layer.ClipL2PerParam
		for _, threshold := range []float64{0.5, 2e30} {
			net := newNet(t, Configuration{InputType: inputtype.FeedForward(4), Updater: updater.Sgd{LearningRate: 1},
				GradientNormalization: kind, GradientNormalizationThreshold: threshold,
				Layers: []layer.Layer{layer.Dense{NOut: 5}, layer.Output{NOut: 3, Loss: loss.MSE{}}}})
			for _, size := range []float64{1e-25, 1e-18, 1e-3, 1, 1e15, 1.7e19, 1e20, 1e30, 3e38} {
				g := net.gradientVector()
				for i := range g {
					g[i] = float32(size * math.Cos(float64(i)))
				}
				pl, err := net.plan(forUpdate, true, nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := net.run(pl, nil, Key{}); err != nil {
					t.Fatal(err)
				}
				norm := func(offset, size int) float64 {
					sum := 0.0
					for _, v := range g[offset : offset+size] {
						sum += float64(v) * float64(v)
					}
					return math.Sqrt(sum)
				}
				for _, e := range net.layout.entries {
					n := norm(e.offset, e.size)
					if kind == layer.ClipL2PerLayer || kind == layer.RenormalizeL2PerLayer {
						n = norm(net.layout.nodeRange(e.node))
					}
					factor := 1 / n
					if clips {
						factor = min(1, threshold/n)
					}
					for i := e.offset; i < e.offset+e.size; i++ {
						want := float64(g[i]) * factor
						if got := float64(net.update[i]); !near.Equal(got, want, 1e-5*(math.Abs(want)+factor*size/100), 0) {
							t.Fatalf("%s by %g, gradient of about %g: the update of %g is %g, want %g", kind, threshold,
								size, g[i], got, want)
						}
					}
				}
			}
		}
	}
}
