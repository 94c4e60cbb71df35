//go:build unix

package prepare_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/parquet"
	"github.com/dl4go/dl4go/internal/prepare"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// benchTable writes a table of ten columns: a date, numbers, categories, truth values, and gaps in most of them.
func benchTable(b *testing.B, rows int) (path string, size int) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	var text bytes.Buffer
	text.WriteString("when,age,income,height,score,colour,city,member,visits,label\n")
	of := func(list ...string) string { return list[r.IntN(len(list))] }
	gap := func(s string) string {
		if r.IntN(33) == 0 {
			return ""
		}
		return s
	}
	for range rows {
		score := r.Float64()
		label := "stay"
		if score > 0.6 {
			label = of("buy", "leave")
		}
		fmt.Fprintf(&text, "%d-%02d-%02d,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", 2000+r.IntN(25), 1+r.IntN(12), 1+r.IntN(28),
			gap(fmt.Sprint(18+r.IntN(72))), gap(fmt.Sprintf("%.2f", 50000+12000*r.NormFloat64())),
			gap(fmt.Sprintf("%.1f", 170+10*r.NormFloat64())), gap(fmt.Sprintf("%.6f", score)),
			gap(of("red", "green", "blue", "black", "white")), of("Berlin", "Paris", "Rome", "Madrid", "Oslo", "Wien"),
			of("yes", "no"), gap(fmt.Sprint(r.IntN(1000))), label)
	}
	path = filepath.Join(b.TempDir(), "table.csv")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	return path, text.Len()
}

// benchName returns the name of such data.
func benchName(b *testing.B, text string) source.Name {
	b.Helper()
	n, err := source.Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	n.Settings = map[string]string{"label": "label"}
	return n
}

// readMinibatches reads all examples in minibatches of 256, and counts them.
func readMinibatches(b *testing.B, n source.Name, o source.Options) (examples int) {
	b.Helper()
	s, err := source.OpenStream(context.Background(), n, o)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	it := data.Rebatch(s, 256)
	for {
		m, err := it.Next()
		if err == io.EOF {
			return examples
		}
		if err != nil {
			b.Fatal(err)
		}
		examples += m.Examples()
	}
}

// BenchmarkMinibatches reads a CSV file into minibatches, through its proposed pipeline: columns get types, gaps are
// filled, and categories become columns.
func BenchmarkMinibatches(b *testing.B) {
	const rows = 200_000
	path, size := benchTable(b, rows)
	n := benchName(b, "csv:"+path)
	benchMinibatches(b, n, size, size, rows)
}

func benchMinibatches(b *testing.B, n source.Name, size, text, rows int) {
	b.Helper()
	opened, err := prepare.Open(context.Background(), n, prepare.Settings{Sample: 20_000, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	perCore(b, size, text, func() {
		if got := readMinibatches(b, n, source.Options{Preparation: opened.Preparation}); got != rows {
			b.Fatalf("%d examples of %d rows", got, rows)
		}
	})
}

// BenchmarkNumbers reads a CSV file of 20 columns of numbers and a class into minibatches, without a pipeline.
func BenchmarkNumbers(b *testing.B) {
	const rows = 100_000
	r := rand.New(rand.NewPCG(1, 3))
	var text []byte
	for range rows {
		for range 20 {
			text = append(strconv.AppendFloat(text, r.NormFloat64(), 'f', 6, 64), ',')
		}
		text = append(text, "01"[r.IntN(2)], '\n')
	}
	path := filepath.Join(b.TempDir(), "numbers.csv")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	n := benchName(b, "csv:"+path)
	n.Settings = map[string]string{"label": "-1", "classes": "2"}
	perCore(b, len(text), len(text), func() {
		if got := readMinibatches(b, n, source.Options{}); got != rows {
			b.Fatalf("%d examples of %d rows", got, rows)
		}
	})
}

// parquetTable writes the rows of a CSV file as a Parquet file, with the types that a proposal finds.
func parquetTable(b *testing.B, of source.Name, columns ...pipeline.Column) (path string, size int) {
	b.Helper()
	rows, err := source.OpenRows(context.Background(), of, source.RowOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	schema := &pipeline.Schema{Columns: columns}
	var file bytes.Buffer
	w, err := parquet.NewWriter(&file, schema)
	if err != nil {
		b.Fatal(err)
	}
	for {
		item, err := rows.Next()
		if err == io.EOF {
			break
		}
		for i, c := range columns {
			if item.Row[i].String() == "" {
				item.Row[i] = pipeline.Null()
			} else if item.Row[i], err = c.Convert(item.Row[i]); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Write(item.Row); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		b.Fatal(err)
	}
	path = filepath.Join(b.TempDir(), "table.parquet")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	return path, file.Len()
}

// BenchmarkParquetMinibatches does the same with a Parquet file of such a table. It counts the bytes of the Parquet
// file, and those of the same rows as CSV.
func BenchmarkParquetMinibatches(b *testing.B) {
	const rows = 200_000
	path, csv := benchTable(b, rows)
	text := func(name string) pipeline.Column { return pipeline.StringColumn{Name: name} }
	double := func(name string) pipeline.Column { return pipeline.DoubleColumn{Name: name} }
	file, size := parquetTable(b, benchName(b, "csv:"+path), text("when"), pipeline.IntegerColumn{Name: "age"},
		double("income"), double("height"), double("score"), text("colour"), text("city"), text("member"),
		pipeline.IntegerColumn{Name: "visits"}, text("label"))
	benchMinibatches(b, benchName(b, "parquet:"+file), size, csv, rows)
}

// BenchmarkFloatMinibatches reads a Parquet file of 20 columns of doubles and a label into minibatches of standardised
// numbers.
func BenchmarkFloatMinibatches(b *testing.B) {
	path, size := floatTable(b, 100_000)
	benchMinibatches(b, benchName(b, "parquet:"+path), size, size, 100_000)
}

// floatTable writes a Parquet file of 20 columns of doubles and a label.
func floatTable(b *testing.B, rows int) (path string, size int) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	schema := &pipeline.Schema{}
	for i := range 20 {
		schema.Columns = append(schema.Columns, pipeline.DoubleColumn{Name: fmt.Sprint("x", i)})
	}
	schema.Columns = append(schema.Columns, pipeline.StringColumn{Name: "label"})
	var file bytes.Buffer
	w, err := parquet.NewWriter(&file, schema)
	if err != nil {
		b.Fatal(err)
	}
	for range rows {
		var row pipeline.Row
		for range 20 {
			row = append(row, pipeline.Double(r.NormFloat64()))
		}
		if err := w.Write(append(row, pipeline.Text([]string{"a", "b"}[r.IntN(2)]))); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		b.Fatal(err)
	}
	path = filepath.Join(b.TempDir(), "floats.parquet")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	return path, file.Len()
}

// BenchmarkInspect profiles such a table.
func BenchmarkInspect(b *testing.B) {
	path, size := benchTable(b, 200_000)
	benchInspect(b, benchName(b, "csv:"+path), size)
}

// BenchmarkInspectFloats profiles 20 columns of doubles, most of them different.
func BenchmarkInspectFloats(b *testing.B) {
	path, size := floatTable(b, 300_000)
	benchInspect(b, benchName(b, "parquet:"+path), size)
}

func benchInspect(b *testing.B, n source.Name, size int) {
	perCore(b, size, size, func() {
		rows, err := source.OpenRows(context.Background(), n, source.RowOptions{})
		if err == nil {
			_, err = analysis.Infer(rows, analysis.InferOptions{Label: []string{"label"}})
		}
		if err != nil {
			b.Fatal(err)
		}
		rows.Close()
	})
}
