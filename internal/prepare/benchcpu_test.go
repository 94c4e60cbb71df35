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

// perCore reports megabytes per second of processor time, which does not count other programs on the machine. size is
// that of the file, and text that of the same rows as CSV.
func perCore(b *testing.B, size, text int, do func()) {
	b.ReportAllocs()
	n, before := 0, processorTime()
	for b.Loop() {
		do()
		n++
	}
	took := (processorTime() - before).Seconds()
	b.ReportMetric(float64(n)*float64(size)/1e6/took, "MB/s/core")
	if text != size {
		b.ReportMetric(float64(n)*float64(text)/1e6/took, "csv-MB/s/core")
		b.ReportMetric(float64(size)/1e6, "MB")
	}
}
