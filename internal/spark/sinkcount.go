package spark

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// countedFormats are formats of tables that know their number of rows, so that the rows can be counted before others
// are added.
var countedFormats = []string{"parquet", "orc", "delta", "iceberg"}

// lineFormats are formats in which a row that contains a line feed counts as several lines in Spark.
var lineFormats = []string{"csv", "text", "hive"}

// save makes Spark write the rows to a table, and counts them there: nothing else compares the last workers' output
// with the rows that Spark has stored.
func (w tableWriter) save(rows connect.Relation) error {
	name, before := dotted(nameParts(w.Table)...), int64(0)
	if w.Mode == engine.Append {
		if _, err := w.session.Schema(w.ctx, connect.Table(w.Table)); err == nil {
			is, err := w.described(w.ctx, w.Table)
			if err != nil {
				return err
			}
			if before = -1; slices.Contains(countedFormats, strings.ToLower(is["Provider"])) {
				if before, err = w.rowCount(w.ctx, name); err != nil {
					return err
				}
			}
		} else if !gone(err) {
			return err
		}
	}
	err := w.session.SaveTable(w.ctx, rows, w.Table, w.Format, saveModes[w.Mode], connect.Run{Timeout: w.deadline()})
	if err != nil || before < 0 {
		return err
	}
	if err := w.holds(name, before+w.total, math.MaxInt64); err != nil {
		return fmt.Errorf("%w; somebody else may have changed it meanwhile: look at it, and write it again", err)
	}
	return nil
}

// holds fails unless a table has from least to most rows.
func (w tableWriter) holds(name string, least, most int64) error {
	got, err := w.rowCount(w.ctx, name)
	if err != nil {
		return fmt.Errorf("its rows can't be counted: %w", err)
	}
	if got < least || got > most {
		return fmt.Errorf("the table %s has %d rows after they were written, wanted %d", name, got, least)
	}
	return nil
}

// rowCount returns the number of a table's rows.
func (c catalogue) rowCount(ctx context.Context, name string) (n int64, err error) {
	err = c.session.Collect(ctx, connect.SQL("SELECT count(*) AS n FROM "+name), connect.Run{Timeout: lookup},
		func(b *arrow.Batch) error {
			for i := range b.Rows {
				n = b.Columns[0].Int(i)
			}
			return nil
		})
	return n, err
}
