package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/trainlog"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/storage"
)

func reportCommand() *cobra.Command {
	to, title, asJSON := "", "", false
	cmd := &cobra.Command{
		Use:   "report FILE.json",
		Short: "Draw a run's statistics as a page",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("dl4go report takes one file of statistics, got %d: dl4go report --help shows how", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			from := args[0]
			name := strings.TrimSuffix(from, filepath.Ext(from))
			if !cmd.Flags().Changed("output") {
				to = name + ".html"
			}
			if err := stats.CheckEnding(to); err != nil {
				return usagef("--output: %w", err)
			}
			return report(cmd.Context(), newOutput(cmd, asJSON), from, to, title)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVarP(&to, "output", "o", "", "`FILE` .html, .csv or .json (default: FILE.html)")
	fs.StringVar(&title, "title", "", "`TITLE` title of the page (default: the saved one)")
	fs.BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	return cmd
}

func report(ctx context.Context, o *console.Output, from, to, title string) error {
	in, err := storage.Open(ctx, from)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := stats.ReadJSON(in)
	var bad *dl4j.FormatError
	if errors.As(err, &bad) {
		bad.Path = from
	}
	if err != nil {
		return err
	}
	r.Title = cmp.Or(title, r.Title, "Training statistics of "+strings.TrimSuffix(filepath.Base(from), filepath.Ext(from)))
	if err := r.Export(ctx, to); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	e := event{"from": from, "to": to, "events": len(r.Events), "stats": trainlog.Phases(o, r.Events)}
	o.Line("wrote %s: %s of %s", to, progress.Plural(len(r.Events), "event"), from)
	return o.Done(e)
}
