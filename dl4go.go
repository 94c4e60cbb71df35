// Package dl4go is the front door of the library: it trains, evaluates, keeps and applies neural networks on data of a
// Go program, with one import.
//
//   - [Table] makes examples of Go values, [Read] of files, [Split] holds some of them out.
//   - [MLP] and [Named] make networks. [Layers] and [Graph] take any configuration of package nn.
//   - [Train] trains in this process. [On] trains on the workers of an engine, which [Open] opens.
//   - A [Model] predicts, classifies and evaluates, safely from many goroutines. [Model.Save] writes a file that
//     Deeplearning4j opens, and [Load] reads one.
//
// A program that opens processes[N] or sc://HOST calls [Main] first in its main function, because its binary runs the
// workers, too.
//
// What the front door leaves out is in the packages that it stands on: configurations and layers in nn and below,
// data sets in data, distributed data and training masters in distributed and below, runs in train. A program that
// wants a smaller binary imports those: this package brings all engines along, and storage on S3 and HDFS.
package dl4go

import (
	"context"

	"github.com/dl4go/dl4go/engine"
	_ "github.com/dl4go/dl4go/engine/local" // what Open opens
	_ "github.com/dl4go/dl4go/engine/spark"
	_ "github.com/dl4go/dl4go/storage/hdfs" // what file names may be
	_ "github.com/dl4go/dl4go/storage/s3"
)

// Main is [engine.Main]. It comes first in the main function of a program that opens processes[N] or sc://HOST, and in
// TestMain of its tests: in a process that an engine started as a worker, it serves the driver and does not return.
func Main() { engine.Main() }

// Open starts an engine by its name: local[N] for N goroutines, processes[N] for N worker processes, sc://HOST:PORT for
// Spark. [engine.Open] is the same with options. The caller closes it.
func Open(ctx context.Context, master string) (engine.Engine, error) {
	return engine.Open(ctx, master, engine.Options{})
}
