//go:build unix

package worker

import (
	"os"

	"golang.org/x/sys/unix"
)

// takeStreams returns the input and output that the process was started with. It redirects standard output to standard
// error, so that output of the user's code, and of processes that it starts, does not come between the records.
func takeStreams() (in, out *os.File, err error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.Dup2(2, 1); err != nil {
		return nil, nil, err
	}
	return os.Stdin, os.NewFile(uintptr(fd), "records"), nil
}
