package prepare

import (
	"fmt"
	"slices"
	"testing"
)

// TestTexts: few and many distinct texts are found again by row, and in a list. A row takes a byte if there are few.
func TestTexts(t *testing.T) {
	for _, distinct := range []int{1, 2, 256, 257, 1000} {
		var want []string
		for i := range 3000 {
			want = append(want, fmt.Sprint(i%distinct))
		}
		all := textsOf(want)
		if !slices.Equal(all.list(), want) || all.rows() != len(want) {
			t.Errorf("%d texts: the list differs", distinct)
		}
		for _, i := range []int{0, 255, 256, 2999} {
			if got := all.get(i); got != want[i] {
				t.Errorf("%d texts: row %d has %s, want %s", distinct, i, got, want[i])
			}
			if got := all.index(want[i]); got != i%distinct {
				t.Errorf("%d texts: %s is first in row %d, want %d", distinct, want[i], got, i%distinct)
			}
		}
		if all.index("none") >= 0 {
			t.Errorf("%d texts: there is one too many", distinct)
		}
		if few := distinct <= 256; few != (len(all.few) == len(want)) {
			t.Errorf("%d texts: %d rows take a byte each", distinct, len(all.few))
		}
	}
}
