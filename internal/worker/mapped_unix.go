//go:build unix

package worker

import (
	"os"

	"golang.org/x/sys/unix"
)

// smallValue is the largest size of a value that is read, not mapped.
const smallValue = 64 << 10

// readValue returns a file's contents, read only. It maps a large file into memory, so that the processes of a machine
// share one copy. free, if not nil, unmaps it.
func readValue(path string) (value []byte, free func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if size := info.Size(); size > smallValue && size == int64(int(size)) {
		if b, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED); err == nil {
			return b, func() { unix.Munmap(b) }, nil
		}
	}
	value, err = os.ReadFile(path)
	return value, nil, err
}
