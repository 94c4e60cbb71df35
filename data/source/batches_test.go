package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/pipeline"
)

// oddCSV makes a table of odd records: quotes, gaps, spaces, non-ASCII characters, lines of other widths and bad ones.
func oddCSV(r *rand.Rand, rows int) string {
	cells := []string{"", "1", "-2.50", "x", " y ", "NaN", "é", `"a,b"`, `"say ""no"""`, "\"two\nlines\"", `""`, "1e3",
		"0x1F", strings.Repeat("7", 70)}
	rare := []string{"1,2\n", "\n", "# a comment\n", "a\"b,1,2\n", "\xff,1,x\n", "\"never closed,1,x\n", "1,2,3,4\n",
		"\r\n"}
	var b strings.Builder
	b.WriteString("kind,a,b\n")
	for range rows {
		if r.IntN(12) == 0 {
			b.WriteString(rare[r.IntN(len(rare))])
			continue
		}
		for k := range 3 {
			if k > 0 {
				b.WriteByte(',')
			}
			b.WriteString(cells[r.IntN(len(cells))])
		}
		b.WriteString([]string{"\n", "\r\n"}[r.IntN(2)])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// naiveRows reads a table record by record, with csvParser.read alone. It returns rows with their lines, and errors.
func naiveRows(text string) (all []string) {
	p := newCSVParser("t.csv", strings.NewReader(text), 0, '#')
	p.read()
	for {
		record, err := p.read()
		switch {
		case err == io.EOF:
			return all
		case err != nil:
			all = append(all, "error: "+err.Error())
		case len(record) != 3:
			all = append(all, fmt.Sprintf("error: t.csv:%d:1: this line has %d fields, the first line has 3", p.begins,
				len(record)))
		case strings.Contains(strings.Join(record, ""), "\xff"):
			all = append(all, "error: t.csv:"+fmt.Sprint(p.begins))
		default:
			all = append(all, fmt.Sprintf("t.csv:%d %q", p.begins, record))
		}
	}
}

// TestCSVBatches compares batches with records that are read one by one, for texts that arrive in pieces of any size.
func TestCSVBatches(t *testing.T) {
	for seed := range uint64(campaign.Count(20, 60, 60)) {
		r := rand.New(rand.NewPCG(seed, 2))
		text := oddCSV(r, 1+r.IntN(1500))
		want := naiveRows(text)
		for name, in := range map[string]io.Reader{"whole": strings.NewReader(text),
			"bytes": iotest.OneByteReader(strings.NewReader(text)), "halves": iotest.HalfReader(strings.NewReader(text))} {
			yes := true
			c := CSV{Header: &yes, Comment: '#'}
			rows := &csvRows{}
			rows.format = c.format()
			rows.header = func(record []string) (bool, error) { return c.isRawHeader(record, nil), nil }
			err := rows.openText("t.csv", in, rows.format)
			if err == nil {
				err = rows.begin("t.csv")
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := batchTexts(rows); !slices.EqualFunc(got, want, func(got, want string) bool {
				return got == want || strings.Contains(want, "error: t.csv:") && strings.HasPrefix(got, want)
			}) {
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Fatalf("seed %d, %s, record %d: %s\nwant %s", seed, name, i, got[i], want[i])
					}
				}
				t.Fatalf("seed %d, %s: %d records, want %d", seed, name, len(got), len(want))
			}
		}
	}
}

// batchTexts returns the rows and errors of batches.
func batchTexts(rows BatchRows) (all []string) {
	var b pipeline.Batch
	for {
		err := rows.NextBatch(&b)
		if err == io.EOF {
			return all
		}
		if err != nil {
			if bad := (*RowError)(nil); !errors.As(err, &bad) {
				return append(all, "fatal: "+err.Error())
			}
			all = append(all, "error: "+err.Error())
			continue
		}
		for i := range b.Rows() {
			record := []string{}
			for _, v := range b.AppendRow(nil, i) {
				record = append(record, v.String())
			}
			all = append(all, fmt.Sprintf("%s %q", rows.PlaceOf(i), record))
		}
	}
}

// TestParquetBatches compares batches of Parquet files with rows that are read one by one.
func TestParquetBatches(t *testing.T) {
	paths, err := filepath.Glob("../../internal/parquet/testdata/*.parquet")
	if err != nil || len(paths) < 10 {
		t.Fatal(paths, err)
	}
	k := typedKind{typedFormat{"parquet", openParquet}, About{}}
	for _, place := range append(paths, "testdata/parquet/parts", mixedPlace()) {
		open := func() BatchRows {
			columns, _ := k.Rows(t.Context(), Name{Kind: "parquet", Place: place}, RowOptions{})
			if columns == nil {
				return nil // nested columns
			}
			return columns.(BatchRows)
		}
		rows, batches := open(), open()
		if rows == nil {
			continue
		}
		var want []string
		for {
			item, err := rows.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				want = append(want, "error: "+err.Error())
				continue
			}
			record := []string{}
			for _, v := range item.Row {
				record = append(record, v.String())
			}
			want = append(want, fmt.Sprintf("%s %q", rows.Place(), record))
		}
		if got := batchTexts(batches); !slices.Equal(got, want) {
			t.Errorf("%s: batches have\n%s\nrows\n%s", place, got, want)
		}
		rows.Close()
		batches.Close()
	}
}

