// Package inspect inspects a table and proposes a pipeline for it, as lines, a page and a file.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
	"github.com/dl4go/dl4go/storage"
)

// Settings say what is inspected, and where the results go.
type Settings struct {
	Data     source.Name
	Missing  []string // texts that count as gaps; nil: analysis.MissingTexts
	Proposal analysis.Options
	HTML     string // a file for the page, or empty
	Output   string // a file for the pipeline, .json, .yaml or .yml, or empty
	Bad      *source.BadRows
	Progress func(rows int)
}

// Report is the result of an inspection.
type Report struct {
	Data  string
	Table *analysis.Table
	// Proposal is nil if none could be made; Problem says why.
	Proposal *analysis.Proposal
	Problem  error
}

// OutputError is a file name that is not allowed; Flag is the setting's name on the command line.
type OutputError struct {
	Flag, Path, Want string
}

func (e *OutputError) Error() string {
	return fmt.Sprintf("--%s %s: it must end in %s", e.Flag, e.Path, e.Want)
}

// check finds mistakes before anything is read.
func (s *Settings) check() error {
	switch strings.ToLower(path.Ext(s.Output)) {
	case ".json", ".yaml", ".yml":
	default:
		if s.Output != "" {
			return &OutputError{"output", s.Output, ".json, .yaml or .yml"}
		}
	}
	switch strings.ToLower(path.Ext(s.HTML)) {
	case ".html", ".htm":
	default:
		if s.HTML != "" {
			return &OutputError{"html", s.HTML, ".html"}
		}
	}
	return s.Proposal.Validate()
}

// Run inspects a table and writes the files.
func Run(ctx context.Context, s Settings) (*Report, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	ctx = storage.Watched(ctx)
	rows, err := source.OpenRows(ctx, s.Data, source.RowOptions{Dropped: s.Proposal.Drop})
	if err != nil {
		return nil, err
	}
	r := &Report{Data: s.Data.String()}
	r.Table, err = analysis.Infer(readerOf(ctx, rows, &s),
		analysis.InferOptions{Label: s.Proposal.Label, Missing: s.Missing})
	changed := storage.Unchanged(ctx)
	if err = errors.Join(err, rows.Close()); changed != nil {
		err = changed
	}
	if err != nil {
		return nil, err
	}
	if r.Table.Rows == 0 {
		return nil, fmt.Errorf("%s: there are no rows", r.Data)
	}
	r.Proposal, r.Problem = analysis.Propose(r.Table, s.Proposal)
	if r.Problem != nil {
		r.Proposal = nil
		if s.Output != "" || len(s.Proposal.Label) > 0 {
			return nil, r.Problem
		}
	}
	return r, r.write(ctx, &s)
}

func (r *Report) write(ctx context.Context, s *Settings) error {
	if s.Output != "" {
		form := (*pipeline.Pipeline).YAML
		if strings.EqualFold(path.Ext(s.Output), ".json") {
			form = (*pipeline.Pipeline).JSON
		}
		text, err := form(r.Proposal.Pipeline)
		if err == nil {
			err = storage.WriteFile(ctx, s.Output, func(w io.Writer) error { _, err := w.Write(text); return err })
		}
		if err != nil {
			return fmt.Errorf("--output: %w", err)
		}
	}
	if s.HTML != "" {
		if err := storage.WriteFile(ctx, s.HTML, r.WriteHTML); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	return nil
}

// reader reads rows, reports progress, and skips bad rows as far as that is allowed.
type reader struct {
	source.Rows
	ctx      context.Context
	settings *Settings
	rows     int
}

// readerOf returns a reader of rows, which reads many at a time unless they are sequences.
func readerOf(ctx context.Context, rows source.Rows, s *Settings) analysis.Reader {
	r := &reader{Rows: rows, ctx: ctx, settings: s}
	if rows.Schema().Sequence {
		return r
	}
	return &batchReader{r, source.Batched(rows)}
}

// batchReader is a reader of many rows at a time.
type batchReader struct {
	*reader
	batches source.BatchRows
}

// NextBatch reads the next rows.
func (r *batchReader) NextBatch(to *pipeline.Batch) error {
	for {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		err := r.batches.NextBatch(to)
		if err == nil {
			before := r.rows / progressRows
			r.rows += to.Rows()
			if n := r.rows/progressRows - before; n > 0 && r.settings.Progress != nil {
				r.settings.Progress(n * progressRows)
			}
			return nil
		}
		if err == io.EOF || r.settings.Bad == nil {
			return err
		}
		if err := r.settings.Bad.Allow(err); err != nil {
			return err
		}
	}
}

// PlaceOf returns the place of a row of the last batch.
func (r *batchReader) PlaceOf(row int) string { return r.batches.PlaceOf(row) }

// progressRows is the number of rows between two reports, and between two checks of the context.
const progressRows = 1000

func (r *reader) Next() (pipeline.Item, error) {
	for {
		if r.rows++; r.rows%progressRows == 0 {
			if err := r.ctx.Err(); err != nil {
				return pipeline.Item{}, err
			}
			if r.settings.Progress != nil {
				r.settings.Progress(progressRows)
			}
		}
		item, err := r.Rows.Next()
		if err == nil || err == io.EOF || r.settings.Bad == nil {
			return item, err
		}
		if err := r.settings.Bad.Allow(err); err != nil {
			return item, err
		}
	}
}
