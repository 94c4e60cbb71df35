// Package arguments checks what all commands have in common: the number of arguments, empty and missing flags, and
// numbers. What it refuses is a [usage.Error].
package arguments

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/internal/parallel"
	"github.com/dl4go/dl4go/internal/registry"
	"github.com/dl4go/dl4go/internal/usage"
)

// KnownCommand refuses arguments of the program itself, which are names of unknown commands.
func KnownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return usage.Errorf("unknown command %q%s; %s --help lists the commands", args[0],
		registry.SuggestWord(args[0], names), cmd.CommandPath())
}

// NoArguments refuses arguments other than flags.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		at := cmd.CommandPath()
		return usage.Errorf("%s takes flags only, got %q: %s --help lists them", at, args[0], at)
	}
	return nil
}

// Joined joins flags whose value may be left out with values that follow them as arguments of their own: --ui HOST:PORT
// becomes --ui=HOST:PORT. Commands that take arguments other than flags are left alone.
func Joined(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd == root || cmd.ValidateArgs([]string{"x"}) == nil {
		return args
	}
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...)
		}
		if i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") && mayStandAlone(cmd, arg) {
			i++
			arg += "=" + args[i]
		}
		out = append(out, arg)
	}
	return out
}

// mayStandAlone reports whether an argument is a flag that may have a value.
func mayStandAlone(cmd *cobra.Command, arg string) bool {
	name, ok := strings.CutPrefix(arg, "--")
	f := cmd.Flags().Lookup(name)
	return ok && f != nil && f.NoOptDefVal != "" && f.Value.Type() != "bool"
}

// AtMostOne allows a command at most one argument other than flags.
func AtMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage.Errorf("%s takes one name, got %d: %s --help shows how", cmd.CommandPath(), len(args), cmd.CommandPath())
	}
	return nil
}

// Positive refuses given numbers below 1, and more threads than possible.
func Positive(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if n, err := cmd.Flags().GetInt(name); err != nil {
			return err
		} else if n < 1 && cmd.Flags().Changed(name) {
			return usage.Errorf("--%s %d: it must be at least 1", name, n)
		} else if name == "threads" && n > parallel.MaxThreads {
			return usage.Errorf("--threads %d: there may be %d", n, parallel.MaxThreads)
		}
	}
	return nil
}

// Required fails unless these flags were given.
func Required(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := cmd.Flags().Lookup(name); f.Value.String() == "" {
			return usage.Errorf("--%s is needed: %s --help shows how", name, cmd.CommandPath())
		}
	}
	return nil
}

// wanted names what functions of package strconv read, unless it is a whole number.
var wanted = map[string]string{"ParseFloat": "a number", "ParseBool": "true or false"}

// FlagError explains why a flag was refused: it is unknown, or its value has the wrong form. If it is one of an unknown
// command, that is the mistake.
func FlagError(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 {
		return KnownCommand(cmd, cmd.Flags().Args())
	}
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
		reason := number.Err.Error()
		if errors.Is(number.Err, strconv.ErrSyntax) {
			reason = cmp.Or(wanted[number.Func], "a whole number") + " should be here"
		}
		err = fmt.Errorf("--%s %q: %s", invalid.GetFlag().Name, invalid.GetValue(), reason)
	}
	return usage.Errorf("%w%s; %s --help lists the flags", err, near, cmd.CommandPath())
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
	return usage.Errorf("--%s is given, but empty: give it a value, or leave it out", empty)
}
