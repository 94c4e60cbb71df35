package stored

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// memoryFile is a file in memory, without a name.
func memoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("dl4go-examples", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, nil // the disk does as well
	}
	return os.NewFile(uintptr(fd), "examples in memory"), nil
}

// diskFile is a file in a directory, without a name: it is gone with the process.
func diskFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "dl4go-examples-*")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// pathOf is where other processes find a file for as long as this one has it.
func pathOf(f *os.File) string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd()) }

func remove(*os.File) {}

// mapping is the content of a file in memory, without a copy, until unmap. Nil: it can't be had.
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
