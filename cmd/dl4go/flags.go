package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/engine"
	_ "github.com/dl4go/dl4go/engine/local"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/parallel"
)

// engineFlags say where work runs.
type engineFlags struct {
	master  string
	threads int
	kernel  string
}

func (f *engineFlags) add(fs *pflag.FlagSet, master string) {
	fs.StringVar(&f.master, "master", master, "`ENGINE` that does the work: local[N] for N workers in this process, processes[N] for N processes, [*] for one each processor")
	fs.IntVar(&f.threads, "threads", 0, "threads of each worker (default: the processors divided by the workers)")
	fs.StringVar(&f.kernel, "kernel", "", "instruction set of the computations: portable, avx2 or avx512 (default: the machine's best)")
}

// variant gives the instruction set.
func (f *engineFlags) variant() (*kernel.Variant, error) {
	v := kernel.Best()
	if f.kernel != "" {
		var err error
		if v, err = kernel.Parse(f.kernel); err != nil {
			return nil, usagef("--kernel: %w", err)
		}
	}
	return &v, nil
}

// open starts the engine.
func (f *engineFlags) open(ctx context.Context, o *output) (engine.Engine, error) {
	e, err := engine.Open(ctx, f.master, engine.Options{Threads: f.threads, Log: slog.New(warnings{output: o})})
	var wrong *engine.MasterError
	if errors.As(err, &wrong) {
		return nil, usagef("--master: %w", err)
	}
	return e, err
}

// choose finds a flag's value among those that it may have, in any case of letters.
func choose[T ~string](flag, value string, all ...T) (T, error) {
	var names []string
	for _, v := range all {
		if strings.EqualFold(string(v), value) {
			return v, nil
		}
		names = append(names, string(v))
	}
	return "", usagef("--%s %q: it is one of %s%s", flag, value, strings.Join(names, ", "), didYouMean(value, names))
}

// positive refuses numbers below 1 that were given, and more threads than there can be.
func positive(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if n, err := cmd.Flags().GetInt(name); err != nil {
			return err
		} else if n < 1 && cmd.Flags().Changed(name) {
			return usagef("--%s %d: it must be at least 1", name, n)
		} else if name == "threads" && n > parallel.MaxThreads {
			return usagef("--threads %d: there may be %d", n, parallel.MaxThreads)
		}
	}
	return nil
}

// required fails unless these flags were given.
func required(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := cmd.Flags().Lookup(name); f.Value.String() == "" {
			return usagef("--%s is needed: %s --help shows how", name, cmd.CommandPath())
		}
	}
	return nil
}

// didYouMean names what the word may have meant; empty if nothing is near.
func didYouMean(word string, known []string) string {
	best, distance := "", 3
	for _, k := range known {
		if d := levenshtein(strings.ToLower(word), strings.ToLower(k)); d < distance || d == distance && best == "" {
			best, distance = k, d
		}
	}
	if best == "" || distance >= len(strings.TrimLeft(word, "-")) {
		return ""
	}
	return "; did you mean " + best + "?"
}

// levenshtein is the number of letters to insert, remove or replace.
func levenshtein(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
