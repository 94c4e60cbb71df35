package transform

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/rowfile"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/storage"
)

// Settings describe a run: the pipeline, its data and its output.
type Settings struct {
	Pipeline string           // a file in DataVec's JSON or YAML; empty with Join: no pipeline
	Data     source.Name      // a table of raw columns
	Join     string           // a file of a join, whose rows the pipeline takes; empty: no join
	Right    source.Name      // its right table; Data is the left one
	Output   string           // a file by its ending, "-" for Pipe, or table:NAME on an engine with tables
	Format   string           // of the output to Pipe (csv if empty), or of a new table
	Mode     engine.WriteMode // of writing a table
	// Engine opens the engine whose workers run the pipeline; nil runs it in this process.
	Engine   func(context.Context) (engine.Engine, error)
	Arrays   bool // see [rowfile.Options]
	NoHeader bool
	Bad      *source.BadRows
	Pipe     func([]byte) error // takes some lines at a time
	Progress func(rows int)
	Unused   func(columns []string) // is called with the columns that the pipeline does not use
}

// SettingError is an invalid setting; Flag is its name on the command line.
type SettingError struct {
	Flag string
	Err  error
}

func (e *SettingError) Error() string { return "--" + e.Flag + " " + e.Err.Error() }

// Unwrap returns the cause.
func (e *SettingError) Unwrap() error { return e.Err }

// check finds mistakes before anything is opened. It returns the output's format, or none for a table.
func (s *Settings) check() (f rowfile.Format, err error) {
	if err := s.checkData(); err != nil {
		return f, err
	}
	table, toTable := s.table()
	if toTable {
		switch {
		case table == "":
			return f, &SettingError{"output", errors.New("table: a name is missing: table:NAME or table:DATABASE.NAME")}
		case s.Engine == nil:
			return f, &SettingError{"output", fmt.Errorf("table:%s: a table is Spark's; add --master sc://HOST:PORT", table)}
		case s.Arrays || s.NoHeader:
			return f, &SettingError{"output", fmt.Errorf("table:%s: --arrays and --no-header are for files", table)}
		}
		return f, nil
	}
	if s.Mode != "" {
		return f, &SettingError{"mode", errors.New("goes with --output table:NAME")}
	}
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
	return f, nil
}

// table returns the name of the table that the results go to.
func (s *Settings) table() (name string, ok bool) { return strings.CutPrefix(s.Output, "table:") }

// checkData refuses settings that choose what a model learns. Without an engine, it refuses data that needs one.
func (s *Settings) checkData() error {
	k, ok := source.KindOf(s.Data.Kind)
	for _, key := range slices.Sorted(maps.Keys(s.Data.Settings)) {
		if setting, known := k.About().Setting(key); ok && known && !setting.Raw {
			return &SettingError{"data",
				fmt.Errorf("%s: %s=… chooses what a model learns, and a pipeline takes columns as they are",
					s.Data, key)}
		}
	}
	if s.Join == "" && s.Right.Kind != "" {
		return &SettingError{"right", errors.New("is the other table of a join; add --join FILE")}
	}
	if s.Join != "" && distributed.NeedsEngine(s.Data) {
		return &SettingError{"join", fmt.Errorf("%s: %s: data is joined by its query; write JOIN in it", s.Join, s.Data.Kind)}
	}
	if s.Engine == nil && distributed.NeedsEngine(s.Data) {
		return &SettingError{"data", fmt.Errorf("%s: data needs an engine that reads it; add --master sc://HOST:PORT",
			s.Data.Kind)}
	}
	return nil
}

// ReadPipeline reads a pipeline's file and checks it.
func ReadPipeline(ctx context.Context, path string) (*pipeline.Pipeline, *pipeline.Plan, error) {
	text, err := storage.ReadFile(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	p, err := pipeline.Parse(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	plan, err := p.Bind()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, plan, nil
}

// Run runs a pipeline on data. It writes to a table, or to a file that appears when it is complete.
func Run(ctx context.Context, s Settings) (Summary, error) {
	format, err := s.check()
	if err != nil {
		return Summary{}, err
	}
	if s.Bad == nil {
		s.Bad = &source.BadRows{}
	}
	r := &running{Settings: s, format: format}
	if s.Pipeline != "" {
		if r.pipeline, r.plan, err = ReadPipeline(ctx, s.Pipeline); err != nil {
			return Summary{}, &SettingError{"pipeline", err}
		}
	}
	if s.Join != "" {
		if r.join, err = s.readJoin(ctx); err != nil {
			return Summary{}, err
		}
	}
	if s.Engine == nil {
		return r.here(ctx)
	}
	e, err := s.Engine(ctx)
	if err != nil {
		return Summary{}, err
	}
	return r.onEngine(ctx, e)
}

// running is a run of a pipeline.
type running struct {
	Settings
	pipeline *pipeline.Pipeline
	plan     *pipeline.Plan
	join     *pipeline.Join // nil: the rows are those of Data
	format   rowfile.Format
}

// here runs the pipeline in this process.
func (r *running) here(ctx context.Context) (sum Summary, err error) {
	rows, unused, err := r.open(ctx)
	if err != nil {
		return sum, err
	}
	defer rows.Close()
	r.tellUnused(unused)
	job := &Job{Start: r.plan.Start, Rows: rows, Bad: r.Bad, Progress: r.Progress}
	err = r.write(ctx, func(to rowfile.Writer, _ func([]byte) error) (err error) {
		job.Write = to.Write
		sum, err = job.Run(ctx)
		return err
	})
	return sum, err
}

// onEngine runs the pipeline on an engine's workers.
func (r *running) onEngine(ctx context.Context, e engine.Engine) (Summary, error) {
	w, err := r.openOnWorkers(ctx, e)
	if err != nil {
		return Summary{}, err
	}
	defer w.close()
	r.tellUnused(w.unused)
	if table, ok := r.table(); ok {
		err = w.toTable(ctx, engine.TableWrite{Table: table, Mode: r.Mode, Format: r.Format})
		return w.sum, err
	}
	err = r.write(ctx, func(to rowfile.Writer, lines func([]byte) error) error {
		return w.to(ctx, r.format, r.options(), to, lines)
	})
	return w.sum, err
}

// options are those of a file with the results.
func (r *running) options() rowfile.Options {
	return rowfile.Options{Schema: r.plan.Out(), Arrays: r.Arrays, NoHeader: r.NoHeader}
}

func (r *running) tellUnused(columns []string) {
	if len(columns) > 0 && r.Unused != nil {
		r.Unused(columns)
	}
}

// write calls do with a writer of the output, and with a function that takes complete lines of the output.
func (r *running) write(ctx context.Context, do func(to rowfile.Writer, lines func([]byte) error) error) error {
	if r.Output == "-" {
		return r.pipe(do)
	}
	out, err := rowfile.Create(ctx, r.Output, r.format, r.options())
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	defer out.Close()
	if err := do(out, out.Lines); err != nil {
		return err
	}
	return out.Commit()
}

// pipe writes to standard output.
func (r *running) pipe(do func(to rowfile.Writer, lines func([]byte) error) error) error {
	to := bufio.NewWriterSize(writerFunc(r.Pipe), 64<<10)
	w, err := r.format.New(to, r.options())
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	err = do(w, func(b []byte) error { _, err := to.Write(b); return err })
	if err == nil {
		err = w.Finish()
	}
	return errors.Join(err, to.Flush())
}

type writerFunc func([]byte) error

var _ io.Writer = writerFunc(nil)

func (f writerFunc) Write(b []byte) (int, error) {
	if err := f(b); err != nil {
		return 0, err
	}
	return len(b), nil
}
