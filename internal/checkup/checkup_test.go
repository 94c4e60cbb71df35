package checkup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

func TestRun(t *testing.T) { synctest.Test(t, run) }

func run(t *testing.T) {
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
		return []Finding{Fail("interrupted", "")}
	}}
	Run(ctx, []Check{check, check}, func(f Finding) { t.Errorf("found %+v", f) })
	if ran != 1 {
		t.Errorf("%d checks ran", ran)
	}
}

// TestFits: an allocation larger than the free memory of the machine or the container does not fit.
func TestFits(t *testing.T) {
	machine, container := Memory{Total: 8e9, Available: 3e9, Swap: 1e9}, Memory{Total: 8e9, Available: 6e9, Limit: 2e9}
	for _, c := range []struct {
		m     Memory
		bytes int64
		want  string
	}{
		{machine, 4e9, ""},
		{machine, 4e9 + 1, "4.00 GB of memory are needed, and this machine has 4.00 GB free"},
		{container, 2e9, ""},
		{container, 3e9, "3.00 GB of memory are needed, and this machine has 2.00 GB free"},
		{Memory{}, 1 << 62, ""}, // nothing is known
	} {
		err := c.m.fits(c.bytes)
		if said := fmt.Sprint(err); (err == nil) != (c.want == "") || err != nil && said != c.want {
			t.Errorf("%d bytes of %+v: %v", c.bytes, c.m, err)
		}
	}
}

func TestMemory(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  Memory
	}{
		"nothing": {nil, Memory{}},
		"a machine": {map[string]string{"proc/meminfo": "MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 500 " +
			"kB\nSwapFree: 2 kB\nHugePages_Total: 0\n"}, Memory{Total: 1024000, Available: 512000, Swap: 2048}},
		"version 2": {map[string]string{"proc/meminfo": "MemTotal: 1000 kB", "sys/fs/cgroup/memory.max": "4096\n"},
			Memory{Total: 1024000, Limit: 4096}},
		"no limit": {map[string]string{"proc/meminfo": "MemTotal: 1000 kB", "sys/fs/cgroup/memory.max": "max\n"},
			Memory{Total: 1024000}},
		"version 1": {map[string]string{"proc/meminfo": "MemTotal: 1000 kB",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712"}, Memory{Total: 1024000}},
	} {
		root := t.TempDir()
		for path, text := range c.files {
			path = filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := readMemory(root); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if n := Free(t.TempDir()); runtime.GOOS == "linux" && n <= 0 {
		t.Errorf("%d bytes are free", n)
	}
}

// TestDeafCheck: a check that ignores its deadline does not hold up the rest.
func TestDeafCheck(t *testing.T) { synctest.Test(t, deafCheck) }

func deafCheck(t *testing.T) {
	forever := make(chan struct{})
	defer close(forever)
	counts := Run(t.Context(), []Check{{Name: "deaf", Deadline: time.Millisecond, Late: "do",
		Run: func(context.Context) []Finding {
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
