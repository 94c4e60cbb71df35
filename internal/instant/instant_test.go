package instant

import (
	"bytes"
	"testing"
)

// TestOrder: each text comes after the one before it.
func TestOrder(t *testing.T) {
	for _, list := range [][]string{
		{"-inf", "-1e30", "-9223372036854775808", "-2.5", "-2", "0", "0.25", "3", "9007199254740992", "9007199254740993",
			"1e19", "2e19", "inf"},
		{"1500-01", "1999-12-31", "2024-01-05", "2024-01-05 10:00", "2024-01-05T10:00:01", "2024-01-05T10:00:01.5Z",
			"2024-01-05T09:00:02-02:00", "06.01.2024", "2024/01/07", "9999-01-01"},
	} {
		for k := range list[1:] {
			a, ok := Parse(list[k])
			b, also := Parse(" " + list[k+1])
			if !ok || !also || a.Compare(b) >= 0 || b.Compare(a) <= 0 || a.Compare(a) != 0 || a.Date != b.Date {
				t.Errorf("%s does not come before %s", list[k], list[k+1])
			}
			if low, high := a.Key(), b.Key(); bytes.Compare(low[:], high[:]) >= 0 {
				t.Errorf("the key of %s does not come before that of %s", list[k], list[k+1])
			}
		}
	}
	for _, text := range []string{"", "NaN", "noon", "2024-13-01"} {
		if _, ok := Parse(text); ok {
			t.Errorf("%q is taken for a number or a date", text)
		}
	}
}
