package train

import (
	"strings"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
)

// reconstruction is the prefix of metrics about an autoencoder.
const reconstruction = "reconstruction-"

// drawn are the metrics that draw random samples.
var drawn = []string{reconstruction + "probability", reconstruction + "log-probability"}

// drawSeed is the seed of these samples, the same in each epoch.
const drawSeed = 1

// metrics make the calculator of a score. classes is the data's number of classes.
var metrics = func() map[string]func(s Stopping, d *distributed.Data, classes int) earlystopping.Calculator {
	all := map[string]func(Stopping, *distributed.Data, int) earlystopping.Calculator{
		"loss": func(_ Stopping, d *distributed.Data, _ int) earlystopping.Calculator {
			return earlystopping.Loss{Data: d}
		},
	}
	for _, m := range []earlystopping.ClassificationMetric{earlystopping.Accuracy, earlystopping.F1,
		earlystopping.Precision,
		earlystopping.Recall, earlystopping.GMeasure, earlystopping.MCC} {
		all[strings.ToLower(string(m))] = func(_ Stopping, d *distributed.Data, _ int) earlystopping.Calculator {
			return earlystopping.Classification{Data: d, Metric: m}
		}
	}
	for _, m := range []earlystopping.RegressionMetric{earlystopping.MSE, earlystopping.MAE, earlystopping.RMSE,
		earlystopping.RSE,
		earlystopping.PC, earlystopping.R2} {
		name := strings.ToLower(string(m))
		all[name] = func(_ Stopping, d *distributed.Data, _ int) earlystopping.Calculator {
			return earlystopping.Regression{Data: d, Metric: m}
		}
		all[reconstruction+name] = func(s Stopping, d *distributed.Data, _ int) earlystopping.Calculator {
			return earlystopping.Reconstruction{Data: d, Metric: m, Layer: s.Layer}
		}
	}
	for _, name := range drawn {
		all[name] = func(s Stopping, d *distributed.Data, _ int) earlystopping.Calculator {
			return earlystopping.ReconstructionProbability{Data: d, Samples: s.Samples,
				LogProb: strings.Contains(name, "log"), Layer: s.Layer, Seed: drawSeed}
		}
	}
	for _, m := range []earlystopping.ROCMetric{earlystopping.AUC, earlystopping.AUPRC} {
		all[strings.ToLower(string(m))] = func(_ Stopping, d *distributed.Data, classes int) earlystopping.Calculator {
			kind := earlystopping.ROCSingle
			if classes > 2 {
				kind = earlystopping.ROCMultiClass
			}
			return earlystopping.ROC{Data: d, Type: kind, Metric: m}
		}
		all["binary-"+strings.ToLower(string(m))] = func(_ Stopping, d *distributed.Data, _ int) earlystopping.Calculator {
			return earlystopping.ROC{Data: d, Type: earlystopping.ROCBinary, Metric: m}
		}
	}
	return all
}()
