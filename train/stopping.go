package train

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
	"github.com/dl4go/dl4go/nn"
)

// Stopping ends training according to the scores of the held-out data. The best network is kept. A score that is NaN
// or infinite always ends training. [ParseStopping] reads these settings from a text.
type Stopping struct {
	// Metric is the score of a network on the held-out data: one of [Metrics]. Empty is loss, and reconstruction-mse
	// for Pretraining.
	Metric string
	// Layer is the autoencoder for metrics of reconstruction, by name or number. Empty: the first layer.
	Layer string
	// Samples is the number of samples of each example for reconstruction-probability and
	// reconstruction-log-probability; 0 is DefaultSamples.
	Samples int

	// Patience ends training after this many scored epochs in a row without an improvement by MinImprovement. 0: no
	// limit.
	Patience       int
	MinImprovement float64
	// BestScore ends training when the metric is better than this. Nil: no limit.
	BestScore *float64
	// MaxScore ends training when the score of a step is above this. Nil: no limit.
	MaxScore *float64
	// MaxTime ends training after this time. 0: no limit.
	MaxTime time.Duration
	// Epoch and Iteration are further conditions that end training.
	Epoch     []earlystopping.EpochCondition
	Iteration []earlystopping.IterationCondition

	// Every scores one epoch in this many. 0: each epoch.
	Every int
	// Latest is the model file of the latest network, beside that of the best one at Save. Empty: Save's name with
	// "-latest" before the extension.
	Latest string
}

// DefaultSamples is the default of Stopping.Samples.
const DefaultSamples = 16

// withDefaults fills in defaults, for a run that saves its model in a file.
func (s Stopping) withDefaults(save string) Stopping {
	if s.Metric == "" {
		s.Metric = "loss"
	}
	if s.Samples == 0 {
		s.Samples = DefaultSamples
	}
	s.Every = max(1, s.Every)
	if s.Latest == "" && save != "" {
		ext := filepath.Ext(save)
		s.Latest = strings.TrimSuffix(save, ext) + "-latest" + ext
	}
	return s
}

// check refuses settings that are invalid for a run.
func (s Stopping) check(field Term, c Config) error {
	if err := s.Validate(); err != nil {
		return &ConfigError{Field: field, Err: err}
	}
	if c.HeldOut == nil {
		return &ConfigError{Field: field, Err: ErrNoHeldOut}
	}
	d := s.withDefaults(c.Save)
	if d.Latest != "" && filepath.Clean(d.Latest) == filepath.Clean(c.Save) {
		return wrong(field, "latest is the file of %s, which is for the best network", Term("Save"))
	}
	if err := d.fits(c.HeldOut); err != nil {
		return &ConfigError{Field: field, Err: err}
	}
	if field == "Stopping" && strings.HasPrefix(d.Metric, reconstruction) {
		if err := d.fitsLayer(c.network(), s.Layer); err != nil {
			return wrong(field, "metric=%s: %w, as layer=NAME", d.Metric, err)
		}
	}
	return nil
}

// checkPretraining refuses settings that are invalid for the autoencoders of these names.
func (s Stopping) checkPretraining(c Config, names []string) error {
	const field = "Pretraining.Stopping"
	p := s.ofReconstruction()
	if err := p.check(field, c); err != nil {
		return err
	}
	if !strings.HasPrefix(p.Metric, reconstruction) {
		return wrong(field, "metric=%s: pretraining has no labels: it is one of those that begin with %s, as %smse",
			p.Metric, reconstruction, reconstruction)
	}
	for _, name := range names {
		if err := p.fitsLayer(c.network(), name); err != nil {
			return wrong(field, "metric=%s: %w", p.Metric, err)
		}
	}
	return nil
}

// ofReconstruction fills in the metric of pretraining.
func (s Stopping) ofReconstruction() Stopping {
	if s.Metric == "" {
		s.Metric = reconstruction + "mse"
	}
	return s
}

