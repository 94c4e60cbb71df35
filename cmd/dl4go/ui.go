package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/internal/livepage"
	"github.com/dl4go/dl4go/internal/usage"
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
	if given("ui") {
		return nil
	}
	return usage.GoesWith(given, "--ui", "ui-cert", "ui-key", "ui-insecure")
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
			return livepage.ShowRuns(cmd.Context(), newOutput(cmd, asJSON), f.Options, args[0])
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.Address, "listen", "", "`HOST:PORT` address to listen at (default "+livepage.DefaultAddress+")")
	f.addSecurity(fs)
	fs.BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	return cmd
}
