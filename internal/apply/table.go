package apply

import (
	"context"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/results"
	"github.com/dl4go/dl4go/internal/workplace"
)

// Table is a table of the engine for predictions.
type Table struct {
	Name   string
	Mode   engine.WriteMode
	Format string // of a new table; empty: the engine's
}

// check fails, before anything is computed, if the table exists and must not.
func (t *Table) check(ctx context.Context, w *workplace.Place) error {
	if t.Mode != engine.ErrorIfExists {
		return nil
	}
	e, err := w.Open(ctx)
	if err != nil {
		return err
	}
	tables, err := engine.TablesOf(e)
	if err != nil {
		return err
	}
	var exists *engine.TableExistsError
	err = tables.CheckTable(ctx, engine.TableWrite{Table: t.Name, Columns: []engine.Column{{Name: "any", Type: "string"}}})
	if errors.As(err, &exists) {
		return fmt.Errorf("--output table:%s: the table exists already; add --mode append or --mode overwrite, or name "+
			"another one", t.Name)
	}
	return err
}

// Empty reports that a query gives no rows, so that a table gets none.
func (a *Applied) Empty() bool { return a.none != nil }

// PredictTable writes the predictions to a table. It returns the number of rows.
func (a *Applied) PredictTable(ctx context.Context, t *Table) (n int64, err error) {
	o := distributed.TableOptions{Format: t.Format, Finite: !a.AllowNaN, Mode: t.Mode}
	if o.Answer = a.answer(); o.Answer == nil && results.Classifies(a.Network.Network) {
		o.Class = "class"
	}
	if a.Empty() {
		return 0, a.on.WriteNoPredictions(ctx, a.none, t.Name, o)
	}
	err = a.counted("predict", func(func(int)) error {
		predictions, err := a.on.Predict(ctx, a.data, a.predictOptions())
		if err != nil {
			return err
		}
		defer predictions.Release()
		n, err = predictions.WriteTable(ctx, t.Name, o)
		return err
	})
	return n, err
}
