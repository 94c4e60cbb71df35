package inspect

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// Show inspects a table, and shows its progress and the report. It sets Progress. Errors name flags.
func Show(ctx context.Context, out *console.Output, s Settings) error {
	begin := time.Now()
	s.Progress = func(rows int) { out.Bar().Add(int64(rows), "") }
	out.Start("inspect", 0)
	r, err := Run(ctx, s)
	out.Stop()
	var file *OutputError
	var option *analysis.OptionError
	var spec *source.SpecError
	switch {
	case errors.As(err, &file), errors.As(err, &option):
		return &usage.Error{Err: err}
	case errors.As(err, &spec):
		return usage.Errorf("--data: %w", err)
	case err != nil:
		return err
	}
	r.show(out, s)
	done := r.Done()
	done["seconds"] = time.Since(begin).Seconds()
	return out.Done(done)
}

// show shows the report, and which files it is in.
func (r *Report) show(out *console.Output, s Settings) {
	if notice := s.Bad.Notice(); notice != "" {
		out.Warn("%s", notice)
	}
	out.Lines(r.Lines())
	out.Line("%s", r.Summary())
	for _, e := range r.Events() {
		out.Emit(e["event"].(string), e)
	}
	for _, path := range []string{s.Output, s.HTML} {
		if path != "" {
			out.Line("wrote %s", path)
		}
	}
	if r.Proposal == nil || s.Output == "" {
		return
	}
	if err := r.Proposal.Refused(); err != nil {
		out.Warn("--output %s leaves columns out: %s", s.Output, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
}
