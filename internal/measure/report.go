package measure

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/jsonline"
	"github.com/dl4go/dl4go/internal/results"
	"github.com/dl4go/dl4go/storage"
)

// Files are the files of evaluations, before the names of outputs and types are inserted; empty if a file is not
// written.
type Files struct {
	Save string // Deeplearning4j's JSON
	Page string // charts
}

// PageOf returns the file for an output's charts; empty if there is none.
func (f Files) PageOf(o *Output) string { return results.PathOf(f.Page, o.Name) }

// SavesOf returns the files for an output's evaluations, one of each type; none if nothing is saved.
func (f Files) SavesOf(o *Output) (paths []string) {
	if f.Save == "" {
		return nil
	}
	path := results.PathOf(f.Save, o.Name)
	if len(o.Types) < 2 {
		return []string{path}
	}
	for _, kind := range o.Types {
		paths = append(paths, results.PathOf(path, kind))
	}
	return paths
}

// CheckWritable checks that the files for the outputs can be written. Errors name their flags.
func (f Files) CheckWritable(ctx context.Context, all []*Output) error {
	for _, o := range all {
		if path := f.PageOf(o); path != "" {
			if err := storage.CheckWritable(ctx, path); err != nil {
				return fmt.Errorf("--html: %w", err)
			}
		}
		for _, path := range f.SavesOf(o) {
			if err := storage.CheckWritable(ctx, path); err != nil {
				return fmt.Errorf("--save: %w", err)
			}
		}
	}
	return nil
}

// Report prints, saves and draws evaluations. It returns their part of --json: for several outputs, by name.
func Report(ctx context.Context, out *console.Output, of string, all []*Output, f Files) (console.Event, error) {
	ev, outputs := console.Event{}, map[string]map[string]any{}
	var saved, pages []string
	for i, o := range all {
		to := ev
		if o.Name != "" {
			to = console.Event{}
			outputs[o.Name] = to
			if i > 0 {
				out.Line("")
			}
			out.Line("Output %s", o.Name)
		}
		o.report(out, to)
		for i, path := range f.SavesOf(o) {
			if err := storage.WriteFile(ctx, path, func(w io.Writer) error { return eval.Write(w, o.Evals[i]) }); err != nil {
				return nil, err
			}
			saved = append(saved, path)
		}
		if path := f.PageOf(o); path != "" {
			title := "Evaluation of " + filepath.Base(of)
			if o.Name != "" {
				title += ", output " + o.Name
			}
			draw := func(w io.Writer) error { return eval.Page{Title: title, Evals: o.Evals, Cases: o.Cases}.Write(w) }
			if err := storage.WriteFile(ctx, path, draw); err != nil {
				return nil, err
			}
			pages = append(pages, path)
		}
	}
	if len(outputs) > 0 {
		ev["outputs"] = outputs
	}
	if saved != nil {
		ev["saved"] = saved
		out.Line("wrote %s", strings.Join(saved, ", "))
	}
	if len(pages) == 1 {
		ev["html"] = pages[0]
	} else if pages != nil {
		ev["html"] = pages
	}
	return ev, nil
}

// report prints an output's evaluations, and adds their part of --json.
func (o *Output) report(out *console.Output, to console.Event) {
	for i, e := range o.Evals {
		if i > 0 {
			out.Line("")
		}
		out.Line("%s", strings.Trim(e.Stats(), "\n"))
		if !out.JSON() { // an exact ROC's state is larger than the data
			continue
		}
		to[o.Types[i]] = Object(e)
		for name, x := range Overall(e) {
			to[name] = jsonline.Value(x)
		}
	}
}
