package enginetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/await"
)

type fileConfig struct{ Marks, File string }

// runUntilFile leaves a mark, waits until the file exists, and returns its rows.
func runUntilFile(t *engine.Task, conf fileConfig, in engine.Rows, out engine.Writer) error {
	if err := mark(conf.Marks); err != nil {
		return err
	}
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		if _, err := os.Stat(conf.File); err == nil {
			return runIdentity(t, markConfig{}, in, out)
		}
		select {
		case <-look.C:
		case <-t.Context().Done():
			return context.Cause(t.Context())
		}
	}
}

// residentTasks checks that the deadline ends other tasks but not those of a resident step, and that a cancel ends
// these.
func residentTasks(s *suite) {
	e := s.openWith(s.T, engine.Options{TaskDeadline: 500 * time.Millisecond, StopGrace: 500 * time.Millisecond})
	defer e.Close()
	other := *s
	other.engine = e
	conf := fileConfig{s.dir, filepath.Join(s.T.TempDir(), "go")}
	start := func(ctx context.Context, step engine.Step) <-chan error {
		result := make(chan error, 1)
		go func() {
			n, err := other.partitions(3).Map(step).Index().Select(0).Count(ctx)
			if err == nil && n != 3 {
				err = errors.New("it has not given its rows")
			}
			result <- err
		}()
		return result
	}
	step := untilFile.With(conf)
	resident := start(s.ctx, step.Resident())
	await.Until(s, "the resident task to begin", func() (any, bool) {
		select {
		case err := <-resident:
			s.Fatalf("the resident job has ended: %v", err)
		default:
		}
		n := s.marks()
		return n, n > 0
	})
	// This job fails only after the deadlines of all attempts. That is longer than the resident task's deadline would
	// be.
	if err := <-start(s.ctx, step); err == nil || !deadline(err) {
		s.Errorf("a task that does not end fails with %v", err)
	}
	select {
	case err := <-resident:
		s.Fatalf("the resident job has ended: %v", err)
	default:
	}
	if err := os.WriteFile(conf.File, nil, 0o666); err != nil {
		s.Fatal(err)
	}
	s.must(<-resident)

	conf.File += "2"
	ctx, cancel := context.WithCancel(s.ctx)
	before := s.marks()
	resident = start(ctx, untilFile.With(conf).Resident())
	await.Until(s, "the next one to begin", func() (any, bool) {
		n := s.marks()
		return n, n > before
	})
	cancel()
	if err := await.From(s, "a cancelled job to end", resident); !errors.Is(err, context.Canceled) {
		s.Errorf("the error is %v, wanted context.Canceled", err)
	}
}

// deadline reports whether an engine has ended a task or its query for taking too long.
func deadline(err error) bool {
	return strings.Contains(err.Error(), "took longer than 500ms") ||
		strings.Contains(err.Error(), "did not end within") ||
		strings.Contains(err.Error(), "no result after 500ms") // from a process that has not even started
}
