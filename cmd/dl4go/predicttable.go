package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/apply"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/usage"
)

// tableFlags say how predictions are written to a table.
type tableFlags struct{ mode, format string }

func (f *tableFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.mode, "mode", string(engine.ErrorIfExists), "`MODE` table exists: error (default), append, overwrite")
	fs.StringVar(&f.format, "format", "", "`FORMAT` of the table, such as delta (default: its own)")
}

// predictTable writes a table.
func (f *applyFlags) predictTable(cmd *cobra.Command, name string, table *tableFlags) error {
	if name == "" {
		return usagef("--output table: a name is missing: table:NAME or table:DATABASE.NAME")
	}
	mode, err := usage.Choose("mode", table.mode, engine.ErrorIfExists, engine.Append, engine.Overwrite)
	if err != nil {
		return err
	}
	to := &apply.Table{Name: name, Mode: mode, Format: table.format}
	a, err := f.open(cmd, apply.Want{Table: to})
	if err != nil {
		return err
	}
	defer a.Close()
	n, err := a.PredictTable(cmd.Context(), to)
	if err != nil {
		return err
	}
	if a.Empty() {
		a.Out.Line("wrote the table %s: the query gives no rows, and the table gets none", name)
	} else {
		a.Out.Line("wrote the table %s: %s rows for %s, %s rows/s", name, progress.Count(n), a.Name(), a.Speed(int(n)))
	}
	return a.Done(int(n), event{"table": name, "mode": string(mode)})
}
