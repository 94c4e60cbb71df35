//go:build spark

package distributed_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/faulttest"
	_ "github.com/dl4go/dl4go/internal/spark"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

// onSpark returns the common engine on the Spark server of the tests.
func onSpark(t *testing.T) engine.Engine {
	t.Helper()
	return common.Open(t, spark(t), sparkOptions())
}

// ownSpark opens an engine of its own there.
func ownSpark(t *testing.T) engine.Engine {
	t.Helper()
	e, err := engine.Open(context.Background(), spark(t), sparkOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func sparkOptions() engine.Options {
	return engine.Options{Threads: 1, Log: slog.New(slog.DiscardHandler)}
}

func spark(t *testing.T) string {
	t.Helper()
	master := os.Getenv("DL4GO_SPARK")
	if master == "" {
		t.Fatal("DL4GO_SPARK names no Spark Connect server: run make test-spark, or tools/spark.sh with go test -tags " +
			"spark …")
	}
	return master
}

// TestExportOnSpark checks that exported data keeps its partitions and its order.
func TestExportOnSpark(t *testing.T) {
	e, dir := onSpark(t), t.TempDir()
	d := uneven(t, e)
	for _, to := range []string{"file://" + dir, ""} {
		exported, err := d.Export(ctx, to, 2)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, exported.Rows(), "[[0 1 2 3 4] [5 6 7] [8 9 10]]")
		if counts, err := exported.Counts(ctx); err != nil || !slices.Equal(counts, []int64{5, 3, 3}) {
			t.Errorf("counts %v, error %v", counts, err)
		}
		if err := exported.Remove(ctx); err != nil {
			t.Error(err)
		}
		if _, err := exported.Rows().Count(ctx); err == nil {
			t.Error("what was removed can be read")
		}
	}
	if left := filesIn(t, dir); left != nil {
		t.Errorf("%v is left", left)
	}
}

// fitted trains a small network for two epochs and returns its parameters and updater state.
func fitted(t *testing.T, d *distributed.Data, approach paramavg.Approach, dir string) []float32 {
	t.Helper()
	net, err := nn.New(nn.Configuration{Updater: updater.NewAdam(), Layers: []layer.Layer{
		layer.Output{NIn: 64, NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
	}})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(3)
	c := paramavg.Default()
	c.NumWorkers, c.BatchSizePerWorker, c.AveragingFrequency, c.RNGSeed, c.RDDTrainingApproach = 2, 16, 5, 12, approach
	if approach == paramavg.Export {
		c.ExportDirectory = dir
	}
	tm, err := paramavg.New(c, paramavg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := tm.Fit(ctx, net, d, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := tm.Close(); err != nil {
		t.Error(err)
	}
	return append(slices.Clone(net.Params()), net.UpdaterState()...)
}

// TestTrainingFromStorageOnSpark trains from memory, from an export, and from the files of a directory, and kills
// workers during an export. The parameters must be bit for bit those of goroutines, and nothing may be left.
func TestTrainingFromStorageOnSpark(t *testing.T) {
	train := digits(t, "train").Range(0, 330)
	inMemory := func(e engine.Engine) *distributed.Data {
		d, err := distributed.FromDataSets(e, []*data.MultiDataSet{train}, 3)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	want := fitted(t, inMemory(onEngine(t, "local[2]")), paramavg.Direct, "")
	if got := fitted(t, inMemory(onEngine(t, "local[2]")), paramavg.Export, t.TempDir()); !slices.Equal(got, want) {
		t.Error("local: Export differs from Direct")
	}
	e, dir := onSpark(t), t.TempDir()
	if got := fitted(t, inMemory(e), paramavg.Direct, ""); !slices.Equal(got, want) {
		t.Error("Spark: Direct differs from local[2]")
	}
	if got := fitted(t, inMemory(e), paramavg.Export, "file://"+dir); !slices.Equal(got, want) {
		t.Error("Spark: Export differs from local[2]")
	}
	armed := faulttest.Arm(t, faulttest.Fault{Deed: faulttest.Kill, Point: faulttest.Wrote, Row: 1,
		Task: "distributed.export", Partition: 0},
		faulttest.Fault{Deed: faulttest.Kill, Point: faulttest.Committed, Task: "distributed.export", Partition: 0})
	if got := fitted(t, inMemory(e), paramavg.Export, ""); !slices.Equal(got, want) {
		t.Error("Spark: Export to the warehouse, under kills, differs from local[2]")
	}
	armed.WantHappened()
	armed.Disarm()
	files := t.TempDir()
	for i := 0; i*50 < train.Examples(); i++ {
		if err := train.Slice(i*50, min((i+1)*50, train.Examples())).SaveFile(t.Context(), filepath.Join(files,
			fmt.Sprintf("%03d.bin", i))); err != nil {
			t.Fatal(err)
		}
	}
	d, err := distributed.FromDirectory(ctx, e, "file://"+files, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := fitted(t, d, paramavg.Export, "file://"+dir); !slices.Equal(got, want) {
		t.Error("Spark: training from a directory differs from local[2]")
	}
	if left := filesIn(t, dir); left != nil {
		t.Errorf("%v is left", left)
	}
	if _, err := distributed.FromDirectory(ctx, e, "file://"+files+"/none", 2); err == nil ||
		!strings.Contains(err.Error(), "none") {
		t.Errorf("a directory that is missing: %v", err)
	}
}
