package faulttest

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/dl4go/dl4go/internal/need"
)

// stop stops the process, as Ctrl-Z does. It returns when the process is resumed.
func stop() error { return syscall.Kill(os.Getpid(), syscall.SIGSTOP) }

// resume resumes a process. It is no error if the process has ended.
func resume(pid int) error {
	if err := syscall.Kill(pid, syscall.SIGCONT); err != syscall.ESRCH {
		return err
	}
	return nil
}

// hog limits the address space to 64 MiB more than is in use and allocates memory until that is exceeded.
func hog() error {
	var pages int
	b, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(b), &pages)
	}
	if err != nil {
		return err
	}
	most := uint64(pages*os.Getpagesize() + 64<<20)
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
		return err
	}
	var all [][]byte
	for len(all) < 1<<10 {
		all = append(all, make([]byte, 1<<20))
	}
	return errors.New("there was memory without end")
}

// MountSmall mounts a file system of the given size, such as 16k.
func MountSmall(t *testing.T, dir, size string) {
	t.Helper()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=777,size="+size)
	need.From(t, err, "run the tests as root, who may mount a small disk")
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
}
