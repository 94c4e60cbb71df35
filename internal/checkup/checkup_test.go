package checkup

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	one := func(f Finding) func(context.Context) []Finding {
		return func(context.Context) []Finding { return []Finding{f} }
	}
	var got []string
	counts := Run(t.Context(), []Check{
		{Name: "a", Run: one(Okf("%d is fine", 1))},
		{Name: "b", Run: func(context.Context) []Finding {
			return []Finding{Warn("so so", "do"), {Check: "other", Level: Failure}}
		}},
		{Name: "c", Needs: []string{"a", "b"}, Run: one(Okf("never"))},
		{Name: "d", Needs: []string{"c"}, Run: one(Okf("never"))},
		{Name: "e", Needs: []string{"a"}, Run: one(Okf("yes"))},
		{Name: "f", Deadline: time.Millisecond, Run: func(ctx context.Context) []Finding {
			<-ctx.Done()
			return []Finding{Fail("late", "")}
		}},
	}, func(f Finding) { got = append(got, fmt.Sprintf("%s %s %s", f.Check, f.Level, f.Text)) })
	want := []string{"a ok 1 is fine", "b warning so so", "other failure ", "c skipped not checked: it needs b",
		"d skipped not checked: it needs c", "e ok yes", "f failure late"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
	if !reflect.DeepEqual(counts, map[Level]int{OK: 2, Warning: 1, Failure: 2, Skipped: 2}) {
		t.Errorf("counts %v", counts)
	}
}

func TestRunIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ran := 0
	check := Check{Name: "a", Run: func(context.Context) []Finding {
		ran++
		cancel()
		return nil
	}}
	Run(ctx, []Check{check, check}, func(Finding) {})
	if ran != 1 {
		t.Errorf("%d checks ran", ran)
	}
}

// TestDeafCheck: a check that does not heed its deadline does not hold up the rest.
func TestDeafCheck(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for 5 s")
	}
	forever := make(chan struct{})
	defer close(forever)
	counts := Run(t.Context(), []Check{{Name: "deaf", Deadline: time.Millisecond, Late: "do", Run: func(context.Context) []Finding {
		<-forever
		return nil
	}}}, func(f Finding) {
		if f.Text != "no answer within 1ms" || f.Fix != "do" {
			t.Errorf("%+v", f)
		}
	})
	if counts[Failure] != 1 {
		t.Error(counts)
	}
}
