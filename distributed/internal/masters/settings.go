package masters

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
)

// Way is the name of a way of training. It begins errors and log lines.
type Way string

// Errorf makes an error that begins with the way's name.
func (w Way) Errorf(format string, args ...any) error {
	return fmt.Errorf(string(w)+": "+format, args...)
}

// AtLeast fails if the value of a setting is less than least.
func (w Way) AtLeast(setting string, value, least int) error {
	if value < least {
		return w.Errorf("%s is %d, it must be at least %d", setting, value, least)
	}
	return nil
}

// OneOf fails unless the value of a setting is one of all.
func OneOf[T ~string](w Way, setting string, value T, all ...T) error {
	if slices.Contains(all, value) {
		return nil
	}
	named := slices.DeleteFunc(all, func(v T) bool { return v == "" })
	return w.Errorf("%s is %q, it must be one of %q", setting, value, named)
}

// Settings are the settings that all of Deeplearning4j's masters have.
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

// ApproximateBalanced is a strategy of Deeplearning4j; here it is the same as Balanced.
const ApproximateBalanced distributed.Strategy = "ApproximateBalanced"

// Validate reports the first setting that is wrong.
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

// Kept returns where examples are kept between epochs.
func (s Settings) Kept() engine.StorageLevel {
	if s.Approach == distributed.Export {
		return s.LevelStreams
	}
	return s.Level
}

// Warnings collects log lines about settings without an effect.
type Warnings struct {
	Way
	Said []string
}

// Say adds a warning if a condition holds.
func (w *Warnings) Say(when bool, format string, args ...any) {
	if when {
		w.Said = append(w.Said, w.Errorf(format, args...).Error())
	}
}

// Ineffective warns of changed settings that have no effect beside the others.
func (s Settings) Ineffective(w *Warnings, usual Settings) {
	export := s.Approach == distributed.Export
	w.Say(export && s.Level != usual.Level,
		"storageLevel has no effect with Export: storageLevelStreams says how exported examples are kept")
	w.Say(!export && s.LevelStreams != usual.LevelStreams,
		"storageLevelStreams has no effect with Direct: storageLevel says how examples are kept")
	w.Say(!export && s.ExportDirectory != "", "exportDirectory has no effect with Direct")
	w.Say(!export && s.KeepExported, "keepExported has no effect with Direct")
}
