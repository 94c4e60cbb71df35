package spark

import (
	"slices"
	"testing"
)

func TestNameParts(t *testing.T) {
	for name, want := range map[string][]string{
		"t":             {"t"},
		"a.b.t":         {"a", "b", "t"},
		"`a.b`.t":       {"a.b", "t"},
		"a.`b``c.d`":    {"a", "b`c.d"},
		"`a`.`b`.`c d`": {"a", "b", "c d"},
		"`a``b`":        {"a`b"},
		"``":            {""},
	} {
		if got := nameParts(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, wanted %q", name, got, want)
		}
	}
}
