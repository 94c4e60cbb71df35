package source

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
)

const mixedArrow = "arrow:testdata/arrow/mixed.arrow"

// TestArrow: an Arrow file gives the same examples as a Parquet file of the same table, as a whole, as a stream and on
// a worker.
func TestArrow(t *testing.T) {
	const settings = "?label=kind&names=red,green,blue&key=id"
	parquet, err := Open(t.Context(), mixed+settings)
	if err != nil {
		t.Fatal(err)
	}
	want := data.AppendRow(nil, parquet.(Table).Range(0, 12))
	n, err := Parse(mixedArrow + settings)
	if err != nil {
		t.Fatal(err)
	}
	table, err := OpenName(t.Context(), n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(table.Info().Schema.Features, parquet.Info().Schema.Features) {
		t.Errorf("features %v", table.Info().Schema.Features)
	}
	stream, err := OpenStream(t.Context(), n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var rows, batches []*data.MultiDataSet
	for {
		m, err := stream.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, m)
	}
	content, err := os.ReadFile(n.Place)
	if err != nil {
		t.Fatal(err)
	}
	k, _ := KindOf("arrow")
	if n.Place = "s3://b/x.arrow"; !k.(FileReader).ByWorkers(n) {
		t.Error("workers don't read it")
	}
	err = k.(FileReader).ReadFile(n, Options{}, n.Place, bytes.NewReader(content),
		func(m *data.MultiDataSet) error { batches = append(batches, m); return nil })
	if err != nil {
		t.Fatal(err)
	}
	for what, parts := range map[string][]*data.MultiDataSet{"table": {table.(Table).Range(0, 12)}, "stream": rows,
		"worker": batches} {
		m, err := data.Merge(parts)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data.AppendRow(nil, m), want) {
			t.Errorf("%s: %v", what, m)
		}
	}
}

// TestArrowRows: the files of a directory are one table, and the error of a damaged one names it.
func TestArrowRows(t *testing.T) {
	content, err := os.ReadFile("testdata/arrow/mixed.arrow")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"a.arrow", "b.feather"} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := OpenRows(t.Context(), Name{Kind: "arrow", Place: dir}, RowOptions{Columns: []string{"kind", "v", "id"}})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var text []string
	for {
		item, err := rows.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, item.Row[0].String()+item.Row[2].String())
	}
	if len(text) != 24 || text[7] != "k7green" || text[20] != "k8blue" ||
		!strings.HasSuffix(rows.Place(), "b.feather: row 12") {
		t.Errorf("%v at %s", text, rows.Place())
	}
	if err := os.WriteFile(filepath.Join(dir, "c.arrow"), content[:len(content)-100], 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), "arrow:"+dir+"?label=price&regression=true&key=id")
	if err == nil || !strings.Contains(err.Error(), `column "kind" has values of type String`) {
		t.Error(err)
	}
	_, err = Open(t.Context(), "arrow:"+dir+"?label=kind&key=id")
	if err == nil || !strings.Contains(err.Error(), "c.arrow: its end is missing") {
		t.Error(err)
	}
}
