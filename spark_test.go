//go:build spark

package dl4go_test

import (
	"io"
	"os"
	"testing"

	"github.com/dl4go/dl4go"
	"github.com/dl4go/dl4go/distributed/paramavg"
)

// TestSameOnSpark: averaging by two workers of a Spark cluster gives the bits of local[2], with early stopping and a
// checkpoint.
func TestSameOnSpark(t *testing.T) {
	master := os.Getenv("DL4GO_SPARK")
	if master == "" {
		t.Fatal("DL4GO_SPARK names no Spark Connect server: run make test-spark, or tools/spark.sh with go test -tags " +
			"spark …")
	}
	settings := paramavg.Default()
	settings.NumWorkers, settings.RDDTrainingApproach = 2, paramavg.Direct
	var models []*dl4go.Model
	for _, on := range []string{"local[2]", master} {
		c := configured(t)
		c.Patience, c.Save, c.Checkpoint = 3, t.TempDir()+"/model.zip", t.TempDir()
		m, err := dl4go.On(t.Context(), opened(t, on), dl4go.Averaging{Config: &settings}, c)
		if err != nil {
			t.Fatalf("%s: %v", on, err)
		}
		defer m.Close()
		models = append(models, m)
	}
	same(t, "on Spark", models[1].Network(), models[0].Network())
}

// A query's rows are data: the workers read them.
func TestQueryOnSpark(t *testing.T) {
	e := opened(t, os.Getenv("DL4GO_SPARK"))
	s, err := dl4go.ReadOn(t.Context(), e,
		"sql:SELECT sin(id) AS a, cos(id) AS b, 2*sin(id) - cos(id) AS label FROM range(400)")
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := s.(io.Closer); ok {
		defer c.Close()
	}
	m, err := dl4go.On(t.Context(), e, dl4go.Averaging{}, dl4go.Config{Network: dl4go.MLP(), Data: s, Epochs: 2, Batch: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if y, err := m.Predict(t.Context(), []float64{1, 0}); err != nil || len(y) != 1 || s.Info().Examples != 400 {
		t.Errorf("predicted %v by %d rows: %v", y, s.Info().Examples, err)
	}
	if m.Columns() == nil {
		t.Error("the model has no names of columns")
	}
}
