//go:build !noasm

package kernel

import "testing"

// TestNEON: the tests of the kernels run on NEON's if they run on arm64.
func TestNEON(t *testing.T) {
	if v, err := Parse("neon"); v != NEON || err != nil || Best() != NEON {
		t.Errorf("of %v, neon is %v (%v), and the best %v", Available(), v, err, Best())
	}
}
