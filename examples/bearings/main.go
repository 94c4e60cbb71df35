// Command bearings finds faults of a machine from recordings of its vibrations. It has its own loader, preprocessing
// and layer, and runs unchanged in one process, in several, and on Spark:
//
//	bearings --master local[2]
//	bearings --master processes[2]
//	bearings --master sc://host:15002 --dir /storage/that/every/machine/sees
//
// recording.go, spectrum.go and maxout.go register these by name, so that workers know them. Driver and workers are the
// same binary: nothing else has to reach the workers.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"log"
	"os"
	"os/signal"

	_ "github.com/dl4go/dl4go" // sc://HOST
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

const (
	epochs  = 4
	workers = 2 // not those of the master: the result is then the same on any
	bins    = 48
)

func main() {
	engine.Main() // first: in a worker it does not return
	master := flag.String("master", "local[2]", "local[N], processes[N] or sc://host:port")
	dir := flag.String("dir", "",
		"where to put the recordings, on storage that every machine sees (default: a temporary\n"+
			"directory, which does where all workers are on this machine)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *master, *dir, os.Stdout); err != nil {
		log.Fatal("bearings: ", err)
	}
}

func run(ctx context.Context, master, parent string, out io.Writer) (err error) {
	dir, err := os.MkdirTemp(parent, "bearings-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // executors may run as another user
		return err
	}
	e, err := engine.Open(ctx, master, engine.Options{Threads: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()

	train, err := record(dir, "train", 24)
	if err != nil {
		return err
	}
	test, err := record(dir, "test", 8)
	if err != nil {
		return err
	}
	settings := paramavg.Default()
	settings.NumWorkers = workers
	settings.AveragingFrequency = 10
	settings.RDDTrainingApproach = paramavg.Direct
	averaging, err := paramavg.New(settings, paramavg.Options{})
	if err != nil {
		return err
	}
	defer averaging.Close()
	net, err := distributed.FromConfiguration(e, configuration, averaging, distributed.Options{})
	if err != nil {
		return err
	}
	learn, check := spectra(e, train), spectra(e, test)
	for epoch := range epochs {
		if err := net.Fit(ctx, learn); err != nil {
			return err
		}
		result, err := net.Evaluate(ctx, check, states, 1)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "epoch %d: score %.4f, accuracy %.4f\n", epoch+1, net.LastScore(), result.Accuracy())
	}
	sum := crc32.NewIEEE()
	if err := binary.Write(sum, binary.LittleEndian, net.Net().Params()); err != nil {
		return err
	}
	fmt.Fprintf(out, "parameters %08x\n", sum.Sum32())
	return nil
}

// spectra says how the workers are to read recordings, and has the result kept: else each epoch would read them again.
func spectra(e engine.Engine, paths []string) *distributed.Data {
	rows := distributed.FromPaths(e, paths, recordings, 0).Rows().Map(spectrum.With(spectrumConfig{Bins: bins}))
	return distributed.FromRows(rows).Persist(engine.MemoryAndDiskSer)
}

var configuration = nn.Configuration{
	Seed:      1,
	Updater:   updater.Adam{LearningRate: 0.01, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8},
	InputType: inputtype.FeedForward(bins),
	Layers: []layer.Layer{
		Maxout{Dense: layer.Dense{NOut: 24}, Pieces: 3},
		layer.Output{NOut: len(states), Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
	},
}
