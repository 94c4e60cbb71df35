// Package flagvalues keeps the flags of a run as texts, and gives them to the command that goes on with the run.
package flagvalues

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/usage"
)

// Kept is what a run keeps of its flags.
type Kept struct {
	Values map[string][]string // by name: of the flags that were given
	Secret []string            // names of flags that were given, and whose values are not kept
	Epochs int                 // that the run has done
}

// Of returns a flag's values: several if it is a list.
func Of(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}

// Given returns the values of a flag by its name; none if there is no such flag, or if it was not given.
func Given(fs *pflag.FlagSet, name string) []string {
	if f := fs.Lookup(name); f != nil && f.Changed {
		return Of(f)
	}
	return nil
}

// Restore sets the flags of the run at a place that --resume names. A given flag keeps its value, which must be the
// run's if the flag is among those that are fixed.
func Restore(at string, kept Kept, flags *pflag.FlagSet, fixed []string) error {
	if err := kept.contradicted(at, flags, fixed); err != nil {
		return err
	}
	for name, values := range kept.Values {
		f := flags.Lookup(name)
		if f == nil {
			return fmt.Errorf("--resume %s: the run has a flag --%s, which this program does not know", at, name)
		}
		if f.Changed {
			continue
		}
		if err := set(flags, f, values); err != nil {
			return fmt.Errorf("--resume %s: the run's flag --%s: %w", at, name, err)
		}
	}
	for _, name := range kept.Secret {
		if !flags.Changed(name) {
			return usage.Errorf("--%s must be given again with --resume: it has a token, which checkpoints don't keep", name)
		}
	}
	if n, err := flags.GetInt("epochs"); err == nil && n > 0 && n < kept.Epochs {
		return usage.Errorf("--epochs %d: the run in %s has done %d; give more than %[3]d", n, at, kept.Epochs)
	}
	return nil
}

// contradicted refuses a given flag whose value must be the run's.
func (k Kept) contradicted(at string, flags *pflag.FlagSet, fixed []string) error {
	for _, name := range fixed {
		f := flags.Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		had, was := k.Values[name]
		if !was {
			had = []string{f.DefValue}
		}
		given := Of(f)
		switch {
		case slices.Equal(given, had):
		case !was && (f.DefValue == "" || f.DefValue == "0"): // a default that says nothing to the reader
			return usage.Errorf("--%s %s: the run in %s began without this flag, which can't change when it goes on",
				name, strings.Join(given, ","), at)
		default:
			return usage.Errorf("--%s %s: the run in %s has %s, which can't change when it goes on",
				name, strings.Join(given, ","), at, strings.Join(had, ","))
		}
	}
	return nil
}

// set sets a flag to the result of Of.
func set(flags *pflag.FlagSet, f *pflag.Flag, values []string) error {
	// Set, not Replace: a flag that was not set is missing in the next record.
	if _, ok := f.Value.(pflag.SliceValue); ok {
		return flags.Set(f.Name, source.JoinValues(values))
	}
	if len(values) != 1 {
		return fmt.Errorf("it has %d values", len(values))
	}
	return flags.Set(f.Name, values[0])
}

// Arguments returns the given flags as arguments of a command line, without those whose names skip has. bare is the
// value of a flag that may stand alone.
func Arguments(fs *pflag.FlagSet, skip []string, bare string) (args []string) {
	fs.Visit(func(f *pflag.Flag) {
		if slices.Contains(skip, f.Name) {
			return
		}
		for _, value := range Of(f) {
			if f.NoOptDefVal == "" {
				args = append(args, "--"+f.Name, value)
			} else {
				args = append(args, strings.TrimSuffix("--"+f.Name+"="+value, "="+bare))
			}
		}
	})
	return args
}