func mixedPlace() string {
	n, _ := Parse(mixed)
	return n.Place
}

// TestPreparedBatches compares examples from batches with examples from single rows, with keys, weights, filters,
// unknown classes and rows that fail.
func TestPreparedBatches(t *testing.T) {
	failed := 0
	for seed := range uint64(80) {
		r := rand.New(rand.NewPCG(seed, 3))
		var text strings.Builder
		text.WriteString("kind,w,b,id,a\n")
		rows := 1 + r.IntN(1200)
		bad := -1 // a row that fails
		if r.IntN(3) > 0 {
			bad = r.IntN(rows)
		}
		for i := range rows {
			kind, w, b, id := []string{"x", "y", " x "}[r.IntN(3)], "0.5", fmt.Sprint(i), fmt.Sprint("k", i)
			a := []string{"1.5", "", "-2", "7"}[r.IntN(4)]
			if i == bad {
				switch r.IntN(5) {
				case 0:
					kind = "z"
				case 1:
					w = "-1"
				case 2:
					b = "many"
				case 3:
					id = ""
				case 4:
					a = "1e400"
				}
			}
			fmt.Fprintf(&text, "%s,%s,%s,%s,%s\n", kind, w, b, id, a)
		}
		n := csvName(t, text.String())
		n.Settings = map[string]string{"key": "id", "weights": "w"}
		fast, fastErr := preparedTexts(t, n, true)
		slow, slowErr := preparedTexts(t, n, false)
		if fmt.Sprint(fastErr) != fmt.Sprint(slowErr) || !bytes.Equal(fast, slow) {
			t.Fatalf("seed %d: %v\nwant %v", seed, fastErr, slowErr)
		}
		if slowErr != io.EOF {
			failed++
		}
	}
	if failed < 10 {
		t.Errorf("only %d tables failed", failed)
	}
}

// TestUnknownClassBehindOthers: the rows before one with an unknown class make their examples.
func TestUnknownClassBehindOthers(t *testing.T) {
	n := csvName(t, "kind,a,b\nx,1,2\ny,3,4\nz,5,6\nx,7,8\n")
	r, err := preparation().stream(t.Context(), n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	m, err := r.Next()
	if err != nil || !slices.Equal(m.Features[0].Data, []float32{1, 2, 3, 4}) || m.Labels[0].Rows() != 2 {
		t.Fatal(m, err)
	}
	if _, err := r.Next(); err == nil || !strings.Contains(err.Error(), `t.csv:4: column "kind": "z" is none`) {
		t.Fatal(err)
	}
}

// preparedTexts returns the examples before the error, as numbers.
func preparedTexts(t *testing.T, n Name, batches bool) (all []byte, err error) {
	t.Helper()
	r, err := preparation().open(t.Context(), n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.rows.Close()
	if r.batches == nil {
		t.Fatal("the rows do not come by batches")
	}
	if !batches {
		r.batches = nil
	}
	p := &PreparedRows{rowReader: r}
	for {
		m, err := p.Next()
		if err != nil {
			return all, err
		}
		for i := range m.Examples() {
			all = fmt.Append(all, m.Features[0].Slice(i, i+1).Data, m.Labels[0].Slice(i, i+1).Data, m.Meta[i],
				m.Weights.Data[i], "\n")
		}
	}
}
