//go:build spark

package paramavg

import (
	"fmt"
	"os"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	_ "github.com/dl4go/dl4go/internal/spark"
)

// TestSparkResidents checks that rounds by residents on Spark give, to the bit, the same result as rounds by jobs here,
// even if workers die in a round.
func TestSparkResidents(t *testing.T) {
	master := os.Getenv("DL4GO_SPARK")
	if master == "" {
		t.Fatal("DL4GO_SPARK names no Spark Connect server: run make test-spark, or tools/spark.sh with go test -tags " +
			"spark …")
	}
	for _, mesh := range []bool{false, true} { // the second time with an outer optimiser
		for name, c := range map[string]struct {
			hooks   []deadly
			endings ending
		}{
			"undisturbed":            {},
			"in a minibatch":         {hooks: []deadly{{Iteration: 2}, {Iteration: 9, After: true}}},
			"after its part is sent": {endings: ending{Parts: []int{2}, After: true}},
		} {
			t.Run(fmt.Sprintf("%s, mesh %v", name, mesh), func(t *testing.T) {
				conf := config(4, 2)
				conf.NumWorkers = 2
				if mesh {
					conf.Outer = DefaultOuter(OuterNesterov)
				}
				withDeaths(t, master, conf, Options{Network: distributed.Residents{Mesh: mesh}}, 1, c.hooks, c.endings)
			})
		}
	}
}

// TestSparkStaying checks that workers on Spark stay for several fits, and that a lost one changes nothing.
func TestSparkStaying(t *testing.T) {
	for name, hooks := range map[string][]deadly{
		"undisturbed":        nil,
		"in the second pass": {{Iteration: 20}},
	} {
		t.Run(name, func(t *testing.T) {
			conf := config(4, 2)
			conf.NumWorkers, conf.RDDTrainingApproach = 2, Direct
			withDeaths(t, os.Getenv("DL4GO_SPARK"), conf, Options{Stay: true}, 3, hooks, ending{})
		})
	}
}

// TestSparkGraphs checks that a recurrent graph gets the same bits on Spark and on goroutines.
func TestSparkGraphs(t *testing.T) {
	withGraphs(t, graphWay{"local[2]", Jobs}, graphWay{os.Getenv("DL4GO_SPARK"), Resident})
}

// TestSparkPhases checks that statistics have the same phases on Spark as here.
func TestSparkPhases(t *testing.T) {
	for _, way := range []Way{Jobs, Resident} {
		t.Run(string(way), func(t *testing.T) { withPhases(t, os.Getenv("DL4GO_SPARK"), way) })
	}
}
