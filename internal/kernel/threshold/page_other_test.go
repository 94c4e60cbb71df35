//go:build !linux

package threshold

import "testing"

// atEnd gives n bytes.
func atEnd(_ *testing.T, n int) []byte { return make([]byte, n) }
