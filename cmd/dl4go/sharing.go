package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/train"
)

// sharingFlags are the flags of dl4go train that only apply to gradient sharing.
type sharingFlags struct {
	config    string
	threshold float64
	debug     bool
	options   sharing.Options
	given     func(flag string) bool
}

var sharingOnly = []string{"sharing-config", "updates-threshold", "encoding-debug", "combine", "values", "thresholds",
	"release", "warm-up", "mask-momentum"}

func (f *sharingFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.config, "sharing-config", "", "`FILE` JSON or YAML of a SharedTrainingMaster")
	fs.Float64Var(&f.threshold, "updates-threshold", 0, "`X` adaptive thresholds as in Deeplearning4j, from X on")
	fs.StringVar((*string)(&f.options.Combine), "combine", "", "`HOW` updates of workers make a step: mean, root or sum")
	fs.StringVar((*string)(&f.options.Values), "values", "", "`HOW` far an update's values move: mean or threshold")
	fs.StringVar((*string)(&f.options.Thresholds), "thresholds", "",
		"`WHAT` has its own threshold: array, layer or network")
	fs.StringVar((*string)(&f.options.Release), "release", "", "`WHAT` a step brings to workers: the sum, or each")
	fs.IntVar(&f.options.WarmUp, "warm-up", 0, "`N` first steps in which updates grow to full size (0)")
	fs.BoolVar(&f.options.MaskMomentum, "mask-momentum", false, "clear the momentum of values that were sent")
	fs.BoolVar(&f.debug, "encoding-debug", false, "log how each update was encoded")
}

// choose checks the flags with a choice.
func (f *sharingFlags) choose() error {
	o := &f.options
	return cmp.Or(choose(f.given, "combine", &o.Combine, sharing.Mean, sharing.Root, sharing.Sum),
		choose(f.given, "values", &o.Values, sharing.MeanValues, sharing.ThresholdValues),
		choose(f.given, "thresholds", &o.Thresholds, sharing.ArrayThresholds,
			sharing.LayerThresholds, sharing.NetworkThreshold),
		choose(f.given, "release", &o.Release, sharing.SumRelease, sharing.EachRelease))
}

// choose replaces the value of a flag that was given by the choice that it names.
func choose[T ~string](given func(string) bool, flag string, value *T, all ...T) (err error) {
	if given(flag) {
		*value, err = usage.Choose(flag, string(*value), all...)
	}
	return err
}

// sharingConfig combines the file and the flags.
func (t *training) sharingConfig(ctx context.Context) (sharing.Config, error) {
	f := &t.sharing
	c := sharing.Default()
	c.RDDTrainingApproach = t.conf.RDDTrainingApproach
	c.StorageLevel, c.StorageLevelStreams = t.conf.StorageLevel, t.conf.StorageLevelStreams
	if f.config != "" {
		text, err := storage.ReadFile(ctx, f.config)
		if err != nil {
			return c, err
		}
		read := sharing.FromJSON
		if ext := filepath.Ext(f.config); ext == ".yaml" || ext == ".yml" {
			read = sharing.FromYAML
		}
		if c, err = read(text); err != nil {
			return c, fmt.Errorf("--sharing-config %s: %w", f.config, err)
		}
	}
	for flag, set := range map[string]func(){
		"approach":              func() { c.RDDTrainingApproach = t.conf.RDDTrainingApproach },
		"storage-level":         func() { c.StorageLevel = t.conf.StorageLevel },
		"storage-level-streams": func() { c.StorageLevelStreams = t.conf.StorageLevelStreams },
		"export-directory":      func() { c.ExportDirectory = t.conf.ExportDirectory },
		"keep-exported":         func() { c.KeepExported = t.conf.KeepExported },
		"workers":               func() { c.NumWorkers = t.conf.NumWorkers },
		"prefetch":              func() { c.WorkerPrefetchNumBatches = t.conf.PrefetchNumBatches },
		"stats":                 func() { c.CollectTrainingStats = t.conf.CollectTrainingStats },
		"updates-threshold":     func() { c.UpdatesThreshold = f.threshold },
		"mesh": func() {
			c.VoidConfiguration.MeshBuildMode = sharing.MeshBuildMode(strings.ToUpper(t.residents.mesh))
		},
		"network-mask":       func() { c.VoidConfiguration.NetworkMask = t.residents.network.Mask },
		"controller-address": func() { c.VoidConfiguration.ControllerAddress = t.residents.network.Address },
		"unicast-port":       func() { c.VoidConfiguration.UnicastPort = t.residents.network.Port },
		"encoding-debug":     func() { c.EncodingDebugMode = f.debug },
	} {
		if f.given(flag) || flag == "stats" && t.stats.used() {
			set()
		}
	}
	if f.config == "" {
		c.BatchSizePerWorker, c.RDDDataSetNumExamples = 0, 0 // --batch replaces them
	}
	return c, nil
}

// bySharing returns gradient sharing according to the flags.
func (t *training) bySharing(ctx context.Context) (train.Method, error) {
	c, err := t.sharingConfig(ctx)
	if err != nil {
		return nil, &usageError{Err: err}
	}
	if err := t.sharing.choose(); err != nil {
		return nil, err
	}
	o := t.sharing.options
	o.Coordinator, o.Time = t.residents.network.Coordinator, t.stats.time
	return train.Sharing{Config: &c, Options: o}, nil
}
