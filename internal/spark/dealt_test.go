package spark

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
)

// TestIndexRuns checks that an order is sent to Spark as few rows, which hold each index and its place once.
func TestIndexRuns(t *testing.T) {
	a := shuffled(6, 20_000, 3, 1)
	a.Ends = []int{0, 9000, 9001, 20_000}
	d, _ := dealOf(a)
	d.order = d.compute()
	var got []int64
	rows := 0
	run := indexRun{out: engine.WriterFunc(func(row engine.Row) error {
		rows++
		parts := strings.Split(string(row.Bytes), ";")
		if len(parts) != 3 || len(row.Bytes) > runBytes+16 {
			return fmt.Errorf("a row %.40q of %d bytes", row.Bytes, len(row.Bytes))
		}
		p, _ := strconv.Atoi(parts[0])
		place, _ := strconv.Atoi(parts[1])
		for n, word := range strings.Split(parts[2], " ") {
			index, err := strconv.ParseInt(word, 10, 64)
			first, _ := a.Places(p)
			if err != nil || a.Index(first+place+n) != index {
				return fmt.Errorf("index %q is at place %d of partition %d: %v", word, place+n, p, err)
			}
			got = append(got, index)
		}
		return nil
	})}
	if err := d.each(0, len(a.Ends), run.add); err != nil {
		t.Fatal(err)
	}
	if err := run.end(); err != nil || !slices.Equal(got, a.Order) {
		t.Fatalf("%d of %d indices, %v", len(got), len(a.Order), err)
	}
	if rows > 6 {
		t.Errorf("%d rows", rows)
	}
}
