package distributed_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
)

// TestTablesOfNumbers checks that results that are NaN or infinite are refused on request, with the key of their
// example.
func TestTablesOfNumbers(t *testing.T) {
	ctx := t.Context()
	f := &inTables{Engine: onEngine(t, "local[1]")}
	net := twoByTwo(t)
	net.Params()[len(net.Params())-1] = float32(math.NaN()) // the bias of the second output
	m := &data.MultiDataSet{}
	for _, x := range pairs() {
		m = x
		break
	}
	d, err := distributed.FromKeyed(f, func(yield func(string, *data.MultiDataSet) bool) { yield("one", m) }, 1)
	if err != nil {
		t.Fatal(err)
	}
	on := distributed.New(f, net, nil, distributed.Options{})
	predictions, err := on.Predict(ctx, d, distributed.PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer predictions.Release()
	scores, err := on.ScoreExamples(ctx, d, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer scores.Release()
	for what, write := range map[string]func(distributed.TableOptions) (int64, error){
		"output is NaN": func(o distributed.TableOptions) (int64, error) { return predictions.WriteTable(ctx, "out", o) },
		"score is NaN":  func(o distributed.TableOptions) (int64, error) { return scores.WriteTable(ctx, "out", o) },
	} {
		_, err := write(distributed.TableOptions{Finite: true})
		var failed *engine.WorkerError
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), what) ||
			!strings.Contains(err.Error(), `the key "one"`) {
			t.Errorf("wanted that the %s, with the key: %v", what, err)
		}
		if n, err := write(distributed.TableOptions{}); err != nil || n != 1 {
			t.Errorf("%s, accepted: %d rows, error %v", what, n, err)
		}
	}
}
