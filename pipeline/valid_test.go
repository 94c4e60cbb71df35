package pipeline_test

import (
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// TestValidator: Validator agrees with Valid.
func TestValidator(t *testing.T) {
	digits, bad, most := `\d+`, `(`, 3
	states := []string{"a", "b", "c", "d", "e", "f", "g", "h", "12"}
	for _, c := range []pipeline.Column{
		pipeline.StringColumn{Name: "any"},
		pipeline.StringColumn{Name: "short", MaxLength: &most},
		pipeline.StringColumn{Name: "digits", Regex: &digits},
		pipeline.StringColumn{Name: "few digits", Regex: &digits, MaxLength: &most},
		pipeline.StringColumn{Name: "a bad expression", Regex: &bad},
		pipeline.CategoricalColumn{Name: "few", States: states[:2]},
		pipeline.CategoricalColumn{Name: "many", States: states},
	} {
		valid := pipeline.Validator(c)
		for text, want := range map[string]map[string]bool{
			"12":   {"any": true, "short": true, "digits": true, "few digits": true, "many": true},
			"1234": {"any": true, "digits": true},
			"a":    {"any": true, "short": true, "few": true, "many": true},
			"":     {"any": true, "short": true},
		} {
			v := pipeline.Text(text)
			if got := valid(v); got != want[c.Title()] || c.Valid(v) != got {
				t.Errorf("%s: %q is valid: %v by Validator, %v by Valid, want %v", c.Title(), text, got, c.Valid(v),
					want[c.Title()])
			}
		}
	}
}
