package kernel

import "testing"

func TestIntel(t *testing.T) {
	for text, want := range map[string]bool{
		"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n": true,
		"processor\t: 0\nvendor_id\t: AuthenticAMD\n":                  false,
		"model name\t: made by GenuineIntel\n":                         false,
		"processor\t: 0\nBogoMIPS\t: 243.75\n":                         false,
		"":                                                             false,
	} {
		if got := intel(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
