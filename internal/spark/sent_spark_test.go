//go:build spark

package spark

import (
	"log/slog"
	"os"
	"testing"

	"github.com/dl4go/dl4go/engine"
)

// TestSparkSentWhole checks that the driver's rows that only workers read are sent to them in a file, once per session,
// without a view and without a Spark job. If Spark has to move the rows, they are also made a table.
func TestSparkSentWhole(t *testing.T) {
	t.Parallel()
	sent := 0
	e := openHere(t, os.Getenv("DL4GO_SPARK"), engine.Options{Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Progress: func(p engine.Progress) {
			if p.ToSend > 0 && p.Sent == p.ToSend {
				sent++
			}
		}})
	const n, size = 5, 1 << 20
	rows := numbered(e, n, size)
	read := func(what string, d *engine.Dataset) {
		t.Helper()
		all, err := d.CollectAll(t.Context())
		if err != nil || len(all) != n {
			t.Fatalf("%s: %d rows, error %v", what, len(all), err)
		}
		for i, row := range all {
			if b := row.Bytes; row.Index != int64(i) || len(b) != size || b[0] != byte(i) || b[size-1] != byte(i) {
				t.Errorf("%s: row %d has %d bytes, %d … %d, and index %d", what, i, len(b), b[0], b[size-1], row.Index)
			}
		}
	}
	once := rows.Map(echo.With(false))
	read("the first time", once)
	read("after an attempt that failed", rows.Map(echo.With(true)))
	some := once.Select(3, 1)
	if all, err := some.CollectAll(t.Context()); err != nil || len(all) != 2 || all[0].Index != 3 || all[1].Index != 1 {
		t.Errorf("partitions 3 and 1: %d rows, error %v", len(all), err)
	}
	if left := views(t, e); left != nil || sent != 1 {
		t.Errorf("views %v; sent %d times", left, sent)
	}
	if err := Renew(e); err != nil {
		t.Fatal(err)
	}
	read("in another session", once)
	kept := once.Persist(engine.DiskOnly)
	read("kept", kept.Map(echo.With(false)))
	order := engine.Assignment{Order: []int64{0, 1, 2, 3, 4}, Ends: []int{2, 5}}
	read("moved", rows.Exchange(order).Map(echo.With(false)))
	read("moved from workers", once.Exchange(order).Map(echo.With(false)))
	read("as a table and a file", rows.Map(echo.With(false)))
	read("themselves", rows)
	kept.Unpersist()
	rows.Unpersist()
	if left := views(t, e); left != nil || len(e.values) != 0 || len(e.all) != 0 {
		t.Errorf("left: views %v, %d values, %d tables", left, len(e.values), len(e.all))
	}
	read("again", rows.Map(echo.With(false)))
}
