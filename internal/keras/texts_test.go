package keras

import (
	"bytes"
	"encoding/csv"
	"io/fs"
	"os"
	"path"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data/source"
)

// TestTexts: models that take texts have a pipeline, which makes Keras' answers of raw columns.
func TestTexts(t *testing.T) {
	if os.Getenv("DL4GO_KERAS") != "" {
		return // other cases
	}
	files := cases(t)
	list, err := fs.Glob(files, "texts-*/model.keras")
	if err != nil || len(list) != 10 {
		t.Fatalf("cases %v, error %v", list, err)
	}
	for _, name := range list {
		b := content(t, files, name)
		net, err := Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		steps, labels := net.Pipeline()
		prepared, err := source.DecodePreparation(steps, labels)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		maker, err := prepared.RowMaker()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		lines, err := csv.NewReader(bytes.NewReader(content(t, files, path.Dir(name)+"/raw.csv"))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if got := net.Schema().Features; !slices.Equal(got, lines[0]) {
			t.Errorf("%s: the columns are %v, want %v", name, got, lines[0])
		}
		var rows []map[string]any
		for _, line := range lines[1:] {
			row := map[string]any{}
			for i, cell := range line {
				row[lines[0][i]] = cell
			}
			rows = append(rows, row)
		}
		m, err := maker.Examples(rows)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := arrays(t, files, path.Dir(name)+"/output")
		same(t, name, net, m.Features, want, 1e-5, 1e-5)
		net.Close()
	}
}
