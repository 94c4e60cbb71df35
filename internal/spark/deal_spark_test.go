//go:build spark

package spark

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// TestSparkDeal checks that the executors compute a seed's order of 300,000 rows. The driver sends them a few bytes and
// no relation.
func TestSparkDeal(t *testing.T) {
	t.Parallel()
	o, err := engine.Open(t.Context(), os.Getenv("DL4GO_SPARK"), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	e := o.(*Engine)
	a := shuffled(9, 300_000, 5, 2)
	seen := 0
	if err := e.do(t.Context(), func(j *job) error {
		before := j.carrier.sent.Load()
		q, err := j.planner().order(a)
		if err != nil {
			return err
		}
		if sent := j.carrier.sent.Load() - before; sent > 1000 || len(j.views) > 0 {
			t.Errorf("%d bytes were sent, and %d relations", sent, len(j.views))
		}
		return j.session.Collect(j.ctx, connect.SQL(string(q)), connect.Run{}, func(b *arrow.Batch) error {
			for i := range b.Rows {
				at, p, place := b.Columns[0].Int(i), b.Columns[1].Int(i), b.Columns[2].Int(i)
				first, _ := a.Places(int(p))
				if got := a.Index(first + int(place)); got != at {
					return fmt.Errorf("index %d is at place %d of partition %d, where %d belongs", at, place, p, got)
				}
				seen++
			}
			return nil
		})
	}); err != nil {
		t.Fatal(err)
	}
	if seen != len(a.Order) {
		t.Errorf("%d rows of %d were dealt out", seen, len(a.Order))
	}

	// Exchange rows by this order. Also test an order that is kept and comes from another session.
	rows := make([][]engine.Row, 3)
	for i := range 5000 {
		p := i * len(rows) / 5000
		rows[p] = append(rows[p], engine.Unindexed(fmt.Append(nil, "row ", i)))
	}
	small := shuffled(10, 5000, 4, 1)
	moved := engine.Parallelize(e, rows).Index().Exchange(small).Persist(engine.MemoryAndDisk)
	for range 2 {
		at := 0
		if err := moved.Collect(context.Background(), func(p int, row engine.Row) error {
			if want := fmt.Sprint("row ", small.Order[at]); string(row.Bytes) != want || row.Index != small.Order[at] {
				return fmt.Errorf("row %d of partition %d is %q, wanted %q", at, p, row.Bytes, want)
			}
			at++
			return nil
		}); err != nil || at != 5000 {
			t.Fatalf("%d rows, %v", at, err)
		}
		if err := Renew(e); err != nil {
			t.Fatal(err)
		}
	}
	moved.Unpersist()
	if n := len(e.values); n > 0 {
		t.Errorf("%d values stay", n)
	}
}
