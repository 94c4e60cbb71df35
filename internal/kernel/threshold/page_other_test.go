//go:build !linux

package threshold

import "testing"

// atEnd returns n bytes.
func atEnd(_ *testing.T, n int) []byte { return make([]byte, n) }
