package worker

import (
	"io"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
)

// TestSizesOfFiles checks that a file with another number of bytes than listed is an error, above all an empty one.
func TestSizesOfFiles(t *testing.T) {
	files := []engine.File{{Path: "a", Content: []byte("aa")}, {Path: "b"}, {Path: "c", Content: []byte("ccc")}}
	for part, sizes := range map[string][]int64{
		"":                        {2, 0, 3},
		"b: 0 bytes were read":    {2, 5, 3},
		"c: 3 bytes were read":    {2, -1, 0},
		"a: 2 bytes were read of": {1, -1, -1},
	} {
		i := 0
		rows := sized(Link{Sizes: sizes}, engine.RowsFunc(func() (engine.Row, error) {
			if i == len(files) {
				return engine.Row{}, io.EOF
			}
			i++
			return files[i-1].Row(), nil
		}))
		n := 0
		var err error
		for row, failed := range engine.All(rows) {
			if err = failed; err != nil {
				break
			}
			if f, err := engine.FileOf(row); err != nil || f.Path != files[n].Path {
				t.Errorf("%v: row %d is %v, %v", sizes, n, f, err)
			}
			n++
		}
		if part == "" && (err != nil || n != len(files)) || part != "" &&
			(err == nil || !strings.Contains(err.Error(), part) || !engine.IsPermanent(err)) {
			t.Errorf("%v: %d files, %v", sizes, n, err)
		}
	}
}
