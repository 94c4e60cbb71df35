package distributed_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
)

// elsewhere is a cluster with files that this machine does not see.
type elsewhere struct {
	*inTables
	files []string
}

func (e elsewhere) ListFiles(ctx context.Context, dir string) (files []engine.FileInfo, err error) {
	all, err := e.ListTree(ctx, dir)
	for _, f := range all {
		if f.Path[:strings.LastIndexByte(f.Path, '/')] == dir {
			files = append(files, f)
		}
	}
	return files, err
}

func (e elsewhere) ListTree(_ context.Context, dir string) (files []engine.FileInfo, err error) {
	for _, name := range e.files {
		if strings.HasPrefix(name, dir+"/") {
			files = append(files, engine.FileInfo{Path: name, Size: 1})
		}
	}
	return files, nil
}

// TestPatternElsewhere: the cluster finds the files of a pattern that this machine does not see. A worker opens the
// first one.
func TestPatternElsewhere(t *testing.T) {
	const root = "file:///no-such-directory/of-dl4go/"
	e := elsewhere{&inTables{Engine: onEngine(t, "local[2]")}, []string{root + "logs/_0.csv", root + "logs/1.txt",
		root + "logs/2.csv", root + "logs/3.csv", root + "logs/a/0.csv", root + "t/a=1/_x/0.parquet",
		root + "t/a=1/b=1/0.parquet",
		root + "t/c=1/0.parquet"}}
	for place, want := range map[string]string{
		"csv:logs/*.csv":     "logs/2.csv",
		"csv:logs/[3-9].csv": "logs/3.csv",
		"csv:*/*/0.csv":      "logs/a/0.csv",
		"csv:logs/*.gz":      "logs/*.gz: no file fits this pattern",
		"csv:lost/*":         "lost/*: no file fits this pattern",
		"parquet:t/a=*":      "t/a=1/b=1/0.parquet",
		"parquet:t/*/*":      "t/a=1/b=1/0.parquet",
		"parquet:t/c*/*":     "t/c=1/0.parquet",
		"parquet:t/a=*/b=2":  "t/a=*/b=2: no file fits this pattern",
	} {
		kind, place, _ := strings.Cut(place, ":")
		n := source.Name{Kind: kind, Place: root + place}
		_, err := distributed.OpenRaw(t.Context(), e, n, distributed.RawOptions{})
		if err == nil || !strings.Contains(err.Error(), "/of-dl4go/"+want) {
			t.Errorf("%s: %v, wanted %s", place, err, want)
		}
	}
}
