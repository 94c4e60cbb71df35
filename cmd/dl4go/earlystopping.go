package main

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
)

// earlyFlags are what --early-stopping says.
type earlyFlags struct {
	settings string
	metric   string
	latest   string // the file of the latest network
	every    int
	epoch    []earlystopping.EpochCondition // but for --epochs
	steps    []earlystopping.IterationCondition
}

// epochsAtMost is --epochs of a run that may end by itself.
const epochsAtMost = 100

func (f *earlyFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.settings, "early-stopping", "", "end when held-out data says so, and save the best network: `SETTINGS`, as patience=5,metric=accuracy (above)")
}

func (f *earlyFlags) on() bool { return f.settings != "" }

const earlyHelp = `
Early stopping ends training by the score of held-out data, and --save has the best network, not the last one, which is
saved beside it. --epochs (default: 100) is the most. Settings, with commas between them:
  patience=N           end after N epochs without a better score; better by more than min-improvement=X if that is given
  best-score=X         end when the score is better than X
  max-time=DURATION    end after the step that is under way then, as 90s or 10m
  max-score=X          end when a step's training score is above X
  metric=NAME          the score: loss (the default), accuracy, f1, precision, recall, gmeasure, mcc; of regressions mse, mae,
                       rmse, rse, pc, r2; areas under curves auc, auprc, and binary-auc, binary-auprc of each output by itself
  every=N              score epochs 1, N+1, 2N+1, … only, and the last one
  latest=FILE          for the latest network (default: model-latest.zip with --save model.zip)
A step whose score is no number ends the run too. --resume goes on with the scores that the run had; max-time begins anew.
`

// metricsOf make the calculator of a score, for data with so many classes.
var metricsOf = func() map[string]func(d *distributed.Data, classes int) earlystopping.Calculator {
	all := map[string]func(*distributed.Data, int) earlystopping.Calculator{
		"loss": func(d *distributed.Data, _ int) earlystopping.Calculator { return earlystopping.Loss{Data: d} },
	}
	for _, m := range []earlystopping.ClassificationMetric{earlystopping.Accuracy, earlystopping.F1, earlystopping.Precision,
		earlystopping.Recall, earlystopping.GMeasure, earlystopping.MCC} {
		all[strings.ToLower(string(m))] = func(d *distributed.Data, _ int) earlystopping.Calculator {
			return earlystopping.Classification{Data: d, Metric: m}
		}
	}
	for _, m := range []earlystopping.RegressionMetric{earlystopping.MSE, earlystopping.MAE, earlystopping.RMSE, earlystopping.RSE,
		earlystopping.PC, earlystopping.R2} {
		all[strings.ToLower(string(m))] = func(d *distributed.Data, _ int) earlystopping.Calculator {
			return earlystopping.Regression{Data: d, Metric: m}
		}
	}
	for _, m := range []earlystopping.ROCMetric{earlystopping.AUC, earlystopping.AUPRC} {
		all[strings.ToLower(string(m))] = func(d *distributed.Data, classes int) earlystopping.Calculator {
			kind := earlystopping.ROCSingle
			if classes > 2 {
				kind = earlystopping.ROCMultiClass
			}
			return earlystopping.ROC{Data: d, Type: kind, Metric: m}
		}
		all["binary-"+strings.ToLower(string(m))] = func(d *distributed.Data, _ int) earlystopping.Calculator {
			return earlystopping.ROC{Data: d, Type: earlystopping.ROCBinary, Metric: m}
		}
	}
	return all
}()

var earlyNames = []string{"patience", "min-improvement", "best-score", "max-time", "max-score", "metric", "every", "latest"}

