package faulttest

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/local"
)

type mixConfig struct{ Salt string }

// Mix returns an operation whose rows depend on the salt, the partition, and all rows before them.
func Mix(salt string) engine.Step { return mix.With(mixConfig{salt}) }

var mix = engine.Register("faulttest.mix", func(t *engine.Task, conf mixConfig, in engine.Rows,
	out engine.Writer) error {
	sum := crc32.ChecksumIEEE([]byte(conf.Salt))
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		sum = crc32.Update(sum, crc32.IEEETable, row.Bytes)
		row.Bytes = fmt.Appendf(nil, "%d %08x %s", t.Partition, sum, row.Bytes)
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
})

// join combines rows into one that shows their order.
var join = engine.Register("faulttest.join", func(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
	var b []byte
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		b = fmt.Appendf(b, "%d,%08x;", len(row.Bytes), crc32.ChecksumIEEE(row.Bytes))
	}
	return out.Write(engine.Unindexed(b))
})

// The tasks of the work that faults disturb, as worker.Task.Name names them.
const (
	mapping   = "faulttest.mix"                 // rows to rows; twice per partition: to count, and for the exchange
	folding   = "faulttest.mix, faulttest.join" // rows to one row
	combining = "faulttest.join"                // the rows of other tasks to one row
)

// disturbed returns work with all kinds of tasks: rows are mapped, counted, exchanged, mapped again, and aggregated in
// two levels. The result depends on every row and on the order.
func disturbed(e engine.Engine, partitions int) func(context.Context) ([]byte, error) {
	var parts [][]engine.Row
	a := engine.Assignment{}
	for p := range partitions {
		var rows []engine.Row
		for i := range 5 + p%3 {
			a.Order = append(a.Order, int64(len(a.Order)))
			rows = append(rows, engine.Unindexed(bytes.Repeat([]byte{byte(p), byte(i)}, 50)))
		}
		parts = append(parts, rows)
	}
	slices.Reverse(a.Order)
	a.Ends = engine.EvenEnds(len(a.Order), partitions)
	d := engine.Parallelize(e, parts).Map(Mix("first")).Index().Exchange(a).Map(Mix("second"))
	return func(ctx context.Context) ([]byte, error) { return d.Reduce(ctx, join.With(struct{}{}), 2) }
}

// undisturbed returns the result of the work on a local engine without faults.
func undisturbed(t *testing.T, partitions int) []byte {
	t.Helper()
	e := local.New(2, engine.Options{})
	defer e.Close()
	want, err := disturbed(e, partitions)(context.Background())
	must(t, err)
	return want
}
