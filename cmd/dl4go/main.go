// Command dl4go trains, evaluates and runs neural networks in Deeplearning4j's file formats.
//
// Exit codes: 0 success; 1 the work failed; 2 the command line was wrong; 130 interrupted; 141 the reader of the
// output has closed the pipe, as in dl4go … | head.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/tracing/otlp"
	"github.com/dl4go/dl4go/storage"
	_ "github.com/dl4go/dl4go/storage/hdfs"
	_ "github.com/dl4go/dl4go/storage/s3"
)

const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
	exitPipe        = 141 // as a shell reports a program that SIGPIPE ended
)

func main() {
	engine.Main()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	os.Exit(run(ctx, os.Args[1:]))
}

func run(ctx context.Context, args []string) int {
	root := rootCommand(args...)
	ctx, trace, untraced := otlp.Begin(ctx, traceName(root, args), os.Getenv)
	err := root.ExecuteContext(storage.Watched(ctx)) // data must not change between passes
	if untraced = cmp.Or(untraced, trace.End(err)); untraced != nil {
		fmt.Fprintln(os.Stderr, "dl4go: warning:", console.OneLine(untraced))
	}
	if err == nil {
		return 0
	}
	var usage *usageError
	var interrupted *interruptedError
	if out := (*console.Error)(nil); errors.As(err, &out) && errors.Is(out, syscall.EPIPE) {
		return exitPipe
	}
	code := exitFailed
	switch {
	case errors.As(err, &usage):
		code = exitUsage
	case errors.As(err, &interrupted):
		code = exitInterrupted
	case ctx.Err() != nil: // any failure is due to the interrupt
		err, code = interruptedf("nothing was completed"), exitInterrupted
	}
	fmt.Fprintln(os.Stderr, "dl4go:", console.OneLine(err))
	return code
}

// traceName returns the command in the arguments, without its own arguments.
func traceName(root *cobra.Command, args []string) string {
	if cmd, _, err := root.Find(args); err == nil {
		return cmd.CommandPath()
	}
	return root.Name()
}
