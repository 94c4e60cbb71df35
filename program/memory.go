package program

import "fmt"

// MemoryError means that a program does not fit into the memory of its device.
type MemoryError struct {
	Device string // the device's model
	Needs  int64  // bytes of one run, 0 if unknown
	Has    int64  // bytes available to programs, 0 if unknown
	// Batch is the number of examples of the minibatch. Fits is a number that fits: 0 if it is unknown, below 0 if not
	// even one fits.
	Batch, Fits int
	Cause       error // the device's own error; nil if the program was not run
}

// Error says how much memory is needed, and what to do.
func (e *MemoryError) Error() string {
	mib := func(n int64) int64 { return (n + 1<<20 - 1) >> 20 }
	text := fmt.Sprintf("the %s is out of memory", e.Device)
	if e.Needs > 0 {
		text = fmt.Sprintf("%s: the program needs %d MiB", text, mib(e.Needs))
	}
	switch {
	case e.Has > 0 && e.Has >= e.Needs && e.Cause != nil:
		text = fmt.Sprintf("%s; part of its %d MiB is taken", text, e.Has>>20)
	case e.Has > 0:
		text = fmt.Sprintf("%s; %d MiB are there for it", text, e.Has>>20)
	}
	switch {
	case e.Fits > 0:
		text = fmt.Sprintf("%s; a batch of %d in place of %d fits", text, e.Fits, e.Batch)
	case e.Fits < 0 && e.Cause != nil:
		text += "; not even a batch of 1 fits: end what else uses the device, or use another one or a smaller network"
	case e.Fits < 0:
		text += "; not even a batch of 1 fits: use a smaller network, or another device"
	default:
		text += "; use a smaller batch, or end what else uses the device"
	}
	if e.Cause != nil {
		text = fmt.Sprintf("%s: %v", text, e.Cause)
	}
	return text
}

func (e *MemoryError) Unwrap() error { return e.Cause }
