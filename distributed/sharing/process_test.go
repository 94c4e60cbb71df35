package sharing

import (
	"os"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/enginetest"
)

func TestMain(m *testing.M) {
	engine.Main()
	playRole()
	os.Exit(common.Run(m))
}

// common has the engines on clusters.
var common enginetest.Common

// TestProcesses checks that worker processes reach the coordinator, and each other, by TLS.
func TestProcesses(t *testing.T) {
	for _, mode := range []MeshBuildMode{Plain, Mesh} {
		t.Run(string(mode), func(t *testing.T) {
			c := config()
			c.VoidConfiguration.MeshBuildMode = mode
			net := network(t, "mlp", 3)
			m := master(t, c, Options{MinWorkers: 2})
			if err := m.FitEpochs(t.Context(), net, spread(t, open(t, "processes[2]"), 0), 6, nil); err != nil {
				t.Fatal(err)
			}
			if last := m.Last(); last.Updates != 6*94 || last.Workers != 2 || !slices.Equal(net.Params(), usual(t)) {
				t.Errorf("the fit was %+v, the parameters are the usual ones: %v", last, slices.Equal(net.Params(), usual(t)))
			}
		})
	}
}