// check reads the settings.
func (f *earlyFlags) check(given func(string) bool, save string) error {
	if !f.on() {
		if given("early-stopping") {
			return usagef("--early-stopping: settings are needed, such as patience=5")
		}
		return nil
	}
	if given("iterations") {
		return usagef("--early-stopping and --iterations can't be given together")
	}
	values := map[string]string{}
	for _, s := range strings.Split(f.settings, ",") {
		name, value, ok := strings.Cut(s, "=")
		switch {
		case !slices.Contains(earlyNames, name):
			return usagef("--early-stopping: %q is none of %s%s", name, strings.Join(earlyNames, ", "), didYouMean(name, earlyNames))
		case !ok || value == "":
			return usagef("--early-stopping: %s needs a value, as %s=…", name, name)
		case values[name] != "":
			return usagef("--early-stopping: %s is there twice", name)
		}
		values[name] = value
	}
	if err := f.read(values); err != nil {
		return err
	}
	if f.latest = values["latest"]; f.latest == "" {
		ext := filepath.Ext(save)
		f.latest = strings.TrimSuffix(save, ext) + "-latest" + ext
	}
	if filepath.Clean(f.latest) == filepath.Clean(save) {
		return usagef("--early-stopping: latest is the file of --save, which is for the best network")
	}
	return nil
}

func (f *earlyFlags) read(values map[string]string) error {
	f.metric, f.every = "loss", 1
	if m, ok := values["metric"]; ok {
		known := slices.Sorted(maps.Keys(metricsOf))
		if metricsOf[m] == nil {
			return usagef("--early-stopping: metric=%s: it is one of %s%s", m, strings.Join(known, ", "), didYouMean(m, known))
		}
		f.metric = m
	}
	improvement := earlystopping.ScoreImprovement{}
	var err error
	for _, name := range earlyNames {
		text, ok := values[name]
		if !ok {
			continue
		}
		var x float64
		var n int
		switch name {
		case "patience", "every":
			n, err = strconv.Atoi(text)
			if err != nil || n < 1 {
				return usagef("--early-stopping: %s=%s: it must be a number of epochs, at least 1", name, text)
			}
		case "min-improvement", "best-score", "max-score":
			x, err = strconv.ParseFloat(text, 64)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || name == "min-improvement" && x < 0 {
				return usagef("--early-stopping: %s=%s: it must be a number", name, text)
			}
		}
		switch name {
		case "patience":
			improvement.Patience = n
		case "every":
			f.every = n
		case "min-improvement":
			improvement.MinImprovement = x
		case "best-score":
			f.epoch = append(f.epoch, earlystopping.BestScore{Score: x})
		case "max-score":
			f.steps = append(f.steps, earlystopping.MaxScore{Score: x})
		case "max-time":
			d, err := time.ParseDuration(text)
			if err != nil || d <= 0 {
				return usagef("--early-stopping: max-time=%s: it must be a time, as 90s or 10m", text)
			}
			f.steps = append(f.steps, earlystopping.MaxTime{Time: d})
		}
	}
	if improvement.Patience > 0 {
		f.epoch = append(f.epoch, improvement)
	} else if improvement.MinImprovement > 0 {
		return usagef("--early-stopping: min-improvement goes with patience")
	}
	f.steps = append(f.steps, earlystopping.InvalidScore{})
	return nil
}

// fits says whether the metric can be told from the held-out data, which is nil if there is none.
func (f *earlyFlags) fits(heldOut source.Source) error {
	if !f.on() {
		return nil
	}
	if heldOut == nil {
		return usagef("--early-stopping needs held-out data to score on: --test SOURCE")
	}
	info := heldOut.Info()
	if _, ofClasses := metricsOf[f.metric](nil, info.Classes).(earlystopping.Classification); ofClasses && info.Classes == 0 {
		return usagef("--early-stopping: metric=%s is about classes, and the labels of %s are none: loss or mse, for example, are about numbers", f.metric, info.Name)
	}
	return nil
}

// config is that of a run of at most so many epochs.
func (f *earlyFlags) config(epochs int, heldOut *distributed.Data, classes int) earlystopping.Config {
	return earlystopping.Config{Epoch: append(slices.Clone(f.epoch), earlystopping.MaxEpochs{Epochs: epochs}), Iteration: f.steps,
		Calculator: metricsOf[f.metric](heldOut, classes), SaveLast: true, Every: f.every}
}

// String says when training ends.
func (f *earlyFlags) String() string {
	var all []string
	for _, c := range f.epoch {
		all = append(all, c.String())
	}
	for _, c := range f.steps {
		all = append(all, c.String())
	}
	return fmt.Sprintf("early, by the %s of the held-out data: %s", f.metric, strings.Join(all, ", "))
}
