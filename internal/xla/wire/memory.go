//go:build linux

package wire

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Memory is memory shared by two processes. It grows on demand, and has no name in the file system.
type Memory struct {
	file *os.File
	data []byte
}

// NewMemory makes shared memory.
func NewMemory() (*Memory, error) {
	fd, err := unix.MemfdCreate("dl4go", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	return &Memory{file: os.NewFile(uintptr(fd), "shared memory")}, nil
}

// Inherited returns the memory that the parent process passed as a file descriptor.
func Inherited(fd uintptr) *Memory { return &Memory{file: os.NewFile(fd, "shared memory")} }

// File returns the file for a child process to inherit.
func (m *Memory) File() *os.File { return m.file }

// Grow makes room for n bytes. Slices of the memory become invalid.
func (m *Memory) Grow(n int) error {
	if n <= len(m.data) {
		return nil
	}
	n += n / 2
	if err := m.file.Truncate(int64(n)); err != nil {
		return fmt.Errorf("shared memory of %d bytes: %w", n, err)
	}
	return m.mapped(n)
}

// Bytes returns a range of the memory, which it maps in its current size.
func (m *Memory) Bytes(offset, n int) ([]byte, error) {
	if offset < 0 || n < 0 || offset > offset+n {
		return nil, fmt.Errorf("shared memory has no range of %d bytes from %d", n, offset)
	}
	if offset+n > len(m.data) {
		info, err := m.file.Stat()
		if err != nil {
			return nil, err
		}
		if int64(offset+n) > info.Size() {
			return nil, fmt.Errorf("shared memory has %d bytes, no range of %d from %d", info.Size(), n, offset)
		}
		if err := m.mapped(int(info.Size())); err != nil {
			return nil, err
		}
	}
	return m.data[offset : offset+n : offset+n], nil
}

func (m *Memory) mapped(n int) error {
	data, err := unix.Mmap(int(m.file.Fd()), 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("shared memory of %d bytes: %w", n, err)
	}
	old := m.data
	m.data = data
	if old != nil {
		return unix.Munmap(old)
	}
	return nil
}

// Close unmaps the memory.
func (m *Memory) Close() error {
	err := m.file.Close()
	if m.data != nil {
		if e := unix.Munmap(m.data); err == nil {
			err = e
		}
		m.data = nil
	}
	return err
}
