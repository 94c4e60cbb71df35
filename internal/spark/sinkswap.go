package spark

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// Spark replaces a table of files by dropping it first, so a write that fails would leave neither the old rows nor the
// new ones. Such a table is written beside the old one, and takes its name when it is complete. Formats with
// transactions do better themselves. Tables outside Spark's own catalogue, or at a location that the user chose, are
// left to Spark.

// plainFormats are formats of tables that are directories of files.
var plainFormats = []string{"parquet", "orc", "csv", "json", "text", "avro", "hive"}

// toExisting returns the write with the format of the table that is there, unless another one was chosen. beside
// reports whether that table is to be replaced by one beside it.
func (c catalogue) toExisting(ctx context.Context, w engine.TableWrite) (to engine.TableWrite, beside bool, err error) {
	if w.Mode != engine.Append && w.Mode != engine.Overwrite {
		return w, false, nil
	}
	if _, err := c.session.Schema(ctx, connect.Table(w.Table)); gone(err) {
		return w, false, nil
	}
	is, err := c.described(ctx, w.Table)
	if err != nil {
		return w, false, err
	}
	to, beside = asDescribed(w, is)
	return to, beside, nil
}

// asDescribed is toExisting for a table with that description. Spark itself would replace any table by one of its
// default format.
func asDescribed(w engine.TableWrite, is map[string]string) (to engine.TableWrite, beside bool) {
	has := strings.ToLower(is["Provider"])
	if w.Format == "" {
		w.Format = has
	}
	return w, w.Mode == engine.Overwrite && is["Catalog"] == "spark_catalog" && is["Type"] == "MANAGED" &&
		slices.Contains(plainFormats, has) && slices.Contains(plainFormats, strings.ToLower(w.Format))
}

// described returns the catalogue's description of a table.
func (c catalogue) described(ctx context.Context, table string) (map[string]string, error) {
	rows, err := c.texts(ctx, "DESCRIBE TABLE EXTENDED "+dotted(nameParts(table)...))
	is := make(map[string]string)
	for _, row := range rows {
		is[row[0]] = row[1]
	}
	return is, err
}

// swap writes a table beside the old one, and then replaces that.
func (w tableWriter) swap(rows connect.Relation) (err error) {
	parts := nameParts(w.Table)
	name, at := parts[len(parts)-1], parts[:len(parts)-1]
	in := func(name string) string { return dotted(append(slices.Clone(at), name)...) }
	run := engine.RunName(time.Now())
	beside, before := in(run), name+"_before_"+run // dl4go clean removes the first, but not the second
	write := connect.Run{Timeout: w.deadline()}
	if err := w.session.SaveTable(w.ctx, rows, beside, w.Format, connect.ErrorIfExists, write); err != nil {
		return errors.Join(err, w.dropBeside(beside))
	}
	most := w.total
	if slices.Contains(lineFormats, strings.ToLower(w.Format)) {
		most = math.MaxInt64
	}
	if err := w.holds(beside, w.total, most); err != nil {
		return errors.Join(fmt.Errorf("%w; the old table is unchanged: write it again", err), w.dropBeside(beside))
	}
	// The names are exchanged even if the job is given up meanwhile.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), removeDeadline)
	defer cancel()
	rename := func(from, to string) error {
		return w.exec(ctx, "ALTER TABLE "+in(from)+" RENAME TO "+connect.Quote(to))
	}
	if err := rename(name, before); err != nil {
		// A user who may not rename the table may still be allowed to write it.
		w.left("a table's name, and the table is overwritten", err)
		if err := w.session.SaveTable(w.ctx, connect.Table(beside), w.Table, w.Format, connect.Overwrite, write); err != nil {
			return fmt.Errorf("its rows are in the table %s, which dl4go clean takes for a killed run's in a day: %w", beside,
				err)
		}
		return w.dropBeside(beside)
	}
	if err := rename(run, name); err != nil {
		if back := rename(before, name); back != nil {
			return fmt.Errorf("the table that was there is %s now, and the new one %s: %w", in(before), beside,
				errors.Join(err, back))
		}
		return errors.Join(err, w.dropBeside(beside))
	}
	if err := w.exec(ctx, "DROP TABLE IF EXISTS "+in(before)); err != nil {
		w.engine.options.Log.Warn("a table was replaced, and the old one could not be dropped", "table", w.Table, "old",
			in(before), "error", err)
	}
	return nil
}

func (w tableWriter) dropBeside(table string) error {
	soon, cancel := cleanup(w.ctx)
	defer cancel()
	err := w.answers(soon)
	if err == nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), removeDeadline)
		defer cancel()
		err = w.dropTable(ctx, table)
	}
	if err != nil {
		return fmt.Errorf("the table %s could not be removed; dl4go clean does it later: %w", table, err)
	}
	return nil
}

// nameParts splits a table's name: parts are separated by dots, and may be in backquotes.
func nameParts(name string) (parts []string) {
	for {
		part, rest, more := "", name, false
		if strings.HasPrefix(name, "`") {
			rest = name[1:]
			for {
				text, after, _ := strings.Cut(rest, "`")
				part += text
				if rest = after; !strings.HasPrefix(rest, "`") {
					break
				}
				part, rest = part+"`", rest[1:]
			}
			rest, more = strings.CutPrefix(rest, ".")
		} else {
			part, rest, more = strings.Cut(name, ".")
		}
		parts = append(parts, part)
		if !more {
			return parts
		}
		name = rest
	}
}
