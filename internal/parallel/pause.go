//go:build (amd64 || arm64) && !noasm

package parallel

// pause tells the processor that this thread waits in a loop: for 10 to 50 ns, the core leaves its units to its other
// thread.
//
//go:noescape
func pause()
