//go:build unix

package sharing

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// BenchmarkRelease measures the coordinator's part of a step: from the last update to the release, which includes
// decoding and adding up, and then catching up with it. µs-wait is the time for which workers wait, and µs-behind that
// of catching up, while workers go on. µs-processor is the processor time of all that, with all threads. Each is the
// least of all rounds, so that other processes matter little.
func BenchmarkRelease(b *testing.B) {
	for _, workers := range []int{2, 8, 32, 128, 1000} {
		for _, coding := range []Coding{CompactCoding, DenseCoding} {
			for threads := 1; threads <= runtime.GOMAXPROCS(0); threads *= 2 {
				b.Run(fmt.Sprintf("%dworkers/%s/%dthreads", workers, coding, threads), func(b *testing.B) {
					r, payloads := releasing(b, workers, threads, coding)
					before, after, busy := time.Hour, time.Hour, time.Hour
					for b.Loop() {
						began, used := time.Now(), processorTime()
						r.Expect(payloads)
						for _, p := range payloads {
							if err := r.Apply(&coordination.Entry{Payload: p}); err != nil {
								b.Fatal(err)
							}
						}
						if r.Summed {
							if _, err := r.Sum(); err != nil {
								b.Fatal(err)
							}
						}
						released := time.Now()
						r.catchUp()
						before, after = min(before, released.Sub(began)), min(after, time.Since(released))
						busy = min(busy, processorTime()-used)
					}
					b.ReportMetric(float64(before.Microseconds()), "µs-wait")
					b.ReportMetric(float64(after.Microseconds()), "µs-behind")
					b.ReportMetric(float64(busy.Microseconds()), "µs-processor")
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(float64(r.released)/float64(r.updates)*float64(workers), "B/release")
				})
			}
		}
	}
}

// processorTime returns the processor time of this process so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
