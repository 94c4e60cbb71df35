package process

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// endWithThread makes the kernel kill the process when the thread that starts it ends, as it does when this process
// ends.
func endWithThread(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// widen enlarges a pipe's buffer from its 64 KiB, so that both ends sleep less often. If that is refused, the buffer
// stays as it is.
func widen(pipe *os.File) {
	if c, err := pipe.SyscallConn(); err == nil {
		c.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}
