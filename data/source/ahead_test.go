package source

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// madeOf holds the results of reading rows.
type madeOf struct {
	x, y  []float32
	meta  []string
	from  []int
	read  int
	found Found
	err   string
	notes []string
}

// makeAll makes the examples of all rows: row by row, or in batches on some threads.
func makeAll(t *testing.T, n Name, threads int) madeOf {
	t.Helper()
	p := preparation()
	p.Seen = []analysis.Seen{{Column: "kind", Values: []string{"x", "y"}, As: "nothing"}}
	r, err := p.open(context.Background(), n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.rows.Close()
	if threads == 0 {
		r.batches = nil
	}
	r.batches.share(threads)
	defer r.batches.halt()
	for err == nil {
		err = r.advance()
	}
	if threads > 1 && r.read > (startAhead+1)*batchRows && r.batches.ahead == nil {
		t.Error("nothing was read ahead")
	}
	if err == io.EOF {
		err = r.close()
	}
	return madeOf{r.x, r.y, r.meta, r.from, r.read, r.bad.Found(), fmt.Sprint(err), notesOn(r, 0)}
}

// preparedText returns a table for a preparation. The pipeline drops some of its rows. bad is the probability of bad
// rows.
func preparedText(r *rand.Rand, rows int, bad float64) string {
	var text strings.Builder
	text.WriteString("kind,a,b,id\n")
	for i := range rows {
		a := fmt.Sprint(r.NormFloat64())
		if r.IntN(20) == 0 {
			a = ""
		}
		line := fmt.Sprintf("%s,%s,%d,r%d\n", []string{"x", "y", `"x"`, " y"}[r.IntN(4)], a, r.IntN(100), i)
		if r.Float64() < bad {
			line = []string{"x\n", "z,1,1,k\n", "x,1,one,k\n", "y,\"\n1\",2,k\n", "x,1,2,\n", "x,1e99,2,k\n"}[r.IntN(6)]
		}
		text.WriteString(line)
	}
	return text.String()
}

// TestAhead: examples, rows, keys, skipped rows and errors are the same on any number of threads, and if rows are read
// one by one.
func TestAhead(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, c := range []struct {
		rows   int
		bad    float64
		policy string
	}{{9000, 0, ""}, {9000, 1e-3, "skip:1000"}, {9000, 1e-3, "skip:2"}, {9000, 1e-4, ""}, {9000, 1e-3, "ragged"},
		{300, 0, ""}, {0, 0, ""}} {
		n := csvName(t, preparedText(r, c.rows, c.bad))
		n.Settings = map[string]string{"key": "id"}
		if c.policy != "" {
			n.Settings["bad-rows"] = c.policy
		}
		want := makeAll(t, n, 0)
		for _, threads := range []int{1, 2, 5} {
			if got := makeAll(t, n, threads); !reflect.DeepEqual(got, want) {
				t.Errorf("%+v on %d threads: %d examples of %d rows, %v, %v, want %d of %d, %v, %v", c, threads,
					len(got.from), got.read, got.found, got.err, len(want.from), want.read, want.found, want.err)
			}
		}
	}
}

// TestAheadIsLeft: closing a reader early ends the reading.
func TestAheadIsLeft(t *testing.T) {
	n := csvName(t, preparedText(rand.New(rand.NewPCG(8, 9)), 30_000, 0))
	s, err := OpenStream(context.Background(), n, Options{Preparation: preparation()})
	if err != nil {
		t.Fatal(err)
	}
	p := s.examples.(*preparedStream)
	p.batches.share(3)
	for p.batches.ahead == nil {
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
	}
	ended := p.batches.ahead.ended
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	<-ended
}

// TestKeptBatch: a kept batch does not change, and its memory is reused.
func TestKeptBatch(t *testing.T) {
	var b, kept pipeline.Batch
	x, n, null := []float64{1, 2}, []int64{3, 4}, []int32{-1, 0}
	fill := func() {
		b.Reset(4, 2)
		b.SetReals(0, pipeline.DoubleKind, x)
		b.SetIntegers(1, pipeline.LongKind, n)
		b.SetNulls(1, []int32{1}, null)
		b.SetTexts(2, pipeline.TextsOf("ab", []pipeline.Span{{From: 0, To: 1}, {From: 1, To: 2}}))
		b.SetConstant(3, pipeline.Text("c"))
	}
	fill()
	kept.Keep(&b)
	want := fmt.Sprint(b.AppendRow(nil, 0), b.AppendRow(nil, 1))
	x[0], n[0], null[0] = 7, 8, 0
	if got := fmt.Sprint(kept.AppendRow(nil, 0), kept.AppendRow(nil, 1)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if allocs := testing.AllocsPerRun(100, func() { kept.Keep(&b) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
