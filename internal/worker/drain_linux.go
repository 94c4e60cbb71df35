package worker

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// drain waits until the other end of a pipe has read what was written, for limit at most. It returns at once for other
// files.
func drain(pipe *os.File, limit time.Duration) {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if n, err := unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ); err != nil || n == 0 {
			return
		}
	}
}
