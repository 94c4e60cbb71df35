package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/livepage"
	"github.com/dl4go/dl4go/internal/progress"
)

// uiFlags say where pages for browsers are served.
type uiFlags struct{ livepage.Options }

func (f *uiFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.Address, "ui", "", "`[=HOST:PORT]` serve a live page for browsers")
	fs.Lookup("ui").NoOptDefVal = livepage.DefaultAddress
	f.addSecurity(fs)
}

func (f *uiFlags) addSecurity(fs *pflag.FlagSet) {
	fs.StringVar(&f.Certificate, "ui-cert", "", "`FILE` certificate of the page's server, PEM")
	fs.StringVar(&f.Key, "ui-key", "", "`FILE` its key, PEM")
	fs.BoolVar(&f.Exposed, "ui-insecure", false, "serve the page to other machines without TLS")
}

// check refuses flags about serving a page if none is served.
func (f *uiFlags) check(given func(string) bool) error {
	for _, name := range []string{"ui-cert", "ui-key", "ui-insecure"} {
		if given(name) && !given("ui") {
			return usagef("--%s goes with --ui", name)
		}
	}
	return nil
}

// open serves pages and prints their URL.
func (f *uiFlags) open(o *console.Output, flag string, pages livepage.Pages) (*livepage.Server, error) {
	s, err := livepage.Open(f.Options, pages)
	if errors.Is(err, livepage.ErrExposed) {
		return nil, usagef("--%s %w; give --ui-cert and --ui-key, or allow it with --ui-insecure", flag, err)
	}
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	o.Line("%-10s %s", "live page", o.Strong(s.URL()))
	o.Emit("ui", event{"url": s.URL(), "watchURL": s.WatchURL()})
	return s, nil
}

func uiCommand() *cobra.Command {
	f, asJSON := &uiFlags{}, false
	cmd := &cobra.Command{
		Use:   "ui DIR",
		Short: "Serve pages of a directory's finished runs, and compare them",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("dl4go ui takes one directory with files of statistics, got %d: dl4go ui --help shows how", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.serve(cmd.Context(), newOutput(cmd, asJSON), args[0])
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.Address, "listen", "", "`HOST:PORT` address to listen at (default "+livepage.DefaultAddress+")")
	f.addSecurity(fs)
	fs.BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	return cmd
}

// serve serves the runs of a directory until the context ends, which also ends the command.
func (f *uiFlags) serve(ctx context.Context, o *console.Output, dir string) error {
	a := &livepage.Archive{Dir: dir}
	runs, err := a.Check(ctx)
	if err != nil {
		return err
	}
	s, err := f.open(o, "listen", a)
	if err != nil {
		return err
	}
	defer s.Close()
	o.Line("%s of %s; Ctrl-C ends it", progress.Plural(runs, "file"), dir)
	<-ctx.Done()
	return nil
}
