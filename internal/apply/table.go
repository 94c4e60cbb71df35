package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/results"
	"github.com/dl4go/dl4go/internal/usage"
)

// Table is a table of the engine for predictions.
type Table struct {
	Name   string
	Mode   engine.WriteMode
	Format string // empty: that of the table that exists, or the engine's
}

// check fails, before anything is computed, if the data has no keys, or if the table exists and must not.
func (t *Table) check(ctx context.Context, a *Applied) error {
	if err := t.checkKeys(a); err != nil {
		return err
	}
	if t.Mode != engine.ErrorIfExists {
		return nil
	}
	e, err := a.place.Open(ctx)
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

// checkKeys fails if nothing would tell the rows of the table apart. Saved DataSets may have keys as their metadata.
func (t *Table) checkKeys(a *Applied) error {
	kind := source.KindIn(a.Data)
	k, _ := source.KindOf(kind)
	_, pictures := k.(source.FolderReader)
	switch {
	case a.Keys() != nil || pictures || kind == "dl4j":
		return nil
	case slices.Contains(source.KindsWith("keys"), kind):
		return usage.Errorf("--output table:%s: --keys is missing, the columns that tell the rows apart", t.Name)
	}
	return usage.Errorf("--output table:%s: the examples of %s have no keys, which tell the rows of a table apart; write "+
		"a file, or take data with --keys: %s:", t.Name, a.Data, strings.Join(source.KindsWith("keys"), ":, "))
}

// Empty reports that a query gives no rows, so that a table gets none.
func (a *Applied) Empty() bool { return a.none != nil }

// PredictTable writes the predictions to a table. It returns the number of rows.
func (a *Applied) PredictTable(ctx context.Context, t *Table) (n int64, err error) {
	o := distributed.TableOptions{Format: t.Format, Finite: !a.AllowNaN, Mode: t.Mode, Keys: a.Keys()}
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
