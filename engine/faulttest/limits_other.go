//go:build !linux

package faulttest

import (
	"errors"
	"testing"
)

var errLinux = errors.New("faulttest: only Linux has this")

func stop() error { return errLinux }

func resume(int) error { return errLinux }

func hog() error { return errLinux }

// MountSmall skips the test.
func MountSmall(t *testing.T, _ string) { t.Skip(errLinux) }
