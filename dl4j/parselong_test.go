package dl4j

import (
	"strings"
	"testing"
)

// Deeplearning4j's confusion matrix of a million examples has a million zeros of padding.
func TestParseTakesAMillionCounts(t *testing.T) {
	v, err := parseLong(`{"counts" : [` + strings.Repeat("0, ", 1<<20) + "0]}")
	if err != nil {
		t.Fatal(err)
	}
	counts, _ := v.(Object).Get("counts")
	if n := len(counts.([]any)); n != 1<<20+1 {
		t.Errorf("%d values", n)
	}
	if _, err := parseLong("[" + strings.Repeat("0,", 1<<20) + "0]"); err == nil {
		t.Error("as many as there is room for are taken")
	}
}
