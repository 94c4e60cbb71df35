// Package usage reports mistakes in a command line, and checks what all command lines have in common: the number of
// arguments, empty flags, numbers, and values that are one of a few.
package usage

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/internal/parallel"
	"github.com/dl4go/dl4go/internal/registry"
)

// Error is a mistake in the command line.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an [Error].
func Errorf(format string, args ...any) error { return &Error{fmt.Errorf(format, args...)} }

// Choose finds a flag's value among the allowed ones, regardless of case.
func Choose[T ~string](flag, value string, all ...T) (T, error) {
	var names []string
	for _, v := range all {
		if strings.EqualFold(string(v), value) {
			return v, nil
		}
		names = append(names, string(v))
	}
	return "", Errorf("--%s %q: it is one of %s%s", flag, value, strings.Join(names, ", "),
		registry.SuggestWord(value, names))
}

// Positive refuses given numbers below 1, and more threads than possible.
func Positive(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if n, err := cmd.Flags().GetInt(name); err != nil {
			return err
		} else if n < 1 && cmd.Flags().Changed(name) {
			return Errorf("--%s %d: it must be at least 1", name, n)
		} else if name == "threads" && n > parallel.MaxThreads {
			return Errorf("--threads %d: there may be %d", n, parallel.MaxThreads)
		}
	}
	return nil
}

// Required fails unless these flags were given.
func Required(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := cmd.Flags().Lookup(name); f.Value.String() == "" {
			return Errorf("--%s is needed: %s --help shows how", name, cmd.CommandPath())
		}
	}
	return nil
}

// FlagError explains why a flag was refused: it is unknown, or its value has the wrong form.
func FlagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	near := ""
	if errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		near = registry.SuggestWord("--"+unknown.GetSpecifiedName(), names)
	}
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	if errors.As(err, &invalid) && errors.As(err, &number) {
		err = fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), number.Err)
	}
	return Errorf("%w%s; %s --help lists the flags", err, near, cmd.CommandPath())
}

// NoEmptyFlags refuses --resume "" and the like, which mostly come from unset variables of a shell: a run without its
// checkpoint, or an evaluation without its mask, is not what was intended.
func NoEmptyFlags(cmd *cobra.Command, _ []string) error {
	var empty string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		list, several := f.Value.(pflag.SliceValue)
		if several && len(list.GetSlice()) == 0 || f.Value.String() == "" {
			empty = f.Name
		}
	})
	if empty == "" {
		return nil
	}
	return Errorf("--%s is given, but empty: give it a value, or leave it out", empty)
}
