package checkup

import "testing"

func TestBudget(t *testing.T) {
	for text, want := range map[string]int64{"500MB": 5e8, "1.5 GB": 15e8, "2GiB": 2 << 30, "64K": 64 << 10, "1000": 1000,
		"7B": 7, "1TB": 1e12} {
		if got, err := Budget(text); got != want || err != nil {
			t.Errorf("%s: %d (%v)", text, got, err)
		}
	}
	for _, text := range []string{"GB", "much", "-1GB", "0", "NaN", "Inf", "1e300GB", "0.1B"} {
		if got, err := Budget(text); err == nil {
			t.Errorf("%s is %d", text, got)
		}
	}
	if got, err := Budget(""); got <= 0 || err != nil {
		t.Errorf("by default %d (%v)", got, err)
	}
}
