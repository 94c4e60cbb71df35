package worker

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// hand waits until the reader of a pipe has kept what was written, for limit at most. It returns at once for other
// files.
//
// Spark reports only what it has kept of standard error when the process ends. Its thread reads a piece of the pipe,
// keeps it, and reads the next piece. So once it has read what hand writes, it has kept what came before. A read takes
// several pieces if the next one is there already. That is why hand writes again and again, each time to an empty pipe.
func hand(pipe *os.File, limit time.Duration) {
	const again = 3
	if info, err := pipe.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return
	}
	end := time.Now().Add(limit)
	for range again {
		if !drain(pipe, end) {
			return
		}
		if _, err := pipe.WriteString("\n"); err != nil {
			return
		}
	}
	drain(pipe, end)
}

// drain waits until a pipe is empty, and reports whether it is.
func drain(pipe *os.File, end time.Time) bool {
	for {
		n, err := unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ)
		if err != nil || n == 0 {
			return err == nil
		}
		if time.Now().After(end) {
			return false
		}
		time.Sleep(time.Millisecond)
	}
}
