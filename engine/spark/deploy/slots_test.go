package deploy

import "testing"

func TestAtOnce(t *testing.T) {
	for _, test := range []struct {
		cores             int
		perTask, executor string
		want              int
	}{
		{8, "", "", 8},
		{8, "1", "4", 8},
		{8, "2", "", 4},
		{8, "2", "4", 4},
		{12, "2", "3", 4}, // a core of each executor is left over
		{12, "4", "3", 3}, // Spark would not start so
		{9, "2", "4", 4},
		{2, "4", "", 1},
		{8, "x", "y", 8},
	} {
		if got := atOnce(test.cores, test.perTask, test.executor); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
}
