package distributed_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/dl4go/dl4go/distributed"
)

// TestPredictionsForNoRows checks that a query without rows is an error that has its keys. Predictions for it are a
// table with all columns and no rows.
func TestPredictionsForNoRows(t *testing.T) {
	ctx := context.Background()
	f := &inTables{Engine: onEngine(t, "local[1]"), columns: columns("id bigint", "x array<float>")}
	_, err := distributed.FromQuery(ctx, f, "TABLE t", distributed.QueryOptions{Keys: []string{"id"}})
	var none *distributed.NoRowsError
	if !errors.As(err, &none) || !errors.Is(err, distributed.ErrNoRows) || fmt.Sprint(none.Keys) != "[{id bigint}]" {
		t.Fatalf("got %v, %+v", err, none)
	}
	on := distributed.New(f, digitsNet(t, "mlp"), nil, distributed.Options{})
	if err := on.WriteNoPredictions(ctx, none, "out", distributed.TableOptions{Class: "class"}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.columnsWritten); got != "[{id bigint} {prediction array<float>} {class int}]" ||
		f.wrote == nil || len(f.wrote) != 0 {
		t.Errorf("columns %s, rows %v", got, f.wrote)
	}
}
