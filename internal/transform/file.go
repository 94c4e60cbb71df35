package transform

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/rowfile"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/storage"
)

// Settings say what runs where.
type Settings struct {
	Pipeline string      // a file of DataVec's JSON or YAML
	Data     source.Name // a table of raw columns
	Output   string      // a file by its ending, or "-" for Pipe
	Format   string      // of what goes to Pipe; empty: csv
	Arrays   bool        // see [rowfile.Options]
	NoHeader bool
	Bad      *source.BadRows
	Pipe     func([]byte) error // takes lines, a few at a time
	Progress func(rows int)
	Unused   func(columns []string) // is told of columns that the pipeline does not have
}

// SettingError means that the value of a setting makes no sense; Flag is its name on the command line.
type SettingError struct {
	Flag string
	Err  error
}

func (e *SettingError) Error() string { return "--" + e.Flag + " " + e.Err.Error() }

// Unwrap gives the cause.
func (e *SettingError) Unwrap() error { return e.Err }

// check finds mistakes before anything is opened, and gives the output's format.
func (s *Settings) check() (f rowfile.Format, err error) {
	if s.Output == "-" {
		name := s.Format
		if name == "" {
			name = "csv"
		}
		if f, err = rowfile.Named(name); err == nil && !f.Lines {
			err = fmt.Errorf("%s: standard output takes lines; name a file with --output", name)
		}
		if err != nil {
			return f, &SettingError{"format", err}
		}
	} else {
		if s.Format != "" {
			return f, &SettingError{"format",
				errors.New(s.Format + ": a file's ending says its format; --output - takes this flag")}
		}
		if f, err = rowfile.Of(s.Output); err != nil {
			return f, &SettingError{"output", err}
		}
	}
	if s.Arrays && !f.Arrays {
		return f, &SettingError{"arrays", fmt.Errorf("is for JSON lines, not for %s", f.Name)}
	}
	if s.NoHeader && !f.Header {
		return f, &SettingError{"no-header", fmt.Errorf("is for CSV, not for %s", f.Name)}
	}
	k, ok := source.KindOf(s.Data.Kind)
	for _, key := range slices.Sorted(maps.Keys(s.Data.Settings)) {
		if setting, known := k.About().Setting(key); ok && known && !setting.Raw {
			return f, &SettingError{"data",
				fmt.Errorf("%s: %s=… chooses what a model learns, and a pipeline takes columns as they are",
					s.Data, key)}
		}
	}
	return f, nil
}

// ReadPipeline reads a pipeline's file and checks it.
func ReadPipeline(ctx context.Context, path string) (*pipeline.Plan, error) {
	text, err := storage.ReadFile(ctx, path)
	if err != nil {
		return nil, err
	}
	p, err := pipeline.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	plan, err := p.Bind()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return plan, nil
}

// Run runs a pipeline on data, into a file that appears when all is done.
func Run(ctx context.Context, s Settings) (Summary, error) {
	format, err := s.check()
	if err != nil {
		return Summary{}, err
	}
	plan, err := ReadPipeline(ctx, s.Pipeline)
	if err != nil {
		return Summary{}, &SettingError{"pipeline", err}
	}
	rows, unused, err := Open(ctx, s.Data, plan)
	if err != nil {
		return Summary{}, err
	}
	defer rows.Close()
	if len(unused) > 0 && s.Unused != nil {
		s.Unused(unused)
	}
	job := &Job{Plan: plan, Rows: rows, Bad: s.Bad, Progress: s.Progress}
	o := rowfile.Options{Schema: plan.Out(), Arrays: s.Arrays, NoHeader: s.NoHeader}
	if s.Output == "-" {
		return job.pipe(ctx, format, o, s.Pipe)
	}
	out, err := rowfile.Create(ctx, s.Output, format, o)
	if err != nil {
		return Summary{}, fmt.Errorf("--output: %w", err)
	}
	defer out.Close()
	job.Write = out.Write
	sum, err := job.Run(ctx)
	if err != nil {
		return sum, err
	}
	return sum, out.Commit()
}

// pipe writes to standard output.
func (j *Job) pipe(ctx context.Context, f rowfile.Format, o rowfile.Options, lines func([]byte) error) (Summary,
	error) {
	to := bufio.NewWriterSize(writerFunc(lines), 64<<10)
	w, err := f.New(to, o)
	if err != nil {
		return Summary{}, fmt.Errorf("--output: %w", err)
	}
	j.Write = w.Write
	sum, err := j.Run(ctx)
	if err == nil {
		err = w.Finish()
	}
	return sum, errors.Join(err, to.Flush())
}

type writerFunc func([]byte) error

var _ io.Writer = writerFunc(nil)

func (f writerFunc) Write(b []byte) (int, error) {
	if err := f(b); err != nil {
		return 0, err
	}
	return len(b), nil
}
