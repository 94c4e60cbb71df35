package source

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dl4go/dl4go/pipeline"
)

// walked is the result of reading a text.
type walked struct {
	rows   [][]string
	places []string
	errs   []string // of rows, and the last one
}

// mostErrors is the number of errors after which reading ends.
const mostErrors = 20

// failed notes an error, and reports whether it was the last one.
func (w *walked) failed(err error) bool {
	w.errs = append(w.errs, fmt.Sprint(len(w.rows), " ", err))
	_, row := rowError(err).(*RowError)
	return !row || len(w.errs) == mostErrors
}

func walkRows(text string, f csvFormat, slow bool) (*csvRows, error) {
	r := &csvRows{}
	r.header = func(record []string) (bool, error) { return CSV{}.isRawHeader(record, nil), nil }
	in := io.Reader(strings.NewReader(text))
	if slow {
		in = iotest.HalfReader(iotest.DataErrReader(in))
	}
	if err := r.openText("t.csv", in, f); err != nil {
		return nil, err
	}
	return r, r.begin("t.csv")
}

// inBlocks reads in blocks, as NextBatch does.
func inBlocks(r *csvRows) (w walked) {
	var b pipeline.Batch
	for {
		if err := r.NextBatch(&b); err != nil {
			if w.failed(err) {
				return w
			}
			continue
		}
		for i := range b.Rows() {
			var row []string
			for k := range r.schema.Columns {
				row = append(row, strings.Clone(b.Value(k, i).String()))
			}
			w.rows, w.places = append(w.rows, row), append(w.places, r.PlaceOf(i))
		}
	}
}

// inRows reads record by record.
func inRows(r *csvRows) (w walked) {
	b := &r.batch
	b.make(len(r.schema.Columns))
	err := r.err
	for {
		if b.n = 0; !r.ahead && err == nil {
			_, err = r.read()
		}
		if r.ahead = false; err == nil {
			err = r.add()
		}
		if err != nil {
			if w.failed(rowError(err)) {
				return w
			}
			err = nil
			continue
		}
		var row []string
		for _, v := range b.row(0) {
			row = append(row, v.String())
		}
		w.rows, w.places = append(w.rows, row), append(w.places, r.PlaceOf(0))
	}
}

// checkWalk compares the rows and errors of both ways to read raw rows, and the numbers and the error of both ways to
// read numbers.
func checkWalk(t *testing.T, text string, delimiter, comment, quote byte, slow bool) {
	t.Helper()
	f := csvFormat{delimiter: rune(delimiter & 127), comment: rune(comment & 127), quote: quote & 127}
	if f.delimiter == '\n' || f.delimiter == '\r' || f.comment == '\n' || f.comment == '\r' || f.quote == '\n' ||
		f.quote == '\r' || f.quote == byte(f.delimiter) && f.quote != 0 || f.delimiter == '"' || f.quote == ',' {
		return
	}
	blocks, err := walkRows(text, f, slow)
	rows, other := walkRows(text, f, false)
	if fmt.Sprint(err) != fmt.Sprint(other) {
		t.Fatalf("%q: %v, and by rows %v", text, err, other)
	}
	if err == nil {
		if got, want := inBlocks(blocks), inRows(rows); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %q, and by rows %q", text, got, want)
		}
	}
	o := CSV{Label: "none", Delimiter: f.delimiter, Comment: f.comment, Quote: f.quote}
	together, single := newCSVReader("t.csv", o, false), newCSVReader("t.csv", o, false)
	err = together.read(strings.NewReader(text))
	table := single.records.(*csvTable)
	table.header = single.begin
	other = table.openText("t.csv", strings.NewReader(text), o.format())
	for other == nil {
		other = single.next()
	}
	if other == io.EOF {
		other = nil
	}
	if fmt.Sprint(err) != fmt.Sprint(other) || !reflect.DeepEqual(bitsOf(together.values), bitsOf(single.values)) {
		t.Fatalf("%q: %v, %v, and by rows %v, %v", text, together.values, err, single.values, other)
	}
}

// TestCSVWalk: walking over blocks gives the same rows, places and errors as parsing record by record.
func TestCSVWalk(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 6))
	parts := []string{"1", "-2.5", "3e4", " 7 ", "nan", "", "a", "\"\"", "\"4\"", "\"x,y\"", "\"l\nm\"", "\"q\"\"r\"",
		"\"", "#", "é", "\xff", "0.30000001192092896", "16777217", "1e39", "123456789012.5", "\r"}
	for range 700 {
		var text strings.Builder
		width, odd := 1+r.IntN(4), r.IntN(4)
		for range r.IntN(40) {
			for k := range width {
				if k > 0 {
					text.WriteByte(',')
				}
				part := parts[r.IntN(4)]
				if r.IntN(8) < odd {
					part = parts[r.IntN(len(parts))]
				}
				text.WriteString(part)
			}
			text.WriteString([]string{"\n", "\n", "\n", "\r\n", "\n\n", ",\n"}[r.IntN(6-r.IntN(2))])
		}
		checkWalk(t, text.String(), 0, "#\x00"[r.IntN(2)], "\"\x00'"[r.IntN(3)], r.IntN(2) == 0)
	}
}

// FuzzCSVWalk looks for texts for which the two ways differ.
func FuzzCSVWalk(f *testing.F) {
	f.Add(flowers, byte(0), byte(0), byte(0), true)
	f.Add("1,2\n\"3\",4\n5,\"6\"\"\n7\"\n#x\n8,9", byte(','), byte('#'), byte('"'), false)
	f.Add("1;2.5\r\n\r\n3;x\r\n4\r\n'5';6\r\n", byte(';'), byte(0), byte('\''), true)
	f.Fuzz(checkWalk)
}

// bitsOf returns the bits of numbers, so that NaN equals itself.
func bitsOf(x []float32) (bits []uint32) {
	for _, v := range x {
		bits = append(bits, math.Float32bits(v))
	}
	return bits
}
