package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/storage/checkpoint"
)

// resumed is the checkpoint that a run goes on from.
type resumed struct {
	record
	dir *checkpoint.Directory
	net nn.Network
}

// readCheckpoint reads the last checkpoint and gives the flags that were not given the values that they had. Those that
// were must not contradict it.
func (t *training) readCheckpoint(cmd *cobra.Command) (err error) {
	dir, err := checkpoint.Open(cmd.Context(), t.checkpoints.resume, t.checkpoints.options(cmd))
	if err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	r := &resumed{dir: dir}
	defer func() {
		if err != nil {
			dir.Close()
		}
	}()
	model, damaged, err := dir.Last(&r.record)
	if err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	for _, d := range damaged {
		fmt.Fprintf(cmd.ErrOrStderr(), "dl4go: warning: a checkpoint is damaged; an earlier one takes its place: %v\n", oneLine(d))
	}
	if r.Version != recordVersion {
		return fmt.Errorf("--resume %s: these checkpoints are of version %d, and this dl4go goes on from version %d: train on with the dl4go that wrote them, "+
			"or begin a new run with their network: each of the files is a model for --model", dir.Path(), r.Version, recordVersion)
	}
	if r.net, err = nn.UnmarshalNetwork(model); err != nil {
		return fmt.Errorf("--resume %s: the model: %w", dir.Path(), err)
	}
	if err := r.restore(cmd); err != nil {
		return err
	}
	t.from = r
	return nil
}

// restore sets the flags.
func (r *resumed) restore(cmd *cobra.Command) error {
	flags, at := cmd.Flags(), r.dir.Path()
	for _, name := range fixed {
		f := flags.Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		had, was := r.Flags[name]
		if !was {
			had = []string{f.DefValue}
		}
		if given := valuesOf(f); !slices.Equal(given, had) {
			return usagef("--%s %s: the run in %s has %s, which can't change when it goes on",
				name, strings.Join(given, ","), at, strings.Join(had, ","))
		}
	}
	for name, values := range r.Flags {
		f := flags.Lookup(name)
		if f == nil {
			return fmt.Errorf("--resume %s: the run has a flag --%s, which this program does not know", at, name)
		}
		if f.Changed {
			continue
		}
		if err := setValues(flags, f, values); err != nil {
			return fmt.Errorf("--resume %s: the run's flag --%s: %w", at, name, err)
		}
	}
	for _, name := range r.Secret {
		if !flags.Changed(name) {
			return usagef("--%s is to be given again with --resume: it has a token, which checkpoints don't keep", name)
		}
	}
	if n, err := flags.GetInt("epochs"); err == nil && n > 0 && n < r.Epochs {
		return usagef("--epochs %d: the run in %s has done %d", n, at, r.Epochs)
	}
	return nil
}

// begins has the run begin where the checkpoint is, once the data is open.
func (t *training) begins() error {
	r := t.from
	if r == nil {
		return nil
	}
	found, err := fingerprintOf(t.train)
	if err != nil {
		return err
	}
	if d := found.differs(r.Data); d != "" {
		return fmt.Errorf("--data: %s has %s as when the run in %s began, which can only go on with the same data", t.train.Info().Name, d, r.dir.Path())
	}
	t.done, t.examples, t.part, t.score = r.Epochs, r.Examples, r.Part, r.Score
	return nil
}

// network is the checkpoint's.
func (r *resumed) network(title string, seed int64) (*network, error) {
	n := &network{Network: r.net, title: title, seed: seed, trained: true}
	return n, n.readNormalizer(r.dir.Path())
}

// resumes says where the run goes on; empty where it is a new one.
func (t *training) resumes() string {
	r := t.from
	if r == nil {
		return ""
	}
	s := fmt.Sprintf("%s, written %s: after %s", r.dir.Path(), r.Written.Local().Format("2006-01-02 15:04:05"), plural(r.Epochs, "epoch"))
	if r.Place != nil {
		s += fmt.Sprintf(" and %s examples", progress.Count(int64(r.Part.Examples)))
	}
	return s
}
