package usage

import (
	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/registry"
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
	return Errorf("unknown command %q%s; %s --help lists the commands", args[0],
		registry.SuggestWord(args[0], names), cmd.CommandPath())
}

// NoArguments refuses arguments other than flags.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Errorf("%s takes flags only, got %q: %s --help lists them", cmd.CommandPath(), args[0], cmd.CommandPath())
	}
	return nil
}

// AtMostOne allows a command at most one argument other than flags.
func AtMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return Errorf("%s takes one name, got %d: %s --help shows how", cmd.CommandPath(), len(args), cmd.CommandPath())
	}
	return nil
}
