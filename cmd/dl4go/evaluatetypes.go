package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/jsonline"
	"github.com/dl4go/dl4go/internal/measure"
	"github.com/dl4go/dl4go/internal/registry"
	"github.com/dl4go/dl4go/internal/results"
	"github.com/dl4go/dl4go/storage"
)

// typeFlags say what evaluate measures, and where to draw it.
type typeFlags struct {
	types      []string
	steps, top int
	html, save string
}

// maxThresholdSteps is what an evaluation's file may have.
const maxThresholdSteps = 1 << 20

func (f *typeFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringSliceVar(&f.types, "types", nil, "`LIST` evaluations, separated by commas")
	fs.IntVar(&f.steps, "threshold-steps", 0, "`N` steps of the ROC's threshold (default 0: exact)")
	fs.IntVar(&f.top, "top", 1, "`N` count a class among the N most likely")
	fs.StringVar(&f.save, "save", "", "`FILE` write the evaluation as Deeplearning4j's JSON")
	fs.StringVar(&f.html, "html", "", "`FILE` draw ROCs and calibration on a page")
}

func (f *typeFlags) check(cmd *cobra.Command) error {
	if err := positive(cmd, "top"); err != nil {
		return err
	}
	if f.steps < 0 || f.steps > maxThresholdSteps {
		return usagef("--threshold-steps %d: it must be from 0 to %d", f.steps, maxThresholdSteps)
	}
	return checkTypes("types", f.types)
}

// checkTypes refuses types that there are not.
func checkTypes(flag string, types []string) error {
	known := measure.Types()
	for i, name := range types {
		if !slices.Contains(known, name) {
			return usagef("--%s: %q is none of %s%s", flag, name, strings.Join(known, ", "), registry.SuggestWord(name, known))
		}
		if slices.Contains(types[:i], name) {
			return usagef("--%s: %s is there twice", flag, name)
		}
	}
	return nil
}

// writable says whether the files can be written.
func (f *typeFlags) writable(ctx context.Context, all []*measured) error {
	for _, m := range all {
		if path := f.page(m); path != "" {
			if err := storage.CheckWritable(ctx, path); err != nil {
				return fmt.Errorf("--html: %w", err)
			}
		}
		for i := range m.types {
			if f.save == "" {
				break
			}
			if err := storage.CheckWritable(ctx, f.savePath(m, i)); err != nil {
				return fmt.Errorf("--save: %w", err)
			}
		}
	}
	return nil
}

// page is the file for an output's charts; empty if there is none.
func (f *typeFlags) page(m *measured) string { return results.PathOf(f.html, m.name) }

// savePath is the file for the evaluation of an output's type i.
func (f *typeFlags) savePath(m *measured, i int) string {
	path := results.PathOf(f.save, m.name)
	if len(m.types) < 2 {
		return path
	}
	return results.PathOf(path, m.types[i])
}

// begin gives each output empty evaluations of its types. classes and labels are the first output's, as far as they are known.
func (f *typeFlags) begin(all []*measured, classes int, labels []string) {
	for _, m := range all {
		n, names := classes, labels
		if m.output > 0 {
			n, names = 0, nil
		}
		for _, kind := range m.types {
			m.evals = append(m.evals, measure.New(kind, measure.Settings{Steps: f.steps, Top: f.top}, n, names))
		}
	}
}

// report prints evaluations of what it is told, saves and draws them, and gives what --json says of them: of several outputs, by
// their names.
func (f *typeFlags) report(ctx context.Context, out *console.Output, of string, all []*measured) (event, error) {
	ev, outputs := event{}, map[string]map[string]any{}
	var saved, pages []string
	for i, m := range all {
		to := ev
		if m.name != "" {
			to = event{}
			outputs[m.name] = to
			if i > 0 {
				out.Line("")
			}
			out.Line("Output %s", m.name)
		}
		m.report(out, to)
		if f.save != "" {
			for i, e := range m.evals {
				if err := storage.WriteFile(ctx, f.savePath(m, i), func(w io.Writer) error { return eval.Write(w, e) }); err != nil {
					return nil, err
				}
				saved = append(saved, f.savePath(m, i))
			}
		}
		if path := f.page(m); path != "" {
			title := "Evaluation of " + filepath.Base(of)
			if m.name != "" {
				title += ", output " + m.name
			}
			if err := storage.WriteFile(ctx, path, func(w io.Writer) error { return eval.WriteHTML(w, title, m.evals...) }); err != nil {
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

// report prints an output's evaluations, and adds what --json says of them.
func (m *measured) report(out *console.Output, to event) {
	for i, e := range m.evals {
		if i > 0 {
			out.Line("")
		}
		out.Line("%s", strings.Trim(e.Stats(), "\n"))
		if !out.JSON() { // an exact ROC's state is larger than the data
			continue
		}
		to[m.types[i]] = measure.Object(e)
		for name, x := range measure.Overall(e) {
			to[name] = jsonline.Value(x)
		}
	}
}
