//go:build !linux

package faulttest

import (
	"errors"
	"testing"

	"github.com/dl4go/dl4go/internal/need"
)

var errLinux = errors.New("faulttest: only Linux has this")

func stop() error { return errLinux }

func resume(int) error { return errLinux }

func hog() error { return errLinux }

// MountSmall skips the test.
func MountSmall(t *testing.T, _, _ string) { need.From(t, errLinux, "run the tests on Linux") }
