//go:build unix

package prepare_test

import (
	"syscall"
	"testing"
	"time"
)

// processorTime returns the processor time of this process so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// perCore reports megabytes per second of processor time, which does not count other programs on the machine.
func perCore(b *testing.B, size int, do func()) {
	b.ReportAllocs()
	n, before := 0, processorTime()
	for b.Loop() {
		do()
		n++
	}
	b.ReportMetric(float64(n)*float64(size)/1e6/(processorTime()-before).Seconds(), "MB/s/core")
}
