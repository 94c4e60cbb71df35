package prepare

import (
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// TestDroppedNested: a column that can't be read may be left out. A column of another name is still an error.
func TestDroppedNested(t *testing.T) {
	n := source.Name{Kind: "parquet", Place: "../../data/source/testdata/parquet/nested.parquet",
		Settings: map[string]string{"label": "label"}}
	for _, engine := range []string{"", "local[2]", "processes[2]"} {
		open := func(drop ...string) (*Result, error) {
			s := Settings{Proposal: analysis.Options{Drop: drop}}
			if engine == "" {
				return Open(t.Context(), n, s)
			}
			return OpenOn(t.Context(), onEngine(t, engine), n, s, distributed.OpenOptions{})
		}
		if _, err := open("gap"); err == nil || !strings.Contains(err.Error(), `column "s" is a struct`) {
			t.Errorf("%s: %v", engine, err)
		}
		if _, err := open("s", "other"); err == nil || !strings.Contains(err.Error(), `there is no column "other"`) {
			t.Errorf("%s: %v", engine, err)
		}
		r, err := open("s", "gap")
		if err != nil {
			t.Errorf("%s: %v", engine, err)
			continue
		}
		if info := r.Train.Info(); info.Examples != 2 || !slices.Equal(info.Schema.Features, []string{"x"}) {
			t.Errorf("%s: %+v", engine, info)
		}
	}
}
