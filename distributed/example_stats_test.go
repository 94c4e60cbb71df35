package distributed_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/stats"
)

// Stats has the times of the phases of training, which can be written to a page.
func ExampleNetwork_Stats() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(dir)
	e, err := engine.Open(ctx, "local[2]", engine.Options{})
	check(err)
	defer e.Close()
	digits, err := source.Open(ctx, "digits:train")
	check(err)
	data, err := distributed.FromSource(e, digits, 0)
	check(err)

	settings := paramavg.Default()
	settings.RDDTrainingApproach = paramavg.Direct
	settings.CollectTrainingStats = true
	master, err := paramavg.New(settings, paramavg.Options{})
	check(err)
	defer master.Close()
	c, err := nn.BuiltIn("mlp", nn.BuiltInData{Input: inputtype.ConvolutionalFlat(8, 8, 1), Classes: 10}, 1)
	check(err)
	net, err := distributed.FromConfiguration(e, c, master, distributed.Options{})
	check(err)
	err = net.Fit(ctx, data)
	check(err)

	events := net.Stats().Events()
	for _, s := range stats.Summarize(events) {
		if s.Phase == stats.MasterFit || s.Phase == stats.WorkerFit {
			fmt.Println(s.Phase, s.Count, s.Examples)
		}
	}
	err = stats.Run{Title: "My training", Events: events}.Export(context.Background(), filepath.Join(dir, "training.html"))
	check(err)
	// Output:
	// ParameterAveragingMasterFitTimesMs 1 1497
	// ParameterAveragingWorkerFitTimesMs 94 1497
}
