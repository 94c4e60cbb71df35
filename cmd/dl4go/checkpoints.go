package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/internal/flagvalues"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/train"
)

// checkpointFlags say where checkpoints are kept.
type checkpointFlags struct {
	dir, resume  string
	every, lease time.Duration
}

func (f *checkpointFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.dir, "checkpoint", "", "`DIR` keep checkpoints here, on disk, S3 or HDFS")
	fs.DurationVar(&f.every, "checkpoint-every", time.Minute, "`TIME` time between checkpoints")
	fs.DurationVar(&f.lease, "checkpoint-lease", train.DefaultPeriod, "`TIME` how long a silent run keeps DIR")
	fs.StringVar(&f.resume, "resume", "", "`DIR` continue the run whose checkpoints are here")
}

func (f *checkpointFlags) check(given func(string) bool) error {
	if f.dir == "" {
		f.dir = f.resume
	}
	if given("checkpoint-every") && f.dir == "" {
		return usagef("--checkpoint-every goes with --checkpoint DIRECTORY")
	}
	if given("checkpoint-lease") && !storage.IsURL(f.dir) && !storage.IsURL(f.resume) {
		return usagef("--checkpoint-lease goes with a directory on S3 or HDFS: on this machine's disk the lock of a run " +
			"ends with it")
	}
	if f.lease < time.Second {
		return usagef("--checkpoint-lease %v: it must be a second or more", f.lease)
	}
	if f.every <= 0 {
		return usagef("--checkpoint-every %v: it must be more than 0", f.every)
	}
	return nil
}

// claim describes how the run claims the directory.
func (f *checkpointFlags) claim(cmd *cobra.Command) train.Claim {
	return train.Claim{Period: f.lease, Waiting: func(o train.Owner, most time.Duration) {
		fmt.Fprintf(cmd.ErrOrStderr(),
			"dl4go: waiting up to %v, to see whether the run that has the checkpoints has died (%v)\n", most, o)
	}}
}

// momentary are flags of train that a checkpoint does not store.
var momentary = []string{
	"resume", "checkpoint", "checkpoint-lease", "json", "dry-run", "fast-dev-run", "profile", "find-learning-rate", "help",
}

// notes returns the flags that a checkpoint stores, with the values of those whose default depends on the data.
func (t *training) notes(flags *pflag.FlagSet) train.Notes {
	n := train.Notes{Values: map[string][]string{}}
	flags.Visit(func(f *pflag.Flag) {
		switch {
		case slices.Contains(momentary, f.Name):
		case f.Name == "master" && strings.Contains(strings.ToLower(t.Master), ";token="):
			n.Secret = append(n.Secret, f.Name)
		default:
			n.Values[f.Name] = flagvalues.Of(f)
		}
	})
	n.Values["model"] = []string{t.Model}
	return n
}
