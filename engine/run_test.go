package engine_test

import (
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
)

func TestRunNames(t *testing.T) {
	at := time.Date(2026, 11, 2, 3, 4, 5, 6, time.FixedZone("", -3600))
	name := engine.RunName(at)
	if began, ok := engine.RunTime(name); !ok || !began.Equal(at.Truncate(time.Second)) {
		t.Errorf("%s began %v, %v", name, began, ok)
	}
	if engine.RunName(at) == name {
		t.Error("two runs have one name")
	}
	for _, other := range []string{"", "dl4go_run_", "dl4go_run_20261102t040405_0123456",
		"dl4go_run_20261102t040405_0123456g",
		"dl4go_run_20261302t040405_01234567", "dl4go_run_20261102t040405_01234567_", "x" + name, name + "x"} {
		if _, ok := engine.RunTime(other); ok {
			t.Errorf("%q passes for a run's name", other)
		}
	}
}
