//go:build spark

package paramavg

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/distributed/resident"
	_ "github.com/dl4go/dl4go/engine/spark"
)

// TestSparkResidents: on Spark, rounds by residents give, to the bit, what rounds by jobs give here, also when workers
// die in a round.
func TestSparkResidents(t *testing.T) {
	master := os.Getenv("DL4GO_SPARK")
	if master == "" {
		t.Fatal("DL4GO_SPARK names no Spark Connect server: run make test-spark, or tools/spark.sh with go test -tags spark …")
	}
	for _, mesh := range []bool{false, true} {
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
				want := fitted(t, "local[2]", conf, Options{Rounds: Jobs}, 1, 5)
				dir := t.TempDir()
				endings = c.endings
				endings.Dir = dir
				var hooks []HookStep
				for _, d := range c.hooks {
					d.Dir = dir
					h, err := deadlyHook.With(d)
					if err != nil {
						t.Fatal(err)
					}
					hooks = append(hooks, h)
				}
				got := fitted(t, master, conf, Options{Rounds: Resident, Transport: endingTransport, Network: resident.Network{Mesh: mesh}, Timing: impatient()}, 1, 5, hooks...)
				if !slices.Equal(got, want) {
					t.Error("the parameters are others than here, by jobs")
				}
				if left, err := os.ReadDir(dir); err != nil || len(left) != len(c.hooks)+len(c.endings.Parts) {
					t.Errorf("%d deaths (%v)", len(left), err)
				}
			})
		}
	}
}
