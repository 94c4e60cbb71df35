package stored

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// memoryFile creates a file in memory, without a name.
func memoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("dl4go-examples", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, nil // use the disk instead
	}
	return os.NewFile(uintptr(fd), "examples in memory"), nil
}

// diskFile creates a file without a name in a directory: it vanishes with the process.
func diskFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "dl4go-examples-*")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// pathOf returns the path by which other processes can open a file while this process has it open.
func pathOf(f *os.File) string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd()) }

func remove(*os.File) {}

// mapping returns the content of a file in memory, without a copy, valid until unmap. It is nil if mapping fails.
func mapping(f *os.File) []byte {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 || info.Size() != int64(int(info.Size())) {
		return nil
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	return b
}

func unmap(b []byte) { unix.Munmap(b) }

func soon(f *os.File, at, n int64) { unix.Fadvise(int(f.Fd()), at, n, unix.FADV_WILLNEED) }
