//go:build storage

package earlystopping_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
	"github.com/dl4go/dl4go/storage"
	_ "github.com/dl4go/dl4go/storage/hdfs"
	_ "github.com/dl4go/dl4go/storage/s3"
)

// TestURLs checks that the data's directory and the one of the best networks can be on remote storage.
func TestURLs(t *testing.T) {
	some := false
	for scheme, variable := range map[string]string{"s3": "DL4GO_S3", "hdfs": "DL4GO_HDFS"} {
		if root := os.Getenv(variable); root != "" {
			some = true
			t.Run(scheme, func(t *testing.T) { urls(t, root) })
		}
	}
	if !some {
		t.Fatal("there are no URLs: make test-storage")
	}
}

func urls(t *testing.T, root string) {
	dir, models := storage.Join(root, "earlystopping/data"), storage.Join(root, "earlystopping/models")
	s, err := source.Open(t.Context(), "digits:test")
	if err != nil {
		t.Fatal(err)
	}
	examples, batches := s.Info().Examples, source.Batches(s, 64)
	for i := range (examples + 63) / 64 {
		m, err := batches.Next()
		if err == nil {
			err = m.SaveFile(t.Context(), storage.Join(dir, fmt.Sprintf("dataset_%d.bin", i)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var first []float32
	for _, master := range []string{"local[2]", "processes[2]"} {
		e := on(t, master)
		d, err := distributed.FromDirectory(t.Context(), e, dir, 2)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := d.Count(t.Context()); n != examples || err != nil {
			t.Fatalf("%s: %d examples, %v", master, n, err)
		}
		exported, err := d.Export(t.Context(), storage.Join(root, "earlystopping/exported"), 50)
		if err != nil {
			t.Fatal(err)
		}
		files, err := storage.List(context.Background(), exported.Place())
		if n, count := exported.Count(t.Context()); n != examples || count != nil || err != nil || len(files) < examples/50 {
			t.Errorf("%s: %d examples in %d files were exported, %v, %v", master, n, len(files), count, err)
		}
		if err := exported.Remove(t.Context()); err != nil {
			t.Error(err)
		}
		if files, _ := storage.List(context.Background(), exported.Place()); len(files) != 0 {
			t.Errorf("%s: %d exported files are left", master, len(files))
		}
		saver, err := earlystopping.NewDirectory(t.Context(), models)
		if err != nil {
			t.Fatal(err)
		}
		r, err := earlystopping.Fit(t.Context(), earlystopping.Config{Saver: saver, SaveLast: true,
			Epoch:      []earlystopping.EpochCondition{earlystopping.MaxEpochs{Epochs: 2}},
			Calculator: earlystopping.Loss{Data: d}}, distributed.New(e, digitsNet(t), averaging(t), distributed.Options{}), d)
		if err != nil {
			t.Fatal(err)
		}
		again, err := earlystopping.OpenDirectory(t.Context(), models)
		if err != nil {
			t.Fatal(err)
		}
		best, err := again.Best()
		if err != nil || !slices.Equal(best.Params(), r.Best.Params()) {
			t.Errorf("%s: the best network is not what was saved: %v", master, err)
		}
		if latest, err := again.Latest(); err != nil || latest == nil {
			t.Errorf("%s: the latest network: %v", master, err)
		}
		if first == nil {
			first = best.Params()
		} else if !slices.Equal(first, best.Params()) {
			t.Errorf("%s: other parameters than with local[2]", master)
		}
	}
}
