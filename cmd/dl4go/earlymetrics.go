package main

import (
	"strings"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
)

// reconstruction begins the names of metrics that are about an autoencoder.
const reconstruction = "reconstruction-"

// drawn are the metrics that draw samples.
var drawn = []string{reconstruction + "probability", reconstruction + "log-probability"}

// samplesOf is how many samples are drawn of an example.
const samplesOf = 16

// metricsOf make the calculator of a score, for data with so many classes.
var metricsOf = func() map[string]func(f *earlyFlags, d *distributed.Data, classes int) earlystopping.Calculator {
	all := map[string]func(*earlyFlags, *distributed.Data, int) earlystopping.Calculator{
		"loss": func(_ *earlyFlags, d *distributed.Data, _ int) earlystopping.Calculator {
			return earlystopping.Loss{Data: d}
		},
	}
	for _, m := range []earlystopping.ClassificationMetric{earlystopping.Accuracy, earlystopping.F1, earlystopping.Precision,
		earlystopping.Recall, earlystopping.GMeasure, earlystopping.MCC} {
		all[strings.ToLower(string(m))] = func(_ *earlyFlags, d *distributed.Data, _ int) earlystopping.Calculator {
			return earlystopping.Classification{Data: d, Metric: m}
		}
	}
	for _, m := range []earlystopping.RegressionMetric{earlystopping.MSE, earlystopping.MAE, earlystopping.RMSE, earlystopping.RSE,
		earlystopping.PC, earlystopping.R2} {
		name := strings.ToLower(string(m))
		all[name] = func(_ *earlyFlags, d *distributed.Data, _ int) earlystopping.Calculator {
			return earlystopping.Regression{Data: d, Metric: m}
		}
		all[reconstruction+name] = func(f *earlyFlags, d *distributed.Data, _ int) earlystopping.Calculator {
			return earlystopping.Reconstruction{Data: d, Metric: m, Layer: f.layer}
		}
	}
	for _, name := range drawn {
		all[name] = func(f *earlyFlags, d *distributed.Data, _ int) earlystopping.Calculator {
			return earlystopping.ReconstructionProbability{Data: d, Samples: f.samples, LogProb: strings.Contains(name, "log"), Layer: f.layer, Seed: defaultSeed}
		}
	}
	for _, m := range []earlystopping.ROCMetric{earlystopping.AUC, earlystopping.AUPRC} {
		all[strings.ToLower(string(m))] = func(_ *earlyFlags, d *distributed.Data, classes int) earlystopping.Calculator {
			kind := earlystopping.ROCSingle
			if classes > 2 {
				kind = earlystopping.ROCMultiClass
			}
			return earlystopping.ROC{Data: d, Type: kind, Metric: m}
		}
		all["binary-"+strings.ToLower(string(m))] = func(_ *earlyFlags, d *distributed.Data, _ int) earlystopping.Calculator {
			return earlystopping.ROC{Data: d, Type: earlystopping.ROCBinary, Metric: m}
		}
	}
	return all
}()
