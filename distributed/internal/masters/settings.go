package masters

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
)

// Way names a way of training. It begins errors, and lines of the log.
type Way string

// Errorf makes an error.
func (w Way) Errorf(format string, args ...any) error {
	return fmt.Errorf(string(w)+": "+format, args...)
}

// AtLeast fails for a setting that is less.
func (w Way) AtLeast(setting string, value, least int) error {
	if value < least {
		return w.Errorf("%s is %d, it must be at least %d", setting, value, least)
	}
	return nil
}

// OneOf fails for a setting that is something else.
func OneOf[T ~string](w Way, setting string, value T, all ...T) error {
	if slices.Contains(all, value) {
		return nil
	}
	return w.Errorf("%s is %q, it must be one of %q", setting, value, all)
}

// Settings are those of Deeplearning4j's masters that all have.
type Settings struct {
	ExamplesPerObject    int // rddDataSetNumExamples
	Workers              int // numWorkers
	Repartition          distributed.Repartition
	Strategy             distributed.Strategy
	Approach             distributed.Approach
	ExportDirectory      string
	KeepExported         bool
	Level, LevelStreams  engine.StorageLevel
	CollectTrainingStats bool
}

// ApproximateBalanced is Deeplearning4j's name for a strategy that is Balanced here.
const ApproximateBalanced distributed.Strategy = "ApproximateBalanced"

// Validate names the first setting that is wrong.
func (s Settings) Validate(w Way) error {
	for _, err := range []error{
		w.AtLeast("rddDataSetNumExamples", s.ExamplesPerObject, 1),
		w.AtLeast("numWorkers", s.Workers, 0),
		OneOf(w, "repartition", s.Repartition, distributed.Always, distributed.Never,
			distributed.NumPartitionsWorkersDiffers),
		OneOf(w, "repartitionStrategy", s.Strategy, distributed.Balanced, distributed.SparkDefault, ApproximateBalanced),
		OneOf(w, "rddTrainingApproach", s.Approach, distributed.Export, distributed.Direct),
	} {
		if err != nil {
			return err
		}
	}
	for _, level := range []engine.StorageLevel{s.Level, s.LevelStreams} {
		if _, err := engine.ParseStorageLevel(string(level)); err != nil {
			return w.Errorf("%w", err)
		}
	}
	return nil
}

// Kept is where examples are kept between epochs.
func (s Settings) Kept() engine.StorageLevel {
	if s.Approach == distributed.Export {
		return s.LevelStreams
	}
	return s.Level
}

// Warnings are sentences for the log about settings without an effect.
type Warnings struct {
	Way
	Said []string
}

// Say warns where a condition holds.
func (w *Warnings) Say(when bool, format string, args ...any) {
	if when {
		w.Said = append(w.Said, w.Errorf(format, args...).Error())
	}
}

// Ineffective warns of settings, changed from the usual ones, that have no effect beside the others.
func (s Settings) Ineffective(w *Warnings, usual Settings) {
	export := s.Approach == distributed.Export
	w.Say(export && s.Level != usual.Level,
		"storageLevel has no effect with Export: storageLevelStreams says how exported examples are kept")
	w.Say(!export && s.LevelStreams != usual.LevelStreams,
		"storageLevelStreams has no effect with Direct: storageLevel says how examples are kept")
	w.Say(!export && s.ExportDirectory != "", "exportDirectory has no effect with Direct")
	w.Say(!export && s.KeepExported, "keepExported has no effect with Direct")
}
