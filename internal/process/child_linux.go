package process

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// endWithThread has the kernel kill the process when the thread that starts it ends, as it does with this process.
func endWithThread(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// widen lets a pipe hold more than its 64 KiB, so that both ends sleep less often. Where that is refused it stays as it
// is.
func widen(pipe *os.File) {
	if c, err := pipe.SyscallConn(); err == nil {
		c.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}
