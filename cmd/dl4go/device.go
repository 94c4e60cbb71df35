package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/doctor"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/internal/xla/plugin"
	"github.com/dl4go/dl4go/storage"
)

// deviceFlags are the flags of dl4go device.
type deviceFlags struct {
	source plugin.Source
	json   bool
}

// deviceCommand installs XLA's plugins, and lists the devices that they find.
func deviceCommand() *cobra.Command {
	f := &deviceFlags{}
	cmd := &cobra.Command{
		Use:   "device list|install KIND",
		Short: "Install XLA for GPUs, and list the devices that networks can run on",
		RunE:  f.run,
	}
	fs := cmd.Flags()
	fs.StringVar(&f.source.Index, "index", "", "`URL` package index of Python (default: PyPI)")
	fs.StringVar(&f.source.Proxy, "proxy", "", "`URL` HTTP proxy (default: that of the environment)")
	fs.StringVar(&f.source.Local, "from", "", "`DIR` directory with the wheels; nothing is downloaded")
	fs.BoolVar(&f.json, "json", false, "print JSON, one object a line")
	return cmd
}

func (f *deviceFlags) run(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 1 && args[0] == "list":
		err := usage.NoEffect(cmd.Flags().Changed, "dl4go device install", "list", "index", "proxy", "from")
		if err != nil {
			return err
		}
		return doctor.ListDevices(newOutput(cmd, f.json))
	case len(args) == 2 && args[0] == "install":
		return f.install(cmd, args[1])
	}
	return usagef("dl4go device takes list, or install and one of %s; got %q", strings.Join(plugin.Kinds(), ", "), args)
}

func (f *deviceFlags) install(cmd *cobra.Command, kind string) error {
	if len(plugin.Wheels(kind)) == 0 {
		return usagef("there is no plugin %q; there are %s", kind, strings.Join(plugin.Kinds(), ", "))
	}
	if f.source.Local != "" && (f.source.Index != "" || f.source.Proxy != "") {
		return usagef("--from downloads nothing: leave --index and --proxy out")
	}
	var err error
	if f.source.Local, err = storage.Path(f.source.Local); err != nil {
		return usagef("--from: %w", err)
	}
	o := newOutput(cmd, f.json)
	f.source.Progress = func(w plugin.Wheel, number, of int) {
		o.Line("%d of %d: %s", number, of, w.File)
		o.Emit("wheel", event{"file": w.File, "number": number, "of": of})
	}
	p, err := plugin.Install(cmd.Context(), kind, f.source)
	if err != nil {
		return err
	}
	o.Line("installed %s: %s", kind, p.Library)
	return o.Done(event{"installed": kind, "library": p.Library})
}
