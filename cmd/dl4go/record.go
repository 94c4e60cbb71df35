package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/storage/checkpoint"
	"github.com/dl4go/dl4go/tensor"
)

// recordVersion is that of record.
const recordVersion = 2

// record is what a checkpoint holds beside the network.
type record struct {
	Version int       `json:"version"`
	Written time.Time `json:"written"`
	Began   time.Time `json:"began,omitzero"` // when the run did
	// Flags are those of the command line, and what became of flags whose default depends on something else.
	Flags map[string][]string `json:"flags"`
	// Secret are flags that were given and are not kept.
	Secret []string    `json:"secret,omitempty"`
	Data   fingerprint `json:"data"`

	Iteration int     `json:"iteration"` // the network's
	Epoch     int     `json:"epoch"`     // the network's
	Epochs    int     `json:"epochs"`    // that the run has done; 1 if it has done its iterations
	Examples  int     `json:"examples"`  // of these epochs
	Part      part    `json:"part"`      // of the epoch under way
	Score     float64 `json:"score"`     // the last one

	// Scores are those of early stopping.
	Scores []earlyScore `json:"scores,omitempty"`
	// Place is where the epoch, or the iterations, are; nil at their beginning.
	Place *distributed.Place `json:"place,omitempty"`
	// Sharing is gradient sharing's settings, with the threshold algorithm that the next epoch begins with.
	Sharing json.RawMessage `json:"sharing,omitempty"`
}

// part is what was trained of an epoch.
type part struct {
	Examples    int     `json:"examples"`
	Minibatches int     `json:"minibatches"` // of a worker; in gradient sharing, of all
	Scores      float64 `json:"scores"`      // the sum, an example each
}

// of is the part if it had so many examples.
func (p part) of(examples int) part {
	return part{examples, p.Minibatches, p.Scores * float64(examples) / float64(max(1, p.Examples))}
}

// Flags of train that a checkpoint does not keep, and those that a run can't change when it goes on.
var (
	momentary = []string{"resume", "checkpoint", "checkpoint-lease", "json", "dry-run", "help"}
	fixed     = append([]string{"model", "data", "training", "iterations", "batch", "pretrain", "pretrain-stopping", "seed", "normalize", "no-normalizer", "by-position", "workers", "early-stopping",
		"averaging-frequency", "aggregation-depth", "save-updater", "repartition", "repartition-strategy", "sharing-config", "updates-threshold"},
		queryOnly...)
)

// record tells how far the run is.
func (t *training) record(flags *pflag.FlagSet, data fingerprint, place *distributed.Place) (record, error) {
	r := record{Version: recordVersion, Written: time.Now().UTC().Truncate(time.Second), Began: t.began(), Flags: map[string][]string{}, Data: data,
		Epochs: t.done, Examples: t.examples, Part: t.part, Score: t.score, Scores: t.scores, Place: place}
	flags.Visit(func(f *pflag.Flag) {
		switch {
		case slices.Contains(momentary, f.Name):
		case f.Name == "master" && strings.Contains(strings.ToLower(t.master), ";token="):
			r.Secret = append(r.Secret, f.Name)
		default:
			r.Flags[f.Name] = valuesOf(f)
		}
	})
	settled := map[string]any{"model": t.model, "seed": t.seed, "kernel": t.kernels}
	if t.batch > 0 {
		settled["batch"] = t.batch
	}
	if t.iterations == 0 {
		settled["epochs"] = t.epochs
	}
	if t.training != byPlain {
		settled["workers"] = t.atOnce
	}
	for name, v := range settled {
		r.Flags[name] = []string{fmt.Sprint(v)}
	}
	var err error
	if s, ok := t.trainer.(*sharer); ok {
		if place != nil { // it is of a moment ago
			r.Part = t.part.of(place.Examples)
		}
		r.Sharing, err = s.master.Config().JSON()
	}
	return r, err
}

// began tells when the run did, whose parts this process's may be the last of.
func (t *training) began() time.Time {
	if t.from != nil {
		return t.from.Began
	}
	return t.begin.UTC()
}

func valuesOf(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}

// setValues gives a flag what valuesOf gave.
func setValues(flags *pflag.FlagSet, f *pflag.Flag, values []string) error {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		f.Changed = true
		return list.Replace(values)
	}
	if len(values) != 1 {
		return fmt.Errorf("it has %d values", len(values))
	}
	return flags.Set(f.Name, values[0])
}

// fingerprint tells data from other data.
type fingerprint struct {
	Examples int            `json:"examples"`
	Objects  int            `json:"objects"`
	Features []tensor.Shape `json:"features"`
	Labels   []tensor.Shape `json:"labels"`
	Sample   uint32         `json:"sample"` // CRC32C of some examples; 0 where they are not this machine's
}

// sampled is how many objects are looked at.
const sampled = 32

func fingerprintOf(s source.Source) (fingerprint, error) {
	info := s.Info()
	f := fingerprint{Examples: info.Examples, Objects: s.Objects(), Features: info.Features, Labels: info.Labels}
	switch s.(type) {
	case source.Table, *source.Saved:
	default:
		return f, nil
	}
	var row []byte
	for i := range sampled {
		m, err := s.Object(i * (f.Objects - 1) / (sampled - 1))
		if err != nil {
			return f, err
		}
		row = data.AppendRow(row[:0], m.Slice(0, 1))
		f.Sample = crc32.Update(f.Sample, crc32.MakeTable(crc32.Castagnoli), row)
	}
	return f, nil
}

// differs says in what other data differs; empty where it does not.
func (f fingerprint) differs(o fingerprint) string {
	for _, d := range []struct {
		what string
		a, b any
	}{
		{"%v examples, not %v", f.Examples, o.Examples},
		{"%v files, not %v", f.Objects, o.Objects},
		{"features of shape %v, not %v", f.Features, o.Features},
		{"labels of shape %v, not %v", f.Labels, o.Labels},
		{"other numbers in its examples: checksum %v, not %v", f.Sample, o.Sample},
	} {
		if fmt.Sprint(d.a) != fmt.Sprint(d.b) {
			return fmt.Sprintf(d.what, d.a, d.b)
		}
	}
	return ""
}

// existing says what to do where a new run can't have a directory.
func existing(err error, dir string) error {
	if errors.Is(err, checkpoint.ErrExists) {
		return fmt.Errorf("--checkpoint: %w; --resume %s goes on with it; for a new run, name another directory or remove that one", err, dir)
	}
	return fmt.Errorf("--checkpoint: %w", err)
}
