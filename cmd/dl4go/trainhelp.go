package main

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/nn"
)

// trainMore is what dl4go train --help-all explains.
const trainMore = `Ways to train (--training):
  averaging   in each round, every worker trains --averaging-frequency minibatches; then parameters and updater states are
              averaged
  sharing     every worker trains on, and sends the others the compressed changes of each step
  plain       one process. Saved DataSets are taken as minibatches, in the order of the files, unless --batch is given
For plain training and averaging, the same seed, data, number of workers and kernel give the same model, byte for byte,
whatever the number of threads.

The score of an epoch is the mean loss of its examples, each before the update that it caused. With --iterations it is the
loss of the last minibatch. Digits hold out their test part unless --test is given.

Checkpoints: a checkpoint holds the network and the training progress. The two newest are kept. --resume continues in the
middle of an epoch, with the flags of the run; --master, --epochs and flags that do not change the result may be given
again. Averaging and plain training end with the bytes of a run without a break. A finished run trains on if --resume
comes with more --epochs. Only one run may use a directory at a time. On S3 and HDFS, the directory of a run that died
becomes free after --checkpoint-lease.

Early stopping (--early-stopping) ends training by the score of the held-out data. --save gets the best network; the latest
one is saved beside it. --epochs (default 100) is the limit. The settings are separated by commas:
  patience=N          end after N epochs without a better score; min-improvement=X says by how much better
  best-score=X        end when the score is better than X
  max-time=DURATION   end after the current step, such as 90s or 10m
  max-score=X         end when a step's training score is above X
  metric=NAME         the score. loss (the default); for classes accuracy, f1, precision, recall, gmeasure, mcc, auc, auprc,
                      binary-auc, binary-auprc; for numbers mse, mae, rmse, rse, pc, r2; for an autoencoder
                      reconstruction-mse, -mae, -rmse, -rse, -pc, -r2; for a variational one reconstruction-probability,
                      reconstruction-log-probability
  layer=NAME          the autoencoder for reconstruction-…, by name or number (default: the first layer)
  samples=N           draws per example for the two probabilities (default 16)
  every=N             score epochs 1, N+1, 2N+1, … and the last one
  latest=FILE         where the latest network is saved (default model-latest.zip with --save model.zip)
A step whose score is NaN also ends the run. --resume keeps the scores of the run; max-time starts again.

Pretraining (--pretrain) trains autoencoders without labels before the rest. --pretrain-stopping ends it for each
autoencoder by its own reconstruction of the held-out data, and goes on from its best epoch. It takes the settings above
except layer and latest, and metrics that begin with reconstruction- (default reconstruction-mse). --pretrain (default 100)
is the limit.

`

// builtInNetworks lists the built-in networks.
func builtInNetworks() string {
	var b strings.Builder
	b.WriteString("Built-in networks (--model), shaped to fit the data; the default is lenet for images and mlp for the rest:")
	for _, n := range nn.BuiltIns() {
		fmt.Fprintf(&b, "\n  %-9s %s", n, nn.AboutBuiltIn(n))
	}
	return b.String()
}
