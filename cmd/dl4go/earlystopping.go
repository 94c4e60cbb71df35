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

// earlyFlags are what --early-stopping says, or --pretrain-stopping.
type earlyFlags struct {
	flag     string // its name
	settings string
	metric   string
	layer    string // the autoencoder of metric; empty: the first layer
	samples  int    // of metric, for each example
	latest   string // the file of the latest network
	every    int
	epoch    []earlystopping.EpochCondition // but for --epochs
	steps    []earlystopping.IterationCondition
}

// epochsAtMost is --epochs of a run that may end by itself.
const epochsAtMost = 100

func (f *earlyFlags) add(fs *pflag.FlagSet, flag, usage string) {
	f.flag = "--" + flag
	fs.StringVar(&f.settings, flag, "", usage)
}

func (f *earlyFlags) on() bool { return f.settings != "" }

var (
	pretrainNames = []string{"patience", "min-improvement", "best-score", "max-time", "max-score", "metric", "samples", "every"}
	earlyNames    = append(slices.Clone(pretrainNames), "layer", "latest")
)

// checkPretraining reads the settings of --pretrain-stopping.
func (f *earlyFlags) checkPretraining() error {
	if !f.on() {
		return nil
	}
	values, err := f.values(pretrainNames)
	if err != nil {
		return err
	}
	if values["metric"] == "" {
		values["metric"] = reconstruction + "mse"
	}
	if m := values["metric"]; metricsOf[m] != nil && !strings.HasPrefix(m, reconstruction) {
		return usagef("%s: metric=%s: pretraining has no labels: it is one of those that begin with %s, as %smse", f.flag, m, reconstruction, reconstruction)
	}
	return f.read(values)
}

// check reads the settings of --early-stopping.
func (f *earlyFlags) check(given func(string) bool, save string) error {
	if !f.on() {
		return nil
	}
	if given("iterations") {
		return usagef("--early-stopping and --iterations can't be given together")
	}
	values, err := f.values(earlyNames)
	if err != nil {
		return err
	}
	if err := f.read(values); err != nil {
		return err
	}
	if f.latest = values["latest"]; f.latest == "" {
		ext := filepath.Ext(save)
		f.latest = strings.TrimSuffix(save, ext) + "-latest" + ext
	}
	if err := ours(f.flag+": latest", f.latest); err != nil {
		return err
	}
	if filepath.Clean(f.latest) == filepath.Clean(save) {
		return usagef("%s: latest is the file of --save, which is for the best network", f.flag)
	}
	return nil
}

// values takes the settings apart.
func (f *earlyFlags) values(names []string) (map[string]string, error) {
	values := map[string]string{}
	for _, s := range strings.Split(f.settings, ",") {
		name, value, ok := strings.Cut(s, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case !slices.Contains(names, name):
			return nil, usagef("%s: %q is none of %s%s", f.flag, name, strings.Join(names, ", "), didYouMean(name, names))
		case !ok || value == "":
			return nil, usagef("%s: %s needs a value, as %s=…", f.flag, name, name)
		case values[name] != "":
			return nil, usagef("%s: %s is there twice", f.flag, name)
		}
		values[name] = value
	}
	return values, nil
}

func (f *earlyFlags) read(values map[string]string) error {
	f.metric, f.every, f.samples = "loss", 1, samplesOf
	if m, ok := values["metric"]; ok {
		known := slices.Sorted(maps.Keys(metricsOf))
		if metricsOf[m] == nil {
			return usagef("%s: metric=%s: it is one of %s%s", f.flag, m, strings.Join(known, ", "), didYouMean(m, known))
		}
		f.metric = m
	}
	if f.layer = values["layer"]; f.layer != "" && !strings.HasPrefix(f.metric, reconstruction) {
		return usagef("%s: layer goes with metric=%s…, not with metric=%s", f.flag, reconstruction, f.metric)
	}
	if values["samples"] != "" && !slices.Contains(drawn, f.metric) {
		return usagef("%s: samples goes with metric=%s, not with metric=%s", f.flag, strings.Join(drawn, " or "), f.metric)
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
				return usagef("%s: %s=%s: it must be a number of epochs, at least 1", f.flag, name, text)
			}
		case "samples":
			n, err = strconv.Atoi(text)
			if err != nil || n < 1 {
				return usagef("%s: samples=%s: it must be a number of draws, at least 1", f.flag, text)
			}
		case "min-improvement", "best-score", "max-score":
			x, err = strconv.ParseFloat(text, 64)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || name == "min-improvement" && x < 0 {
				return usagef("%s: %s=%s: it must be a number", f.flag, name, text)
			}
		}
		switch name {
		case "patience":
			improvement.Patience = n
		case "every":
			f.every = n
		case "samples":
			f.samples = n
		case "min-improvement":
			improvement.MinImprovement = x
		case "best-score":
			f.epoch = append(f.epoch, earlystopping.BestScore{Score: x})
		case "max-score":
			f.steps = append(f.steps, earlystopping.MaxScore{Score: x})
		case "max-time":
			d, err := time.ParseDuration(text)
			if err != nil || d <= 0 {
				return usagef("%s: max-time=%s: it must be a time, as 90s or 10m", f.flag, text)
			}
			f.steps = append(f.steps, earlystopping.MaxTime{Time: d})
		}
	}
	if improvement.Patience > 0 {
		f.epoch = append(f.epoch, improvement)
	} else if improvement.MinImprovement > 0 {
		return usagef("%s: min-improvement goes with patience", f.flag)
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
		return usagef("%s needs held-out data to score on: --test SOURCE", f.flag)
	}
	info := heldOut.Info()
	if _, ofClasses := metricsOf[f.metric](f, nil, info.Classes).(earlystopping.Classification); ofClasses && info.Classes == 0 {
		return usagef("%s: metric=%s is about classes, and the labels of %s are none: loss or mse, for example, are about numbers", f.flag, f.metric, info.Name)
	}
	return nil
}

// fitsNetwork says whether the network has the autoencoder that the metric is about.
func (f *earlyFlags) fitsNetwork(net *network) error {
	if !f.on() || !strings.HasPrefix(f.metric, reconstruction) {
		return nil
	}
	if err := f.fitsLayer(net, f.layer); err != nil {
		return usagef("%s: metric=%s: %w, as layer=NAME", f.flag, f.metric, err)
	}
	return nil
}

// fitsLayers says whether the metric can be told of all these autoencoders.
func (f *earlyFlags) fitsLayers(net *network, names []string) error {
	if !f.on() {
		return nil
	}
	for _, name := range names {
		if err := f.fitsLayer(net, name); err != nil {
			return usagef("%s: metric=%s: %w", f.flag, f.metric, err)
		}
	}
	return nil
}

func (f *earlyFlags) fitsLayer(net *network, name string) error {
	r, err := net.Reconstructor(name)
	if err == nil && slices.Contains(drawn, f.metric) {
		err = r.HasProbability()
	}
	return err
}

// config is that of a run of at most so many epochs.
func (f *earlyFlags) config(epochs int, heldOut *distributed.Data, classes int) earlystopping.Config {
	return earlystopping.Config{Epoch: append(slices.Clone(f.epoch), earlystopping.MaxEpochs{Epochs: epochs}), Iteration: f.steps,
		Calculator: metricsOf[f.metric](f, heldOut, classes), SaveLast: true, Every: f.every}
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
	return fmt.Sprintf("by the %s of the held-out data: %s", f.metric, strings.Join(all, ", "))
}
