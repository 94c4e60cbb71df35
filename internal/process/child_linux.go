package process

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
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

// exiting reports whether a process that is not waited for yet has ended or is ending, however long that takes.
func exiting(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// The program's name is in brackets. State, five numbers and the flags follow it.
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(fields) < 7 {
		return false
	}
	const isExiting = 4 // PF_EXITING
	flags, err := strconv.ParseUint(fields[6], 10, 64)
	return err == nil && flags&isExiting != 0
}
