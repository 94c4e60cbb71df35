package deploy

import (
	"fmt"
	"testing"
)

// TestBusyExecutorsCount checks that an executor that was busy during the survey is asked again.
func TestBusyExecutorsCount(t *testing.T) {
	const tasks = 8
	eight := map[string]string{parallelism: "8"}
	for name, c := range map[string]struct {
		set   map[string]string
		found []string // the executors with tasks, per question; the last answer repeats
		asked string
		seen  int
	}{
		"all there":        {eight, []string{"12345678"}, "[0]", 8},
		"Spark says":       {nil, []string{"12"}, "[0]", 2},
		"one comes":        {eight, []string{"1", "12", "12"}, "[0 2 3]", 2},
		"fewer than tasks": {eight, []string{"12", "12"}, "[0 3]", 2},
		"back later": {map[string]string{parallelism: "8", instances: "2"},
			[]string{"1", "1", "1", "12", "12"}, "[0 2 2 2 3]", 2},
		"promised to others": {map[string]string{parallelism: "8", instances: "2", dynamic: "true"},
			[]string{"1"}, "[0 2]", 1},
		"beyond the tasks": {map[string]string{parallelism: "8", instances: "90"}, []string{"1", "12345678"}, "[0 2]", 8},
		"not known":        {map[string]string{parallelism: "8", instances: "2"}, []string{"x"}, "[0]", 1},
	} {
		census := census{set: c.set, executors: make(map[string]int)}
		var asked []int
		err := census.take(func(n int) (int, error) {
			at := min(len(asked), len(c.found)-1)
			asked = append(asked, n)
			for _, id := range c.found[at] {
				census.executors[string(id)] = 1
				if id == 'x' {
					census.executors["x"] = 0
				}
			}
			return tasks, nil
		})
		if fmt.Sprint(asked) != c.asked || len(census.executors) != c.seen || err != nil {
			t.Errorf("%s: asked for %v tasks, wanted %s; %d executors, wanted %d; error %v", name, asked, c.asked,
				len(census.executors), c.seen, err)
		}
	}
	census := census{set: map[string]string{parallelism: "8", instances: "2"}, executors: map[string]int{"1": 1}}
	n := 0
	if err := census.take(func(int) (int, error) { n++; return tasks, nil }); err != nil || n != 1+patient {
		t.Errorf("an executor that never comes was asked for %d times, error %v", n, err)
	}
}
