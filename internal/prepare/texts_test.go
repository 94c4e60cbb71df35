package prepare

import (
	"fmt"
	"testing"
)

// TestTexts: few and many distinct texts are found again by row. A row takes a byte if there are few.
func TestTexts(t *testing.T) {
	for _, distinct := range []int{1, 2, 256, 257, 1000} {
		var want []string
		for i := range 3000 {
			want = append(want, fmt.Sprint(i%distinct))
		}
		all := textsOf(want)
		if all.rows() != len(want) || len(all.all) != distinct {
			t.Errorf("%d texts: %d rows, %d texts", distinct, all.rows(), len(all.all))
		}
		for _, i := range []int{0, 255, 256, 1999, 2999} {
			if got := all.get(i); got != want[i] {
				t.Errorf("%d texts: row %d has %s, want %s", distinct, i, got, want[i])
			}
		}
		if few := distinct <= 256; few != (len(all.few) == len(want)) {
			t.Errorf("%d texts: %d rows take a byte each", distinct, len(all.few))
		}
	}
}
