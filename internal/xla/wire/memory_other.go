//go:build !linux

package wire

import (
	"errors"
	"os"
)

// Memory is memory shared by two processes. It only exists on Linux, like XLA's device plugins.
type Memory struct{}

var errLinux = errors.New("device processes need Linux")

// NewMemory fails.
func NewMemory() (*Memory, error) { return nil, errLinux }

// File returns nil.
func (m *Memory) File() *os.File { return nil }

// Grow fails.
func (m *Memory) Grow(int) error { return errLinux }

// Bytes fails.
func (m *Memory) Bytes(_, _ int) ([]byte, error) { return nil, errLinux }

// Close does nothing.
func (m *Memory) Close() error { return nil }
