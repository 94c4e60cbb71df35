//go:build linux && (amd64 || arm64)

// Command dl4go-xla is the device process of dl4go: dl4go starts it, and it runs programs on XLA's devices, such as
// GPUs. It is a separate program because it loads shared libraries, which dl4go, being linked statically, cannot.
package main

import (
	"fmt"
	"os"
	"os/signal"

	"github.com/dl4go/dl4go/internal/xla/device"
	"github.com/dl4go/dl4go/internal/xla/wire"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] != "serve" {
		fmt.Fprintln(os.Stderr, "dl4go-xla is started by dl4go, with --device; there is nothing to do with it by hand")
		os.Exit(2)
	}
	// Ctrl-C is sent to the whole process group. dl4go decides when this process ends, by closing its standard input.
	signal.Ignore(os.Interrupt)
	answers := os.NewFile(wire.AnswersFile, "answers")
	if err := device.Serve(os.Stdin, answers, wire.Inherited(wire.MemoryFile)); err != nil {
		fmt.Fprintln(os.Stderr, "dl4go-xla:", err)
		os.Exit(1)
	}
}
