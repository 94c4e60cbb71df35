package distributed_test

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
)

// opened opens data on an engine, and closes it when the test ends.
func opened(t *testing.T, e engine.Engine, text string, settings map[string]string,
	o distributed.OpenOptions) source.Source {
	t.Helper()
	s, err := distributed.Open(ctx, e, source.Name{Kind: kindOf(text), Place: text[strings.IndexByte(text, ':')+1:],
		Settings: settings}, o)
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := s.(io.Closer); ok {
		t.Cleanup(func() { c.Close() })
	}
	return s
}

func kindOf(text string) string { return text[:strings.IndexByte(text, ':')] }

// TestOpenQuery checks that a query's settings define its columns. Its rows can be read one by one, repeatedly, and by
// workers.
func TestOpenQuery(t *testing.T) {
	f := &inTables{Engine: onEngine(t, "local[2]"), columns: columns("id bigint", "a double", "b double", "kind int")}
	for i := range 5 {
		f.rows = append(f.rows, []engine.Cell{txt(fmt.Sprint(i)), txt(fmt.Sprint(i)), txt("2"), txt(fmt.Sprint(i % 2))})
	}
	s := opened(t, f, "sql:TABLE t", map[string]string{"features": "b,a", "label": "kind", "keys": "id", "classes": "2"},
		distributed.OpenOptions{Count: true})
	info := s.Info()
	if info.Examples != 5 || info.Classes != 2 || !reflect.DeepEqual(info.Schema.Features, []string{"b", "a"}) {
		t.Errorf("%+v", info)
	}
	for _, i := range []int{0, 3, 1} {
		m, err := s.Object(i)
		if err != nil || m.Features[0].Data[1] != float32(i) || m.Labels[0].Data[i%2] != 1 {
			t.Errorf("row %d is %+v, error %v", i, m, err)
		}
	}
	if bytes, here := source.Size(s); here || bytes != 5*4*4 {
		t.Errorf("%d bytes, in memory: %v", bytes, here)
	}
	d, err := distributed.Spread(ctx, f, s, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := d.Count(ctx); err != nil || n != 5 || d.KeyColumns() != 1 {
		t.Errorf("%d rows with keys of %d columns: %v", n, d.KeyColumns(), err)
	}
	for _, settings := range []map[string]string{{"classes": "x"}, {"shape": "1,b"}, {"ordered": "maybe"},
		{"lable": "kind"}} {
		if _, err := distributed.Open(ctx, f, source.Name{Kind: "sql", Place: "TABLE t", Settings: settings},
			distributed.OpenOptions{}); err == nil {
			t.Errorf("%v is taken", settings)
		}
	}
	if _, err := source.Open(t.Context(), "sql:TABLE t"); err == nil ||
		!strings.Contains(err.Error(), "a query for a Spark cluster") {
		t.Errorf("without an engine: %v", err)
	}
	if _, err := distributed.Open(ctx, f.Engine, source.Name{Kind: "sql", Place: "TABLE t"},
		distributed.OpenOptions{}); err == nil ||
		!strings.Contains(err.Error(), "has no tables") {
		t.Errorf("on an engine without tables: %v", err)
	}
}

// TestOpenClusterFiles checks that a cluster's workers read files as this process does.
func TestOpenClusterFiles(t *testing.T) {
	cluster := &inTables{Engine: onEngine(t, "local[2]")}
	dir := t.TempDir()
	for i := range 3 {
		if err := numbered(10*i, 2+i).SaveFile(t.Context(), filepath.Join(dir, string(rune('a'+i)))); err != nil {
			t.Fatal(err)
		}
	}
	text := "dl4j:" + dir
	s := opened(t, cluster, text, nil, distributed.OpenOptions{})
	if _, elsewhere := s.(source.Sampled); !elsewhere {
		t.Errorf("%s is read here", text)
	}
	here := opened(t, cluster.Engine, text, nil, distributed.OpenOptions{})
	if got, want := s.Info(), here.Info(); got.Examples != want.Examples || got.Classes != want.Classes ||
		!reflect.DeepEqual(got.Features, want.Features) {
		t.Errorf("%s: %+v, wanted %+v", text, got, want)
	}
	want := examples(t, cluster.Engine, here)
	if got := examples(t, cluster, s); !reflect.DeepEqual(got, want) || len(got) == 0 {
		t.Errorf("%s: %v, wanted %v", text, got, want)
	}
	if m, err := s.Object(s.Objects() - 1); err != nil || m.Examples() == 0 {
		t.Errorf("%s: the last object is %v, error %v", text, m, err)
	}
}

// examples returns the features of all examples as the workers read them.
func examples(t *testing.T, e engine.Engine, s source.Source) (rows [][]float32) {
	t.Helper()
	d, err := distributed.Spread(ctx, e, s, nil, 2)
	if err == nil {
		err = d.Examples(context.Background(), func(m *data.MultiDataSet) error {
			rows = append(rows, m.Features[0].Data)
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
