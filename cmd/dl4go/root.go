package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/console"
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
	args, all := takeHelpAll(args)
	root := &cobra.Command{
		Use:   "dl4go",
		Short: "Train, evaluate and run neural networks: Deeplearning4j's networks and files, in one static binary",
		Long: `dl4go trains, evaluates and runs neural networks on one machine or on a Spark cluster.
It reads and writes Deeplearning4j's models, configurations and data sets.

  dl4go train                            a network for handwritten digits, 2 workers
  dl4go train --master sc://host:15002   the same on a Spark cluster
  dl4go doctor --master sc://host:15002  checks what the cluster lacks

A SOURCE of data is one of:
` + source.Forms() + `  csv:- or libsvm:-                   standard input; not for training
Settings such as label=COLUMN may also be flags: --label COLUMN.
A FILE may be a URL: s3://BUCKET/KEY or hdfs://HOST[:PORT]/PATH.

An ENGINE, for --master, is one of:
  local[N], local[*]                  N goroutines, or one for each processor
  processes[N]                        N processes
  sc://HOST[:15002][/;KEY=VALUE;…]    a Spark cluster; sc is that of SPARK_REMOTE`,
		Annotations: map[string]string{more: `
Exit codes: 0 done, 1 failed, 2 wrong command line, 130 interrupted, 141 standard output was closed.

More about a SOURCE:
` + source.Details() + `  stdin     needs classes=N, names=… or regression=true, because the labels are not known in advance.
With --master sc://…, the workers read dl4j: and libsvm: URLs themselves.

A model remembers the names of its columns and classes. Other commands match data by these names and refuse data that
does not fit. --by-position matches by position instead.

S3 takes the environment variables and files of the AWS tools; HDFS takes HADOOP_CONF_DIR and Kerberos tickets.

The keys of sc://… are Spark's own: use_ssl=true, token=…, user_id=…. Others can read the command line, so put a token in
--token-file, SPARK_CONNECT_AUTHENTICATE_TOKEN or SPARK_REMOTE. Nothing is installed on the cluster: dl4go sends itself.
--worker-binary KIND=FILE names the dl4go of executors of another kind, such as linux/arm64=FILE; file:///PATH names one
that lies on each executor already and is not sent. It may be given again.`},
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              usage.KnownCommand,
		PersistentPreRunE: usage.NoEmptyFlags,
		RunE:              func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.SetArgs(append([]string{}, args...))
	root.PersistentFlags().BoolP("help", "h", false, "show this help")
	root.PersistentFlags().Bool(helpAll, false, "show all flags, and explain more")
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { help(cmd.OutOrStdout(), cmd, all) })
	root.Version = version()
	root.SetVersionTemplate("{{.Version}}")
	root.Flags().Bool("version", false, "print version, commit, Go version and kernels")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(usage.FlagError)
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
	for _, cmd := range root.Commands() {
		explain(cmd)
		complete(cmd)
	}
	return root
}
