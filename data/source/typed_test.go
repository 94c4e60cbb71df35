package source

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
)

const mixed = "parquet:testdata/parquet/mixed.parquet"

// TestParquet reads the columns of mixed.parquet as features and labels.
func TestParquet(t *testing.T) {
	for name, want := range map[string]struct {
		features, labels []float32 // of row 7
		names, classes   []string
		key              string
	}{
		mixed + "?label=kind&key=id": {[]float32{3.5, 7, -7, 0.5, 7, 70}, []float32{0, 1, 0},
			[]string{"a", "v[0]", "v[1]", "v[2]", "whole", "price"}, []string{"blue", "green", "red"}, "k7"},
		mixed + "?label=kind&key=id&names=red,green,blue": {[]float32{3.5, 7, -7, 0.5, 7, 70}, []float32{0, 1, 0},
			[]string{"a", "v[0]", "v[1]", "v[2]", "whole", "price"}, []string{"red", "green", "blue"}, "k7"},
	} {
		s, err := Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.Object(7)
		if err != nil {
			t.Fatal(err)
		}
		info := s.Info()
		if info.Examples != 12 || !slices.Equal(m.Features[0].Data, want.features) || !slices.Equal(m.Labels[0].Data,
			want.labels) ||
			!slices.Equal(info.Schema.Features, want.names) || !slices.Equal(info.LabelNames, want.classes) ||
			m.Meta[0] != want.key {
			t.Errorf("%s: %+v\n%v %v %v", name, info, m.Features[0].Data, m.Labels[0].Data, m.Meta)
		}
	}
}

// TestParquetForModel: a model's columns are found by name, in any order; columns that it does not know are not read.
func TestParquetForModel(t *testing.T) {
	n, err := Parse("parquet:testdata/parquet/nested.parquet?label=label&classes=2")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenName(t.Context(), n, Options{}); err == nil || !strings.Contains(err.Error(),
		`nested.parquet: column "s" is a struct`) {
		t.Error(err)
	}
	s, err := OpenName(t.Context(), n, Options{As: &data.Schema{Features: []string{"x"}}})
	if err != nil {
		t.Fatal(err)
	}
	if info := s.Info(); info.Examples != 2 || !slices.Equal(info.Unused, []string{"s", "gap"}) {
		t.Errorf("%+v", info)
	}
	_, err = OpenName(t.Context(), n, Options{As: &data.Schema{Features: []string{"x", "gap"}}})
	if err == nil || !strings.Contains(err.Error(), `nested.parquet: row 1: column "gap": the value is missing`) {
		t.Error(err)
	}
	n.Place = "testdata/parquet/mixed.parquet"
	n.Settings = map[string]string{"label": "price", "regression": "true"}
	s, err = OpenName(t.Context(), n, Options{As: &data.Schema{Features: []string{"v[1]", "a", "v[0]"}}})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := s.Object(3); err != nil || !slices.Equal(m.Features[0].Data, []float32{-3, 1.5, 3}) ||
		m.Labels[0].Data[0] != 30 {
		t.Errorf("%v %v", m, err)
	}
	n.Settings["label"] = "v"
	s, err = OpenName(t.Context(), n, Options{As: &data.Schema{Features: []string{"a"}}})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := s.Object(3); err != nil || !slices.Equal(m.Labels[0].Data, []float32{3, -3, 0.5}) {
		t.Errorf("%v %v", m, err)
	}
}

// TestParquetAlike: the stream, the worker and the table give the same examples.
func TestParquetAlike(t *testing.T) {
	n, err := Parse(mixed + "?label=kind&names=red,green,blue&key=id")
	if err != nil {
		t.Fatal(err)
	}
	table, err := OpenName(t.Context(), n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := table.(Table).Range(0, 12)
	stream, err := OpenStream(t.Context(), n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var rows []*data.MultiDataSet
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
	var batches []*data.MultiDataSet
	err = typedKind{typedFormat{"parquet", openParquet}, About{}}.ReadFile(n, Options{}, "s3://b/x.parquet",
		bytes.NewReader(content),
		func(m *data.MultiDataSet) error { batches = append(batches, m); return nil })
	if err != nil {
		t.Fatal(err)
	}
	for what, parts := range map[string][]*data.MultiDataSet{"stream": rows, "worker": batches} {
		m, err := data.Merge(parts)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data.AppendRow(nil, m), data.AppendRow(nil, want)) {
			t.Errorf("%s: %v, not %v", what, m.Labels[0], want.Labels[0])
		}
	}
}

// TestPartitions: directories named COLUMN=VALUE make columns, with types that fit all values.
func TestPartitions(t *testing.T) {
	k := typedKind{typedFormat{"parquet", openParquet}, About{}}
	for place, want := range map[string]string{
		"testdata/parquet/parts": "x y year month\n3.0 6.0 2025 a b\n1.0 2.0 2025 " +
			"jan\n2.0 4.0 2025 jan\n4.0 8.0 2026 jan\n5.0 10.0 2026 jan\n",
		"testdata/parquet/parts/year=2026": "x y month\n4.0 8.0 jan\n5.0 10.0 jan\n",
		"testdata/parquet/parts/year=*": "x y year month\n3.0 6.0 2025 a b\n1.0 2.0 2025 " +
			"jan\n2.0 4.0 2025 jan\n4.0 8.0 2026 jan\n5.0 10.0 2026 jan\n",
		"testdata/parquet/parts/*/month=jan/*.parquet": "x y year month\n1.0 2.0 2025 jan\n2.0 4.0 2025 " +
			"jan\n4.0 8.0 2026 jan\n5.0 10.0 2026 jan\n",
		"testdata/parquet/parts/year=2026/month=jan/part-0.parquet": "x y\n4.0 8.0\n5.0 10.0\n",
	} {
		rows, err := k.Rows(t.Context(), Name{Kind: "parquet", Place: place}, RowOptions{})
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(rows.Schema().Names(), " ") + "\n"
		for {
			item, err := rows.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			text += strings.Trim(fmt.Sprint(item.Row), "[]") + "\n"
		}
		if text != want {
			t.Errorf("%s:\n%s, not\n%s", place, text, want)
		}
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}
	s, err := Open(t.Context(), "parquet:testdata/parquet/parts?label=month&names=jan,a%20b")
	if err != nil {
		t.Fatal(err)
	}
	if m, err := s.Object(0); err != nil || !slices.Equal(m.Features[0].Data, []float32{3, 6, 2025}) ||
		m.Labels[0].Data[1] != 1 {
		t.Errorf("%v %v", m, err)
	}
}

// TestPartitionWithoutClass checks that a directory without a value is an error if its column is the class.
func TestPartitionWithoutClass(t *testing.T) {
	dir := t.TempDir()
	b, err := os.ReadFile("testdata/parquet/parts/year=2026/month=jan/part-0.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"month=jan", "month=__HIVE_DEFAULT_PARTITION__"} {
		if err := os.Mkdir(filepath.Join(dir, part), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, part, "part-0.parquet"), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err = Open(t.Context(), "parquet:"+dir+"?label=month&names=jan,feb")
	if err == nil || !strings.Contains(err.Error(), `column "month" has no value in the directory's name`) {
		t.Error(err)
	}
}
