package deploy

import (
	"fmt"
	"testing"
)

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
		{12, "2", "3", 4}, // one core of each executor is left over
		{12, "4", "3", 3}, // Spark would not start like this
		{9, "2", "4", 4},
		{2, "4", "", 1},
		{8, "x", "y", 8},
	} {
		if got := atOnce(test.cores, test.perTask, test.executor); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
}

// TestCoresOf checks that tasks that run one after the other don't count as slots.
func TestCoresOf(t *testing.T) {
	two := map[string]int{"h 1": 1, "h 2": 1}
	for _, c := range []struct {
		tasks     int
		executors map[string]int
		set       map[string]string
		want      int
	}{
		{2, two, nil, 2},
		{64, two, map[string]string{parallelism: "64"}, 2},
		{1, two, map[string]string{parallelism: "1"}, 1},
		{64, map[string]int{"h 1": 4, "i 1": 8}, map[string]string{parallelism: "64"}, 12},
		{2, map[string]int{"h 1": 1}, nil, 1},                                    // Spark makes at least two tasks
		{8, map[string]int{"h 1": 4}, nil, 8},                                    // one executor had no task
		{64, map[string]int{"h 1": 0}, map[string]string{parallelism: "64"}, 64}, // unknown
		{64, map[string]int{"h 1": 4, "h 2": 0}, map[string]string{parallelism: "64"}, 64},
		{64, map[string]int{"h 1": 0}, map[string]string{parallelism: "64", master: "local[4]"}, 4},
		{64, map[string]int{"h 1": 0}, map[string]string{parallelism: "64", master: "local[*]"}, 64},
	} {
		if got := coresOf(c.tasks, c.executors, c.set); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	for line, want := range map[string]string{"123 --cores^@4": "123 4", "123 ": "123 0", "123": "123 0", "": " 0",
		"1 --cores^@x": "1 0"} {
		if name, cores := parseExecutor(line); fmt.Sprint(name, " ", cores) != want {
			t.Errorf("%q: %s, %d", line, name, cores)
		}
	}
}
