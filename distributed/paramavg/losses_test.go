package paramavg

import (
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn/updater"
)

// lines collects log lines.
type lines struct {
	mu  sync.Mutex
	all strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(b)
}

// TestOneWarningALoss checks that a killed worker gives one warning. It names the worker and says what follows.
func TestOneWarningALoss(t *testing.T) {
	for name, o := range map[string]Options{"whole results": {}, "slices": {slicing: always}} {
		t.Run(name, func(t *testing.T) {
			var said lines
			log := slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelWarn}))
			e, err := engine.Open(t.Context(), "processes[2]", engine.Options{TempDir: t.TempDir(), Log: log})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			d, err := distributed.FromDataSets(e, single(examples(t, 40)), 2)
			if err != nil {
				t.Fatal(err)
			}
			o.Rounds, o.Log, o.Timing = Resident, log, distributed.DefaultTiming()
			o.Timing.Reconnect, o.Timing.Stall = time.Hour, time.Hour
			tm, err := New(config(4, 2), o)
			if err != nil {
				t.Fatal(err)
			}
			defer tm.Close()
			dir := t.TempDir()
			h, err := deadlyHook.With(deadly{Dir: dir, Iteration: 3})
			if err != nil {
				t.Fatal(err)
			}
			tm.AddHook(h)
			if err := tm.Fit(t.Context(), network(t, updater.NewAdam(), nil), d, nil); err != nil {
				t.Fatal(err)
			}
			got := said.all.String()
			if strings.Count(got, "\n") != 1 {
				t.Errorf("one worker was killed, and the warnings are\n%s", got)
			}
			for _, part := range []string{
				"parameter averaging: a worker is lost; another takes its place and repeats its work, which gives the same network",
				"of processes[2]", "was killed (signal 9)"} {
				if !strings.Contains(got, part) {
					t.Errorf("the warning lacks %q:\n%s", part, got)
				}
			}
		})
	}
}
