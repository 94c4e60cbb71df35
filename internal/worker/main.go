package worker

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/numa"
)

func init() {
	for _, f := range []Framing{Text, Binary} {
		engine.RegisterProtocol(f.Protocol(), func() { Main(f, func(s Streams) Streams { return s }) })
	}
}

// causeLimit leaves room for a preceding line in the 2048 bytes that Spark keeps of standard error.
const causeLimit = 1500

// drainLimit is how long a process that fails waits for Spark to read the cause.
const drainLimit = 2 * time.Minute

// Main runs this process's worker and ends the process: with exit code 0, 1 for a failure, or 3 for an attempt that did
// not end in time. Tests use change to damage the streams.
func Main(f Framing, change func(Streams) Streams) {
	in, out, err := takeStreams()
	if err != nil {
		fmt.Fprintln(os.Stderr, "dl4go: the worker can't set its output aside:", err)
		os.Exit(2)
	}
	signal.Ignore(os.Interrupt) // Ctrl-C is for the driver, which ends its workers
	go endWithParent()
	fail := func(err error, code int) {
		printCause(os.Stderr, err)
		if f == Text {
			hand(os.Stderr, drainLimit)
		}
		os.Exit(code)
	}
	err = Serve(change(Streams{in, out, os.Stderr}), f, func(err error) { fail(err, 3) }, settle)
	if err != nil {
		fail(err, 1)
	}
	os.Exit(0)
}

// settle keeps this process on one NUMA node of the machine, if one has enough free cores.
func settle(threads int) string {
	if on, ok := numa.Settle(threads); ok {
		return on.String()
	}
	return ""
}

// endWithParent ends the process soon after its parent, for systems without a signal for that.
func endWithParent() {
	parent := os.Getppid()
	for range time.Tick(time.Second) {
		if os.Getppid() != parent {
			os.Exit(4)
		}
	}
}

// printCause writes the last line of a worker that failed.
func printCause(to io.Writer, err error) {
	f := FailureOf(err)
	f.Stack = ""
	if len(f.Cause) > causeLimit {
		f.Cause = f.Cause[:causeLimit] + "…"
	}
	if len(f.Step) > causeLimit/4 { // names of many operations
		f.Step = f.Step[:causeLimit/4] + "…"
	}
	b, err := json.Marshal(f)
	if len(b) > causeLimit && f.Value != nil {
		f.Value = nil
		b, err = json.Marshal(f)
	}
	for err == nil && len(b) > causeLimit && f.Cause != "" { // escaped characters take more room
		f.Cause = f.Cause[:len(f.Cause)/2]
		b, err = json.Marshal(f)
	}
	fmt.Fprintf(to, "\n%s%s\n", causeMark, b)
}
