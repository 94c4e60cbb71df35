package spark

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

// TestForgotten checks which tables the failure of an attempt drops. The engine has no session, so no server is asked.
func TestForgotten(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want []string // the tables that are left
	}{
		"the job's own workers": {&worker.Failure{Job: "j7", Cause: "x"}, []string{"exchanged", "far", "near", "rows"}},
		"workers of a kept table": {fmt.Errorf("a query: %w", &worker.Failure{Job: "near", Cause: "x"}),
			[]string{"far", "rows"}},
		"damaged rows": {&worker.OutputError{Reason: worker.ErrCommit}, []string{"far", "rows"}},
		"an executor is lost": {&connect.Error{Message: "[CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND] Checkpoint block rdd_5_0 not " +
			"found!"}, []string{"near", "exchanged"}},
	} {
		e := bareEngine(t)
		rows := engine.Parallelize(nil, nil)
		data := map[string]*engine.Dataset{"rows": rows, "far": engine.FromPlan(nil, engine.Mapped{}, 1),
			"near":      engine.FromPlan(nil, engine.Mapped{}, 1),
			"exchanged": engine.FromPlan(nil, engine.Exchanged{}, 1)}
		j := &job{engine: e, kept: make(map[*engine.Dataset]*keeping)}
		for name, d := range data {
			if e.levels[d] = engine.MemoryOnly; name == "far" {
				continue
			}
			k, _ := j.keeper().use(d)
			k.name = name
		}
		far, _ := (&job{engine: e, kept: make(map[*engine.Dataset]*keeping)}).keeper().use(data["far"]) // another job
		far.name = "far"
		e.kept[rows].fragile, far.fragile = true, true
		e.kept[data["exchanged"]].needs = map[string]bool{"near": true}
		if name == "an executor is lost" {
			e.kept[rows].needs = map[string]bool{"far": true} // the table that it was made from is dropped with it
		}
		if again, _ := repeatable(test.err); !again {
			t.Errorf("%s: it is not tried again", name)
		}
		j.leave()
		j.forget(test.err)
		var left []string
		for name, d := range data {
			if e.kept[d] != nil {
				left = append(left, name)
			}
		}
		slices.Sort(left)
		slices.Sort(test.want)
		if !slices.Equal(left, test.want) {
			t.Errorf("%s: %v are left, wanted %v", name, left, test.want)
		}
	}
}

// TestWantedTables checks that workers may compute a table again while it, or a table made from it, is kept.
func TestWantedTables(t *testing.T) {
	e := bareEngine(t)
	e.wanted = map[string]bool{"j": true}
	all := make(map[string]*keeping)
	for name, needs := range map[string][]string{"a": nil, "b": {"a"}, "c": {"b", "a"}} {
		k := &keeping{name: name, needs: make(map[string]bool)}
		for _, n := range needs {
			k.needs[n] = true
		}
		all[name], e.all[k], e.wanted[name] = k, true, true
	}
	for _, step := range []struct {
		drop string
		want []string
	}{{"b", []string{"a", "b", "c", "j"}}, {"a", []string{"a", "b", "c", "j"}}, {"c", []string{"j"}}} {
		e.unwantTable(all[step.drop])
		if got := slices.Sorted(maps.Keys(e.wanted)); !slices.Equal(got, step.want) {
			t.Errorf("after %s: %v are wanted, wanted %v", step.drop, got, step.want)
		}
	}
}

// TestPersistAgain checks that the last level counts, and that NONE keeps nothing.
func TestPersistAgain(t *testing.T) {
	e := bareEngine(t)
	d := engine.FromPlan(nil, engine.Mapped{}, 1)
	for _, level := range []engine.StorageLevel{engine.MemoryOnly, engine.DiskOnly, engine.None, engine.MemoryAndDisk} {
		e.Persist(d, level)
		if got, ok := e.levels[d]; ok != (level != engine.None) || ok && got != level {
			t.Errorf("%s: %s, %v", level, got, ok)
		}
	}
}

func TestUnreachable(t *testing.T) {
	for _, test := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("x"), false},
		{&connect.Error{Class: "TABLE_OR_VIEW_NOT_FOUND", Code: codes.Internal}, false},
		{&connect.Error{Class: "INVALID_HANDLE.SESSION_NOT_FOUND", Code: codes.Internal}, true},
		{fmt.Errorf("x: %w", &connect.Error{Code: codes.Unavailable}), true},
		{errors.Join(errors.New("x"), &connect.Error{Code: codes.DeadlineExceeded}), true},
	} {
		if got := unreachable(test.err); got != test.want {
			t.Errorf("%v: %v", test.err, got)
		}
	}
}
