package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/results"
)

// tableFlags say how predictions are written to a table.
type tableFlags struct{ mode, format string }

// tableOnly lists the flags that only apply to tables.
var tableOnly = []string{"mode", "format"}

func (f *tableFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.mode, "mode", string(engine.ErrorIfExists), "`MODE` table exists: error (default), append, overwrite")
	fs.StringVar(&f.format, "format", "", "`FORMAT` of a new table, such as parquet or delta")
}

func (f *tableFlags) unused(cmd *cobra.Command) error {
	for _, name := range tableOnly {
		if cmd.Flags().Changed(name) {
			return usagef("--%s goes with --output table:NAME", name)
		}
	}
	return nil
}

// tableWrite is the table for predictions.
type tableWrite struct {
	name string
	mode engine.WriteMode
}

// check fails, before anything is computed, if the table exists and must not.
func (t *tableWrite) check(ctx context.Context, w *workplace) error {
	if t.mode != engine.ErrorIfExists {
		return nil
	}
	e, err := w.open(ctx)
	if err != nil {
		return err
	}
	tables, err := engine.TablesOf(e)
	if err != nil {
		return err
	}
	var exists *engine.TableExistsError
	err = tables.CheckTable(ctx, engine.TableWrite{Table: t.name, Columns: []engine.Column{{Name: "any", Type: "string"}}})
	if errors.As(err, &exists) {
		return fmt.Errorf("--output table:%s: the table exists already; add --mode append or --mode overwrite, or name "+
			"another one", t.name)
	}
	return err
}

// predictTable writes a table.
func (f *applyFlags) predictTable(cmd *cobra.Command, name string, table *tableFlags) error {
	o := distributed.TableOptions{Format: table.format, Finite: !f.allowNaN}
	var err error
	switch {
	case name == "":
		return usagef("--output table: a name is missing: table:NAME or table:DATABASE.NAME")
	case !queried(f.data):
		return usagef("--output table:%s: a table's rows are told apart by the keys of a query's rows: --data sql:SELECT "+
			"… --keys COLUMN", name)
	case f.settings.keys("data", f.data) == nil:
		return usagef("--output table:%s: --keys is missing, the columns of the query that tell its rows apart", name)
	}
	if o.Mode, err = choose("mode", table.mode, engine.ErrorIfExists, engine.Append, engine.Overwrite); err != nil {
		return err
	}
	f.table = &tableWrite{name, o.Mode}
	a, err := f.open(cmd, false, nil)
	if err != nil {
		return err
	}
	defer a.close()
	p := distributed.PredictOptions{}
	p.Revert, _ = a.net.Normalizer.(*normalizer.Scaler)
	if prepared := f.settings.Preparation; prepared != nil {
		answer := prepared.Answer()
		o.Answer = &answer
	} else if results.Classifies(a.net.Network) {
		o.Class = "class"
	}
	if a.none != nil {
		if err := a.on.WriteNoPredictions(cmd.Context(), a.none, name, o); err != nil {
			return err
		}
		a.out.Line("wrote the table %s: the query gives no rows, and the table gets none", name)
		return a.done(f.model, 0, event{"table": name, "mode": string(o.Mode)})
	}
	var n int64
	err = a.counted("predict", func(func(int)) (err error) {
		predictions, err := a.on.Predict(cmd.Context(), a.data, p)
		if err != nil {
			return err
		}
		defer predictions.Release()
		n, err = predictions.WriteTable(cmd.Context(), name, o)
		return err
	})
	if err != nil {
		return err
	}
	a.out.Line("wrote the table %s: %s rows for %s, %s rows/s", name, progress.Count(n), a.source.Info().Name,
		progress.Count(int64(float64(n)/time.Since(a.begin).Seconds())))
	return a.done(f.model, int(n), event{"table": name, "mode": string(o.Mode)})
}
