// Package dl4go is the entry point of the library: with one import, it trains, evaluates, saves and applies neural
// networks on the data of a Go program.
//
//   - [Table] makes examples of Go values, [Read] of files, [Prepare] of raw columns. [Split] holds out some of them.
//   - [MLP] and [Named] make networks. [Layers] and [Graph] take any configuration of package nn.
//   - [Train] trains in this process. [On] trains on the workers of an engine, which [Open] opens.
//   - A [Model] predicts, classifies and evaluates; many goroutines can use it at once. [Model.Save] writes a file
//     that Deeplearning4j opens, and [Load] reads one.
//
// A program that opens processes[N] or sc://HOST must call [Main] first in its main function, because its binary also
// runs the workers.
//
// Everything else is in the underlying packages: nn and those below it have configurations and layers, data has data
// sets, distributed and those below it have distributed data and training masters, and train has runs. A program that
// needs a smaller binary can import those: this package includes all engines, and storage on S3 and HDFS.
package dl4go

import (
	"context"

	"github.com/dl4go/dl4go/engine"
	_ "github.com/dl4go/dl4go/internal/spark"
	_ "github.com/dl4go/dl4go/storage/hdfs" // for URLs of files
	_ "github.com/dl4go/dl4go/storage/s3"
)

// Main is [engine.Main]. It must come first in the main function of a program that opens processes[N] or sc://HOST,
// and in TestMain of its tests. In a process that an engine started as a worker, it serves the driver and does not
// return.
func Main() { engine.Main() }

// Open starts an engine by its name: local[N] for N goroutines, processes[N] for N worker processes, sc://HOST:PORT for
// Spark. [engine.Open] is the same with options. The caller closes it.
func Open(ctx context.Context, master string) (engine.Engine, error) {
	return engine.Open(ctx, master, engine.Options{})
}
