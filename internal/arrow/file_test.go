package arrow

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// readFile returns the texts of all columns that can be read, and the problems of the others. It reads n rows at a
// time. places are the indices of the columns to read; nil means all.
func readFile(path string, b []byte, n int, places []int) (map[string][]string, error) {
	f, err := Open(path, bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	texts := map[string][]string{}
	if places == nil {
		for i, c := range f.Columns {
			if c.Problem == "" {
				places = append(places, i)
			} else {
				texts[c.Name] = []string{c.Problem}
			}
		}
	}
	r, err := f.Reader(places)
	if err != nil {
		return nil, err
	}
	for all := int64(0); ; {
		rows, err := r.Next(n)
		if err != nil {
			return nil, err
		}
		if rows == 0 || all > 5000 {
			return texts, nil
		}
		for k, i := range places {
			for row := range min(rows, 1000) {
				v, err := r.Value(k, row)
				if err == nil {
					_, _, err = r.Text(k, row)
				}
				if err != nil {
					return nil, err
				}
				texts[f.Columns[i].Name] = append(texts[f.Columns[i].Name], valueText(v))
			}
			if width, err := r.Width(k); err == nil && numeric(f.Columns[i].Type) && width < 1000 && rows < 1000 {
				r.Float32s(k, width, make([]float32, rows*max(width, 1)), width)
			}
		}
		all += int64(rows)
	}
}

// valueText returns a value as Python prints it.
func valueText(v pipeline.Value) string {
	switch v.Kind() {
	case pipeline.NullKind:
		return "None"
	case pipeline.BooleanKind:
		return map[string]string{"true": "True", "false": "False"}[v.String()]
	case pipeline.BytesKind:
		return fmt.Sprintf("%x", v.String())
	case pipeline.ArrayKind:
		return fmt.Sprint(v.Array().Shape, v.Array().Data)
	}
	return v.String()
}

// same compares a text with Python's.
func same(got, want string) bool {
	if got == want {
		return true
	}
	x, err := strconv.ParseFloat(got, 64)
	y, also := strconv.ParseFloat(want, 64)
	return err == nil && also == nil && (x == y || float32(x) == float32(y))
}

// lists are the columns of arrays, which Python prints in another way.
var lists = map[string]string{
	"list": "[2] [0 0.5]|[2] [1 1.5]|[2] [2 2.5]|None|[2] [4 4.5]|[2] [5 5.5]|[2] [6 6.5]",
	"ragged": "[0] []|[1] [1]|[2] [1 1]|[3] [1 1 1]|[4] [1 1 1 1]|[5] [1 1 1 1 1]|" +
		"[6] [1 1 1 1 1 1]",
	"grid": "[2 2] [0 2 3 NaN]|[2 2] [1 2 3 NaN]|[2 2] [2 2 3 NaN]|[2 2] [3 2 3 NaN]|[2 2] [4 2 3 NaN]|" +
		"[2 2] [5 2 3 NaN]|[2 2] [6 2 3 NaN]",
	"struct": "is of type struct", "map": "is of type map", "union": "is of type union", "texts": "has lists of string",
}

// TestFiles compares the values read from pyarrow's files with those that pyarrow wrote (testdata/make.py): as a file,
// as a stream, compressed, with all columns and with some.
func TestFiles(t *testing.T) {
	text, err := os.ReadFile("testdata/want.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plain.arrow", "lz4.arrow", "zstd.arrow", "stream.arrows", "v2.feather"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 3, 100} {
			got, err := readFile(name, b, n, nil)
			if err != nil {
				t.Fatal(err)
			}
			checked := 0
			for line := range strings.Lines(string(text)) {
				column, values, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
				if list, ok := lists[column]; ok {
					values = list
				}
				if _, ok := got[column]; !ok && name == "v2.feather" {
					continue
				}
				checked++
				want := strings.Split(values, "|")
				if len(want) != len(got[column]) {
					t.Errorf("%s: column %s: %v, not %v", name, column, got[column], want)
					continue
				}
				for i := range want {
					if !same(got[column][i], want[i]) {
						t.Errorf("%s: column %s, row %d: %s, not %s", name, column, i+1, got[column][i], want[i])
					}
				}
			}
			if checked != len(got) {
				t.Errorf("%s: %d columns of %d", name, len(got), checked)
			}
		}
		f, err := Open(name, bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		last := len(f.Columns) - 1
		if got, err := readFile(name, b, 5, []int{last, 5 % last}); err != nil || len(got) != 2 || got["last"][6] != "60" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestDeltas: a dictionary grows, and is replaced.
func TestDeltas(t *testing.T) {
	b, err := os.ReadFile("testdata/deltas.arrows")
	if err != nil {
		t.Fatal(err)
	}
	got, err := readFile("d", b, 10, nil)
	if want := "[a b a b c a z a]"; err != nil || fmt.Sprint(got["kind"]) != want {
		t.Errorf("%v %v, not %s", got, err, want)
	}
}

// TestFloats: numbers of all kinds are features; other values are errors.
func TestFloats(t *testing.T) {
	b, err := os.ReadFile("testdata/lz4.arrow")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open("x.arrow", bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, c := range f.Columns {
		at[c.Name] = i
	}
	r, err := f.Reader([]int{at["u16"], at["d128"], at["f16"], at["ragged"], at["f64"]})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.Next(3); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	to := make([]float32, 9)
	for k := range 3 {
		if err := r.Float32s(k, 1, to[k:], 3); err != nil {
			t.Fatal(err)
		}
	}
	if want := "[65535 0 0 65534 -12345.67 0.5 65533 -24691.34 1]"; fmt.Sprint(to) != want {
		t.Errorf("%v, not %s", to, want)
	}
	if err := r.Float32s(3, 1, to, 1); err == nil || err.Error() !=
		`x.arrow: row 1: column "ragged": the array has 0 numbers, and that of the first row 1` {
		t.Error(err)
	}
	if n, err := r.Next(3); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if err := r.Float32s(4, 1, to, 1); err == nil || err.Error() != `x.arrow: row 4: column "f64": the value is missing` {
		t.Error(err)
	}
}

// TestBrokenFiles: a file that is cut off anywhere is an error that names it. One with changed bytes is read or is an
// error, and takes no more memory than its size justifies.
func TestBrokenFiles(t *testing.T) {
	for _, name := range []string{"plain.arrow", "zstd.arrow", "lz4.arrow", "deltas.arrows"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for cut := 0; cut < len(b) && strings.HasSuffix(name, ".arrow"); cut += 1 + cut/10 {
			if _, err := readFile(name, b[:cut], 50, nil); err == nil || !strings.HasPrefix(err.Error(), name+": ") {
				t.Fatalf("%s, cut after %d bytes: %v", name, cut, err)
			}
		}
		changed := make([]byte, len(b))
		for i := 0; i < len(b); i += 41 {
			copy(changed, b)
			changed[i] = [...]byte{0, 0x7F, 0xFF, b[i] ^ 4}[i%4]
			readHostile(t, changed)
		}
	}
	for text, want := range map[string]string{"": "it is no Arrow file", "FEA1....": "Feather in version 1",
		"ARROW1\x00\x00": "its end is missing", "id,name\n1,x\n": "it does not begin as a message does"} {
		_, err := readFile("x.arrow", []byte(text), 5, nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "x.arrow: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// readHostile reads a file with arbitrary content.
func readHostile(t *testing.T, b []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := readFile("x.arrow", b, 500, nil)
	runtime.ReadMemStats(&after)
	if err != nil && !strings.HasPrefix(err.Error(), "x.arrow: ") {
		t.Fatalf("the error is %q", err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Fatalf("%d bytes took %d of memory", len(b), used)
	}
}

func FuzzFile(f *testing.F) {
	for _, name := range []string{"plain.arrow", "zstd.arrow", "lz4.arrow", "deltas.arrows", "stream.arrows"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := readFile("x.arrow", b, 500, nil); err != nil && !strings.HasPrefix(err.Error(), "x.arrow: ") {
			t.Fatalf("the error is %q", err)
		}
	})
}
