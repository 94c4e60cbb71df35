// Package train runs the training of a network: epochs, held-out scores, the model file, checkpoints, resuming, early
// stopping, pretraining and statistics. It trains in one process, or on the workers of an engine by parameter
// averaging or gradient sharing. The command dl4go train is a command line for this package.
//
// [Fit] takes a [Config] and trains to the end. [New] and [Run.Train] do the same in two steps, with a [Forecast] in
// between. Config.Listen is called with each [Event]. After a crash, or when a context ended the run, [Resume] reads
// the newest checkpoint. A Config with it as From continues as if nothing had happened.
package train
