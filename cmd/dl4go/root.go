package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageError is a mistake in the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// interruptedError says what a Ctrl-C left.
type interruptedError struct{ err error }

func (e *interruptedError) Error() string { return "interrupted: " + e.err.Error() }
func (e *interruptedError) Unwrap() error { return e.err }

func interruptedf(format string, args ...any) error {
	return &interruptedError{fmt.Errorf(format, args...)}
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "dl4go",
		Short: "Train, evaluate and run neural networks: Deeplearning4j's networks and files, in one static binary",
		Long: `dl4go trains, evaluates and runs neural networks on one machine's workers or on a Spark cluster.
It reads and writes Deeplearning4j's model zips, configurations and data sets.

  dl4go train                            trains a convolutional network on handwritten digits with 2 workers
  dl4go train --master sc://host:15002   does so on a Spark cluster
  dl4go doctor --master sc://host:15002  says what the cluster lacks

Where data comes from (SOURCE):
  digits, digits:train, digits:test       1,797 handwritten digits of 8x8 pixels, built in
  idx:IMAGES,LABELS                       files as MNIST and Fashion-MNIST come, .gz too
  csv:FILE?label=COLUMN&classes=N         a table; header=true|false where a header isn't recognised; key=COLUMN are
                                          the examples' keys
  libsvm:FILE?features=N&classes=N        a file in LIBSVM's format; labels=-1,1 or regression=true where labels are not 0, 1, …;
                                          with --master sc://… and a URL it is the workers who read it
  dl4j:FILE-OR-DIRECTORY                  saved Deeplearning4j DataSets or MultiDataSets; with --master sc://…
                                          on the cluster's storage: hdfs://…, s3a://…
  sql:SELECT features, label FROM t       the rows of a query, with --master sc://…: arrays or columns of numbers;
                                          --features, --label, --classes and --shape say what they are
  csv:-?…, libsvm:-?features=N&…          standard input, for predict, evaluate and score, as it comes: classes=N, names=… or
                                          regression=true say what labels are. Other data, and training, which goes through the data
                                          many times, need files
Wherever a FILE is named, here and in flags, it may be a URL, s3://BUCKET/KEY or hdfs://HOST[:PORT]/PATH, with the
environment variables of the AWS tools and of Hadoop.

Where work runs (--master):
  local[N], processes[N], local[*]        workers on this machine
  sc://HOST[:15002][/;KEY=VALUE;…]        a Spark cluster, by its Spark Connect server, with the keys that Spark's own
                                          clients have: use_ssl=true, token=…, user_id=…
  sc                                      the server that SPARK_REMOTE names, in the environment
Nothing is installed on the cluster: dl4go sends itself. Better than on the command line, a token is in --token-file,
in SPARK_CONNECT_AUTHENTICATE_TOKEN or in SPARK_REMOTE.

Exit codes: 0 done, 1 failed, 2 wrong command line, 130 interrupted, 141 standard output was closed, as by head.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				var names []string
				for _, c := range cmd.Commands() {
					names = append(names, c.Name())
				}
				return usagef("unknown command %q%s; dl4go --help lists the commands", args[0], didYouMean(args[0], names))
			}
			return nil
		},
		PersistentPreRunE: noEmptyFlags,
		RunE:              func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 80"))
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		near := ""
		if errors.As(err, &unknown) {
			var names []string
			cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
			near = didYouMean("--"+unknown.GetSpecifiedName(), names)
		}
		var invalid *pflag.InvalidValueError
		var number *strconv.NumError
		if errors.As(err, &invalid) && errors.As(err, &number) {
			err = fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), number.Err)
		}
		return usagef("%w%s; %s --help lists the flags", err, near, cmd.CommandPath())
	})
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
	root.AddCommand(trainCommand(), evaluateCommand(), predictCommand(), scoreCommand(), summaryCommand(), convertCommand(), reportCommand(), doctorCommand(), cleanCommand(), coordinatorCommand())
	return root
}

// noArguments refuses what stands beside the flags.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes flags only, got %q: %s --help lists them", cmd.CommandPath(), args[0], cmd.CommandPath())
	}
	return nil
}

// noEmptyFlags refuses --resume "" and the like, which are mostly variables of a shell that are not set: a run without its
// checkpoint, or an evaluation without its mask, is not what was meant.
func noEmptyFlags(cmd *cobra.Command, _ []string) error {
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
	return usagef("--%s is given, but empty: give it a value, or leave it out", empty)
}

// oneLine gives an error as one line, whatever is in it.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}
