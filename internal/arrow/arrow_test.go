package arrow

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

func readAll(t *testing.T, stream []byte) []*Batch {
	t.Helper()
	var all []*Batch
	if err := Read(stream, func(b *Batch) error {
		all = append(all, b)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// text prints a value, and so reads all of its bytes.
func text(c *Column, i int) string {
	if c.IsNull(i) {
		return "null"
	}
	switch c.Type.Kind {
	case Bool:
		return fmt.Sprint(c.Bool(i))
	case String:
		return fmt.Sprintf("%q", c.Text(i))
	case Binary:
		return fmt.Sprintf("%x", c.Bytes(i))
	case Float32, Float64:
		return fmt.Sprint(c.Float(i))
	case List:
		var values []string
		from, to := c.Range(i)
		for j := from; j < to; j++ {
			values = append(values, text(c.Elem(), j))
		}
		return "[" + strings.Join(values, " ") + "]"
	}
	return fmt.Sprint(c.Int(i))
}

func column(c *Column) string {
	var values []string
	for i := range c.Len() {
		values = append(values, text(c, i))
	}
	return strings.Join(values, " ")
}

// Apache's Arrow library for Go, version 18.8, wrote the stream of two batches.
func TestReadsApache(t *testing.T) {
	stream, err := os.ReadFile("testdata/all.arrow")
	if err != nil {
		t.Fatal(err)
	}
	batches := readAll(t, stream)
	if len(batches) != 2 {
		t.Fatalf("%d batches", len(batches))
	}
	want := []string{"b boolean: false null true", "i8 byte: 0 -1 -2", "i16 short: 0 -300 -600",
		"i32 int: 0 -70000 -140000",
		"i64 long: -1099511627776 null 1099511627776", "f32 float: 0 0.5 1", "f64 double: 0 0.25 0.5",
		`s string: "" null "größer"`, "y binary: 0100 0101 0102", `ls string: "a" "bc" "def"`,
		"l array<float>: [] null [0.5 1.5]", "n null: null null null"}
	for i, f := range batches[1].Schema {
		if got := f.Name + " " + f.Type.String() + ": " + column(&batches[1].Columns[i]); got != want[i] {
			t.Errorf("got %s\nwant %s", got, want[i])
		}
	}
	if !batches[0].Schema[0].Nullable || batches[0].Schema[1].Nullable {
		t.Error("nullable columns are not those that were written")
	}
}

func sample() *Batch {
	b := &Batch{Rows: 3, Columns: []Column{
		Int64s([]int64{1, -2, 1 << 50}), Int32s([]int32{1, -2, 3}), Float32s([]float32{0.5, -1, 3e38}),
		Float64s([]float64{0.1, 0, 1e300}), Bools([]bool{true, false, true}), Strings([]string{"", "äöü", "x\ty"}),
		Binaries([][]byte{{0}, nil, {255, 1}}).WithNulls(func(i int) bool { return i == 1 }),
		Lists([]int{2, 0, 1}, Float64s([]float64{1, 2, 3})),
	}}
	for i := range b.Columns {
		b.Schema = append(b.Schema, Field{Name: fmt.Sprint("c", i), Type: b.Columns[i].Type, Nullable: i == 6})
	}
	return b
}

func TestRoundTrip(t *testing.T) {
	want := sample()
	got := readAll(t, Write(want))
	if len(got) != 2 || got[0].Rows != 3 || !reflect.DeepEqual(got[0].Schema, want.Schema) {
		t.Fatalf("got %v, wanted the schema %v", got, want.Schema)
	}
	for i := range want.Columns {
		if g, w := column(&got[0].Columns[i]), column(&want.Columns[i]); g != w {
			t.Errorf("column %d: %s, wanted %s", i, g, w)
		}
	}
	if !got[0].Columns[6].HasNulls() || got[0].Columns[5].HasNulls() {
		t.Error("nulls are not where they were")
	}
	// What was read from Apache's stream can be written again.
	stream, _ := os.ReadFile("testdata/all.arrow")
	first := readAll(t, stream)[0]
	again := readAll(t, Write(first))[0]
	for i := range first.Columns {
		if g, w := column(&again.Columns[i]), column(&first.Columns[i]); g != w {
			t.Errorf("%s: %s, wanted %s", first.Schema[i].Name, g, w)
		}
	}
}

// TestWriteEndsEmpty: a stream ends with a batch without rows, so that Spark releases the one before.
func TestWriteEndsEmpty(t *testing.T) {
	apache, err := os.ReadFile("testdata/all.arrow")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []*Batch{sample(), readAll(t, apache)[0]} {
		all := readAll(t, Write(b))
		last := all[len(all)-1]
		if len(all) != 2 || last.Rows != 0 || len(last.Columns) != len(b.Columns) {
			t.Fatalf("%d batches, the last one has %d rows and %d columns", len(all), last.Rows, len(last.Columns))
		}
		for i, c := range last.Columns {
			if c.Len() != 0 || c.Elem() != nil && c.Elem().Len() != 0 || c.Type.String() != b.Columns[i].Type.String() {
				t.Errorf("column %s has %d values of the type %s", b.Schema[i].Name, c.Len(), c.Type)
			}
		}
	}
}

func TestEmptyBatch(t *testing.T) {
	b := &Batch{Schema: Schema{{Name: "s", Type: Of(String)}}, Columns: []Column{Strings(nil)}}
	if got := readAll(t, Write(b)); len(got) != 1 || got[0].Rows != 0 || got[0].Columns[0].Len() != 0 {
		t.Errorf("got %v", got)
	}
	if got := readAll(t, nil); len(got) != 0 {
		t.Errorf("an empty stream has %d batches", len(got))
	}
}

// TestDamaged reads streams that are cut off or have a changed byte: each is a FormatError, or has only batches whose
// values can all be used.
func TestDamaged(t *testing.T) {
	apache, err := os.ReadFile("testdata/all.arrow")
	if err != nil {
		t.Fatal(err)
	}
	for _, stream := range [][]byte{Write(sample()), apache} {
		use(t, stream[:len(stream)-9], true)
		for cut := 1; cut < len(stream)-8; cut += 3 {
			use(t, stream[:cut], false)
		}
		changed := make([]byte, len(stream))
		for i := range stream {
			for _, v := range []byte{0, 1, 0x7F, 0x80, 0xFF, stream[i] ^ 4} {
				copy(changed, stream)
				changed[i] = v
				use(t, changed, false)
			}
		}
	}
}

func use(t *testing.T, stream []byte, mustFail bool) {
	t.Helper()
	err := Read(stream, func(b *Batch) error {
		for i := range b.Columns {
			if b.Columns[i].Len() <= 1000 {
				column(&b.Columns[i])
			}
		}
		return nil
	})
	var format *FormatError
	if err != nil && !errors.As(err, &format) {
		t.Fatalf("%T: %v", err, err)
	}
	if mustFail && err == nil {
		t.Fatal("a stream that was cut was read without an error")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(Write(sample()))
	f.Fuzz(func(t *testing.T, stream []byte) { use(t, stream, false) })
}
