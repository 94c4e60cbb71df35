// Command averaging trains by parameter averaging. Arguments: [-master MASTER] TRAIN.csv TEST.csv MODEL.zip
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	_ "github.com/dl4go/dl4go" // sc://HOST
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

func main() {
	engine.Main() // first: the workers are this program, too
	master := flag.String("master", "local[2]", "local[N], processes[N] or sc://host:port")
	flag.Parse()
	if flag.NArg() != 3 {
		log.Fatal("usage: averaging [-master MASTER] TRAIN.csv TEST.csv MODEL.zip")
	}
	if err := run(context.Background(), os.Stdout, *master, flag.Arg(0), flag.Arg(1), flag.Arg(2)); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, master, trainFile, testFile, modelFile string) error {
	e, err := engine.Open(ctx, master, engine.Options{})
	if err != nil {
		return err
	}
	defer e.Close()

	conf := nn.Configuration{
		Seed:    1,
		Updater: updater.Adam{LearningRate: 0.005, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8},
		Layers: []layer.Layer{
			layer.Dense{NIn: 64, NOut: 100, Activation: activation.ReLU{}},
			layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
		},
	}

	settings := paramavg.Default()
	settings.NumWorkers = 2
	settings.BatchSizePerWorker = 32
	settings.AveragingFrequency = 5
	settings.PrefetchNumBatches = 2
	averaging, err := paramavg.New(settings, paramavg.Options{})
	if err != nil {
		return err
	}
	defer averaging.Close() // removes what was exported

	net, err := distributed.FromConfiguration(e, conf, averaging, distributed.Options{})
	if err != nil {
		return err
	}
	train, err := read(ctx, e, trainFile)
	if err != nil {
		return err
	}
	for range 5 {
		if err := net.Fit(ctx, train); err != nil {
			return err
		}
	}

	test, err := read(ctx, e, testFile)
	if err != nil {
		return err
	}
	result, err := net.Evaluate(ctx, test, nil, 1)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "accuracy", result.Accuracy())
	return net.Net().Save(ctx, modelFile, nn.SaveOptions{Rows: true}) // as Deeplearning4j 1.0.0-M2 wants it
}

// read has the last column hold the class, all others the features.
func read(ctx context.Context, e engine.Engine, file string) (*distributed.Data, error) {
	table, err := source.OpenCSV(ctx, file, source.CSV{Classes: 10})
	if err != nil {
		return nil, err
	}
	return distributed.FromSource(e, table, 4)
}
