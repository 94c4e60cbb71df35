package literal

import (
	"strings"
	"testing"
)

// TestFill: zeros of literals become the default, those of files and intended ones stay.
func TestFill(t *testing.T) {
	for _, c := range []struct {
		x               float64
		meant, fromFile bool
		want            float64
		wantMeant       bool
	}{
		{0, false, false, 5, false},
		{3, false, false, 3, false},
		{0, true, false, 0, true},
		{0, false, true, 0, true},
		{3, false, true, 3, false},
	} {
		x, meant := c.x, c.meant
		Fill(&meant, c.fromFile, Usually(&x, 5))
		if x != c.want || meant != c.wantMeant {
			t.Errorf("%+v: %v, %v", c, x, meant)
		}
		if !c.fromFile && Or(c.x, 5, c.meant) != c.want {
			t.Errorf("%+v: Or gives %v", c, Or(c.x, 5, c.meant))
		}
	}
}

// TestFillFrom: a number with a schedule stays.
func TestFillFrom(t *testing.T) {
	type rule struct {
		Rate, Epsilon float64
		RateSchedule  any
	}
	r := rule{RateSchedule: "falls"}
	if FillFrom(&r, rule{Rate: 1, Epsilon: 2}); r != (rule{Epsilon: 2, RateSchedule: "falls"}) {
		t.Errorf("%+v", r)
	}
}

// TestRefuse: the error names the first setting that was omitted.
func TestRefuse(t *testing.T) {
	settings := []Setting{Number("gamma", 1), Number("power", 0), Number("last", 0)}
	if err := Refuse("the schedule", "a Map", false, settings...); err == nil ||
		!strings.Contains(err.Error(), "the schedule: power is 0") {
		t.Error(err)
	}
	if err := Refuse("the schedule", "a Map", true, settings...); err != nil {
		t.Error(err)
	}
}
