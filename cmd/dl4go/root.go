package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/about"
	"github.com/dl4go/dl4go/internal/arguments"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/manual"
	"github.com/dl4go/dl4go/internal/usage"
)

// usageError is a mistake in the command line.
type usageError = usage.Error

func usagef(format string, args ...any) error { return usage.Errorf(format, args...) }

// newOutput makes the output of a command.
func newOutput(cmd *cobra.Command, asJSON bool) *console.Output {
	return console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), asJSON)
}

type event = console.Event

// interruptedError tells what an interrupted command left.
type interruptedError struct{ err error }

func (e *interruptedError) Error() string { return "interrupted: " + e.err.Error() }
func (e *interruptedError) Unwrap() error { return e.err }

func interruptedf(format string, args ...any) error {
	return &interruptedError{fmt.Errorf(format, args...)}
}

// rootCommand returns the command line; args, if any, are its arguments.
func rootCommand(args ...string) *cobra.Command {
	args, all := manual.TakeAll(args)
	root := &cobra.Command{
		Use: "dl4go",
		Short: "Train, evaluate and run neural networks: Deeplearning4j's networks and files, in one static " +
			"binary",
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              arguments.KnownCommand,
		PersistentPreRunE: arguments.NoEmptyFlags,
		RunE: func(cmd *cobra.Command, args []string) error {
			if asked, _ := cmd.Flags().GetBool("version"); !asked {
				return cmd.Help()
			}
			_, err := io.WriteString(cmd.OutOrStdout(), about.Program())
			return err
		},
	}
	root.PersistentFlags().BoolP("help", "h", false, "show this help")
	root.PersistentFlags().Bool(manual.All, false, "show all flags, and explain more")
	var explained []*cobra.Command
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		if slices.Contains(explained, cmd) {
			explain(cmd)
		}
		help(cmd.OutOrStdout(), cmd, all)
	})
	root.Flags().Bool("version", false, "print version, commit, Go version and kernels")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(arguments.FlagError)
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err == nil {
				err = cmd.ValidateArgs(rest)
			}
			if err != nil {
				return err
			}
			return cmd.Help()
		},
	})
	root.AddCommand(trainCommand(), tuneCommand(), evaluateCommand(), predictCommand(), scoreCommand(), transformCommand(),
		inspectCommand(), summaryCommand(), convertCommand(), serveCommand(), reportCommand(), uiCommand(), doctorCommand(),
		cleanCommand(),
		coordinatorCommand(), schemaCommand(), deviceCommand())
	explained = append(root.Commands(), root)
	settings := source.Settings()
	for _, cmd := range explained {
		cmd.Flags().SortFlags = false
		complete(cmd, settings)
	}
	root.SetArgs(append([]string{}, arguments.Joined(root, args)...))
	return root
}
