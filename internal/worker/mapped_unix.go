//go:build unix

package worker

import (
	"os"

	"golang.org/x/sys/unix"
)

// smallValue is the size up to which a value is read.
const smallValue = 64 << 10

// readValue gives a file's content, read only: a large one as the system has it in memory, so that the processes of a
// machine have one copy between them. free, if not nil, takes it away.
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
