package onnx

import (
	"slices"
	"testing"
)

// TestLengthsDiffer: the lengths that are tried have different remainders, also after a division by strides. Otherwise
// a shape that depends on them would look like one that does not.
func TestLengthsDiffer(t *testing.T) {
	for _, further := range []bool{false, true} {
		all := points(4, further)
		for i := range 4 {
			for _, stride := range []int{1, 2, 3, 4, 5, 6, 8, 9, 12} {
				for shift := -5; shift <= 5; shift++ {
					for divisor := 2; divisor <= 4; divisor++ {
						var rest []int
						for _, p := range all {
							rest = append(rest, (p.times[i]+shift)/stride%divisor)
						}
						if slices.Sort(rest); rest[0] == rest[len(rest)-1] {
							t.Errorf("length %d: (n%+d)/%d has only the remainder %d by %d", i, shift, stride, rest[0], divisor)
						}
					}
				}
			}
		}
	}
}