// forPretraining returns the settings for an autoencoder.
func (s Stopping) forPretraining(layer string) Stopping {
	s = s.ofReconstruction().withDefaults("")
	s.Layer = layer
	return s
}

// Validate fails for settings that are invalid for every run.
func (s Stopping) Validate() error {
	if s.Metric != "" && metrics[s.Metric] == nil {
		return fmt.Errorf("metric=%s: it is one of %s", s.Metric, strings.Join(Metrics(), ", "))
	}
	if s.Layer != "" && !strings.HasPrefix(s.Metric, reconstruction) {
		return fmt.Errorf("layer goes with metric=%s…, not with metric=%s", reconstruction, s.withDefaults("").Metric)
	}
	if s.Samples != 0 && !slices.Contains(drawn, s.Metric) {
		return fmt.Errorf("samples goes with metric=%s, not with metric=%s", strings.Join(drawn, " or "),
			s.withDefaults("").Metric)
	}
	if s.Patience < 0 || s.Every < 0 || s.Samples < 0 || s.MaxTime < 0 || s.MinImprovement < 0 ||
		math.IsNaN(s.MinImprovement) {
		return errors.New("patience, every, samples, max-time and min-improvement can't be negative")
	}
	if s.MinImprovement > 0 && s.Patience == 0 {
		return errors.New("min-improvement goes with patience")
	}
	return nil
}

// fits checks that the metric can be computed from the held-out data.
func (s Stopping) fits(heldOut source.Source) error {
	info := heldOut.Info()
	if _, ofClasses := metrics[s.Metric](s, nil, info.Classes).(earlystopping.Classification); ofClasses &&
		info.Classes == 0 {
		return fmt.Errorf("metric=%s needs classes, and the labels of %s are numbers: loss and mse, for example, "+
			"take numbers", s.Metric, info.Name)
	}
	return nil
}

func (s Stopping) fitsLayer(net *nn.Network, name string) error {
	r, err := net.Reconstructor(name)
	if err == nil && slices.Contains(drawn, s.Metric) {
		err = r.HasProbability()
	}
	return err
}

// conditions returns the conditions that end training, without the number of epochs.
func (s Stopping) conditions() (epoch []earlystopping.EpochCondition, steps []earlystopping.IterationCondition) {
	if s.BestScore != nil {
		epoch = append(epoch, earlystopping.BestScore{Score: *s.BestScore})
	}
	if s.Patience > 0 {
		epoch = append(epoch, earlystopping.ScoreImprovement{Patience: s.Patience, MinImprovement: s.MinImprovement})
	}
	if s.MaxTime > 0 {
		steps = append(steps, earlystopping.MaxTime{Time: s.MaxTime})
	}
	if s.MaxScore != nil {
		steps = append(steps, earlystopping.MaxScore{Score: *s.MaxScore})
	}
	return append(epoch, s.Epoch...), append(append(steps, earlystopping.InvalidScore{}), s.Iteration...)
}

// config returns the configuration for a run of at most the given number of epochs.
func (s Stopping) config(epochs int, heldOut *distributed.Data, classes int) earlystopping.Config {
	epoch, steps := s.conditions()
	return earlystopping.Config{Epoch: append(epoch, earlystopping.MaxEpochs{Epochs: epochs}), Iteration: steps,
		Calculator: metrics[s.Metric](s, heldOut, classes), SaveLast: true, Every: s.Every}
}

// String describes when training ends.
func (s Stopping) String() string {
	epoch, steps := s.conditions()
	var all []string
	for _, c := range epoch {
		all = append(all, c.String())
	}
	for _, c := range steps {
		all = append(all, c.String())
	}
	return fmt.Sprintf("by the %s of the held-out data: %s", s.withDefaults("").Metric, strings.Join(all, ", "))
}

// Metrics lists the names that Stopping.Metric may have, in alphabetical order.
func Metrics() []string { return slices.Sorted(maps.Keys(metrics)) }
