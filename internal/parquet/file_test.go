package parquet

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// read returns the rows of a file by column, in the form of testdata/values.json. It reads the wanted columns that can
// be read, or all if wanted is nil. It panics if Column has other values than Value.
func read(path string, b []byte, batch int, wanted map[string][]json.RawMessage) (map[string][]any, error) {
	f, err := Open(path, bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	var columns []int
	out := map[string][]any{}
	for i, c := range f.Columns {
		if _, want := wanted[c.Name]; c.Problem == "" && (want || wanted == nil) {
			columns = append(columns, i)
			out[c.Name] = []any{}
		}
	}
	r, err := f.Reader(columns)
	if err != nil {
		return nil, err
	}
	for {
		n, err := r.Next(batch)
		if n == 0 || err != nil || r.First() > 5000 { // a damaged file may claim millions of equal rows
			return out, err
		}
		var b pipeline.Batch
		b.Reset(len(columns), n)
		numbers := 0
		for k, i := range columns {
			name := f.Columns[i].Name
			failed := r.Column(k, &b, k)
			for row := range n {
				v, err := r.Value(k, row)
				if err != nil {
					return nil, err
				}
				if a := v.Array(); a != nil {
					if numbers += len(a.Data); numbers > 1<<20 { // a damaged vector may claim millions of zeros
						return out, nil
					}
				}
				if failed == nil && b.Value(k, row).String() != v.String() {
					panic(fmt.Sprintf("row %d of column %q is %v, and in a batch %v", row, name, v, b.Value(k, row)))
				}
				out[name] = append(out[name], jsonOf(v))
			}
		}
	}
}

// jsonOf returns a value in its JSON form.
func jsonOf(v pipeline.Value) any {
	number := func(x float64) any {
		if x-x != 0 {
			return pipeline.Double(x).String()
		}
		return x
	}
	switch v.Kind() {
	case pipeline.NullKind:
		return nil
	case pipeline.BooleanKind:
		return v.String() == "true"
	case pipeline.BytesKind:
		return "0x" + hex.EncodeToString([]byte(v.String()))
	case pipeline.TextKind:
		return v.String()
	case pipeline.IntegerKind, pipeline.LongKind:
		return json.Number(v.String())
	case pipeline.ArrayKind:
		return nest(v.Array().Shape, v.Array().Data, number)
	}
	x, _ := v.Double()
	return number(x)
}

func nest(shape []int, data []float64, number func(float64) any) any {
	if len(shape) == 0 {
		return number(data[0])
	}
	out := []any{}
	for i := range shape[0] {
		size := len(data) / shape[0]
		out = append(out, nest(shape[1:], data[i*size:(i+1)*size], number))
	}
	return out
}

// TestFiles compares the content of files from pyarrow and pandas with the expected values, in batches of several
// sizes.
func TestFiles(t *testing.T) {
	text, err := os.ReadFile("testdata/values.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]map[string][]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for name, want := range all {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, batch := range []int{1, 7, 1000, 1 << 20} {
			got, err := read(name, b, batch, want)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
			if len(got) < len(want) {
				t.Errorf("%s has %d columns, not %d", name, len(got), len(want))
			}
			for column, rows := range want {
				compare(t, fmt.Sprintf("%s in batches of %d: column %s", name, batch, column), got[column], rows)
			}
		}
	}
}

func compare(t *testing.T, what string, got []any, want []json.RawMessage) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d rows, not %d", what, len(got), len(want))
		return
	}
	for i := range want {
		g, err := json.Marshal(got[i])
		if err != nil {
			t.Fatal(err)
		}
		if !same(g, want[i]) {
			t.Errorf("%s, row %d: %s, not %s", what, i, g, want[i])
			return
		}
	}
}

// same compares JSON; it compares numbers by value.
func same(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	return fmt.Sprint(x) == fmt.Sprint(y)
}
