package sharing

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/threshold"
)

// TestUpdatesInTheResidual: a worker whose updates the network adds to the residual trains the bits of one whose
// encoder adds them, with the default algorithm and with Deeplearning4j's. A ledger keeps the updates apart.
func TestUpdatesInTheResidual(t *testing.T) {
	for name, algorithm := range map[string]threshold.Algorithm{"default": nil, "adaptive": threshold.Default(),
		"fixed": threshold.Fixed{T: 1e-3}} {
		for _, u := range []updater.Updater{updater.NewSgd(), updater.NewNesterovs(), updater.NewAdam()} {
			var all [2]*lockstep
			for i := range all {
				c := config()
				if algorithm != nil {
					c.ThresholdAlgorithm = algorithm
				}
				all[i] = newLockstep(t, small(t, u), classes(200, 1), 2, c, threshold.Options{Ledger: i > 0})
				for _, r := range all[i].replicas {
					r.conf.Scale, r.conf.WarmUp = 0.3, 4
				}
				all[i].fit()
			}
			for k, r := range all[0].replicas {
				apart := all[1].replicas[k]
				if r.encoder.Ledger() != nil || apart.encoder.Ledger() == nil {
					t.Fatal("both workers add updates in the same way")
				}
				if !slices.Equal(r.net.Params(), apart.net.Params()) ||
					!slices.Equal(r.net.UpdaterState(), apart.net.UpdaterState()) ||
					!slices.Equal(r.encoder.Residual(), apart.encoder.Residual()) {
					t.Errorf("%s, %T: the replicas differ", name, u)
				}
			}
		}
	}
}
