package process

import (
	"os/exec"
	"syscall"
)

// endWithThread has the kernel kill the process when the thread that starts it ends, as it does with this process.
func endWithThread(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
