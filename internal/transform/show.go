package transform

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/usage"
)

// Show runs a table through a pipeline, and shows its progress and the result. It sets Pipe, Progress and Unused.
// Errors name flags.
func Show(ctx context.Context, out *console.Output, s Settings) error {
	begin := time.Now()
	if s.Output == "-" {
		out.Pipe()
	}
	s.Pipe = out.Data
	s.Progress = func(rows int) { out.Bar().Add(int64(rows), "") }
	s.Unused = func(columns []string) {
		out.Warn("--data: the pipeline has no column %s; ignored", strings.Join(columns, ", "))
	}
	out.Start("transform", 0)
	sum, err := Run(ctx, s)
	out.Stop()
	if err != nil {
		return inFlags(err, s.Output)
	}
	for _, notice := range sum.Notices(s.Bad) {
		out.Warn("%s", notice)
	}
	seconds := time.Since(begin).Seconds()
	text := "%s rows of %s, %s rows/s"
	if s.Output != "-" {
		text = "wrote " + strings.ReplaceAll(s.Output, "%", "%%") + ": " + text
	}
	out.Line(text, progress.Count(int64(sum.Out)), s.Data, progress.Count(int64(float64(sum.In)/seconds)))
	return out.Done(console.Event{"output": s.Output, "rowsIn": sum.In, "rowsOut": sum.Out, "rowsSkipped": sum.Skipped,
		"seconds": seconds})
}

// inFlags makes an error name flags.
func inFlags(err error, output string) error {
	var setting *SettingError
	var spec *source.SpecError
	var mismatch *source.MismatchError
	var exists *engine.TableExistsError
	switch {
	case errors.As(err, &setting) && setting.Flag != "pipeline":
		return &usage.Error{Err: err}
	case errors.As(err, &exists):
		return fmt.Errorf("--output %s: the table exists already; add --mode append or --mode overwrite, or name another "+
			"one", output)
	case errors.As(err, &spec):
		return usage.Errorf("--data: %w", err)
	case errors.As(err, &mismatch):
		return fmt.Errorf("--data: %w", err)
	}
	return err
}
