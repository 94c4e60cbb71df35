package earlystopping

import (
	"context"
	"errors"
	"math"

	"github.com/dl4go/dl4go/distributed"
)

// Reconstruction scores how well an autoencoder of the network, plain or variational, reconstructs held-out data
// (Deeplearning4j: AutoencoderScoreCalculator, VAEReconErrorScoreCalculator). Labels are not needed. Masks are an
// error.
//
// Deeplearning4j differs: it scores the first layer only. With the metrics PC and R2, its VAEReconErrorScoreCalculator
// takes lower figures as better, and keeps the worst network.
type Reconstruction struct {
	Data   *distributed.Data
	Metric RegressionMetric
	Layer  string // the autoencoder's name or number; empty: the network's first layer
	Batch  int    // examples at once; 0 is the network's default
}

// Validate requires data and a metric.
func (c Reconstruction) Validate() error {
	if ofNumbers[c.Metric] == nil {
		return wrong("Reconstruction.Metric", "%q is none of MSE, MAE, RMSE, RSE, PC, R2", c.Metric)
	}
	return hasData("Reconstruction", c.Data)
}

// Fits returns an error unless the network has the autoencoder.
func (c Reconstruction) Fits(net Network) error {
	if _, err := net.Reconstructor(c.Layer); err != nil {
		return wrong("Reconstruction.Layer", "%v", err)
	}
	return nil
}

// Score returns the figure.
func (c Reconstruction) Score(ctx context.Context, net Network) (float64, error) {
	e, err := net.EvaluateReconstruction(ctx, c.Data, c.Layer, c.Batch)
	if err != nil {
		return 0, err
	}
	return e.Average(func(column int) float64 { return ofNumbers[c.Metric](e, column) }), nil
}

// Minimize returns true for errors.
func (c Reconstruction) Minimize() bool { return c.Metric != PC && c.Metric != R2 }

// ReconstructionProbability scores how probable held-out data x is by a variational autoencoder of the network
// (Deeplearning4j: VAEReconProbScoreCalculator). The score is the mean over the examples of p(x), or of −log p(x) with
// LogProb; with Total it is their sum. Labels are not needed. Masks are an error.
//
// p is exp of the mean of log p(x | z) over Samples draws of z. The draws are the same for each epoch, so networks are
// compared by the same numbers. They do not depend on the position of an example.
//
// Deeplearning4j differs: it scores the first layer only. With LogProb it takes higher scores as better, and keeps the
// worst network. Its draws differ from epoch to epoch.
type ReconstructionProbability struct {
	Data    *distributed.Data
	Samples int // of z for each example (reconstructionProbNumSamples), at least 1
	LogProb bool
	Total   bool   // return the sum, as Deeplearning4j does with average false
	Layer   string // the autoencoder's name or number; empty: the network's first layer
	Seed    uint64 // of the draws
	Batch   int    // examples at once; 0 is the network's default
}

// Validate requires data and samples.
func (c ReconstructionProbability) Validate() error {
	if c.Samples < 1 {
		return wrong("ReconstructionProbability.Samples", "%d: each example needs at least one draw", c.Samples)
	}
	return hasData("ReconstructionProbability", c.Data)
}

// Fits returns an error unless the network has the autoencoder, and this has a reconstruction probability.
func (c ReconstructionProbability) Fits(net Network) error {
	r, err := net.Reconstructor(c.Layer)
	if err == nil {
		err = r.HasProbability()
	}
	if err != nil {
		return wrong("ReconstructionProbability.Layer", "%v", err)
	}
	return nil
}

// Score returns the mean or the sum.
func (c ReconstructionProbability) Score(ctx context.Context, net Network) (float64, error) {
	scores, err := net.ReconstructionLogProbability(ctx, c.Data, c.Layer, c.Samples, c.Seed, c.Batch)
	if err != nil {
		return 0, err
	}
	defer scores.Release()
	sum, n := 0., 0
	err = scores.Each(ctx, func(_ string, p float64) error {
		if c.LogProb {
			sum -= p
		} else {
			sum += math.Exp(p)
		}
		n++
		return nil
	})
	if err == nil && n == 0 {
		err = errors.New("the data set is empty: there is nothing to score")
	}
	if err != nil {
		return 0, err
	}
	if !c.Total {
		sum /= float64(n)
	}
	return sum, nil
}

// Minimize returns true for −log p.
func (c ReconstructionProbability) Minimize() bool { return c.LogProb }
