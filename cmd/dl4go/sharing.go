package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/storage"
)

// sharingFlags are those of dl4go train that say something about gradient sharing alone.
type sharingFlags struct {
	config    string
	threshold float64
	debug     bool

	given func(flag string) bool
}

var sharingOnly = []string{"sharing-config", "updates-threshold", "encoding-debug"}

func (f *sharingFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.config, "sharing-config", "", "`FILE` JSON or YAML of a SharedTrainingMaster")
	fs.Float64Var(&f.threshold, "updates-threshold", 0, "`X` initial threshold (default: the algorithm's)")
	fs.BoolVar(&f.debug, "encoding-debug", false, "log how each update was encoded")
}

// sharingConfig puts file and flags together.
func (t *training) sharingConfig() (sharing.Config, error) {
	f := &t.sharing
	c := sharing.Default()
	c.RDDTrainingApproach = t.conf.RDDTrainingApproach
	c.StorageLevel, c.StorageLevelStreams = t.conf.StorageLevel, t.conf.StorageLevelStreams
	if f.config != "" {
		text, err := storage.ReadFile(f.config)
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
		"mesh":                  func() { c.VoidConfiguration.MeshBuildMode = sharing.MeshBuildMode(strings.ToUpper(t.residents.mesh)) },
		"network-mask":          func() { c.VoidConfiguration.NetworkMask = t.residents.network.Mask },
		"controller-address":    func() { c.VoidConfiguration.ControllerAddress = t.residents.network.Address },
		"unicast-port":          func() { c.VoidConfiguration.UnicastPort = t.residents.network.Port },
		"encoding-debug":        func() { c.EncodingDebugMode = f.debug },
	} {
		if f.given(flag) || flag == "stats" && t.stats.used() {
			set()
		}
	}
	if f.config == "" || f.given("batch") {
		c.BatchSizePerWorker, c.RDDDataSetNumExamples = t.batch, 1
	}
	t.batch = c.Minibatch()
	c.RNGSeed = t.seed
	if t.from != nil { // the threshold goes on
		had, err := sharing.FromJSON(t.from.Sharing)
		if err != nil {
			return c, fmt.Errorf("--resume %s: the settings of gradient sharing: %w", t.from.dir.Path(), err)
		}
		c.ThresholdAlgorithm, c.UpdatesThreshold = had.ThresholdAlgorithm, had.UpdatesThreshold
	}
	return c, c.Validate()
}

// prepareSharing makes the trainer.
func (t *training) prepareSharing(ctx context.Context) error {
	c, err := t.sharingConfig()
	if err != nil {
		return &usageError{err}
	}
	s := &sharer{net: t.net.Network}
	s.master, err = sharing.New(c, sharing.Options{Kernels: t.kernels.String(), Coordinator: t.residents.network.Coordinator, Listen: s.heard, Checkpoints: t.kept(),
		Time: t.stats.time, Log: slog.New(warnings{output: t.out})})
	if err != nil {
		return &usageError{err}
	}
	s.workers = s.master.Workers(t.engine)
	t.atOnce = s.workers
	if s.data, err = distribute(ctx, t.engine, t.train, t.net.normalizer, s.workers); err != nil {
		return err
	}
	t.trainer = s
	return nil
}

// sharer trains by gradient sharing.
type sharer struct {
	net     nn.Network
	master  *sharing.TrainingMaster
	data    *distributed.Data
	workers int
	last    sharing.Progress
}

func (s *sharer) heard(p sharing.Progress) { s.last = p }

func (s *sharer) epoch(ctx context.Context, done func(step)) error {
	return s.master.Fit(ctx, s.net, s.data, func(r distributed.Round) {
		p := s.last
		done(step{examples: r.Examples, minibatches: r.Minibatches, score: r.Score,
			note: fmt.Sprintf(", %.0f updates/s, sparsity %.2g, threshold %.2g, %s sent, %s received, lag %d", p.UpdatesPerSecond, p.Sparsity, p.Threshold,
				progress.Bytes(int64(p.Sent)), progress.Bytes(int64(p.Received)), p.Lag),
			details: event{"updates": p.Updates, "updatesPerSecond": p.UpdatesPerSecond, "sparsity": p.Sparsity, "threshold": p.Threshold,
				"bytesSent": p.Sent, "bytesReceived": p.Received, "messageBytes": p.Messages, "denseBytes": p.Dense, "workers": p.Workers, "lag": p.Lag}})
	})
}

func (s *sharer) iterations(context.Context, int, func(step)) error {
	return errors.New("gradient sharing trains whole epochs")
}

func (s *sharer) resume(at distributed.Place) { s.master.Resume(at) }

func (s *sharer) close() error { return s.master.Close() }

func (s *sharer) stats() *stats.Collector { return s.master.Stats() }
