package worker

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
)

// TestAggregator gives a worker the outputs of other tasks as TRANSFORM might spoil them, in 500 runs. In half of the
// runs the rows are in the order they came, in the other half sorted by partition and number, as after a shuffle. A run
// with a missing or repeated row must not succeed.
func TestAggregator(t *testing.T) {
	failed := 0
	for seed := range uint64(500) {
		x := &transform{t: t, r: rand.New(rand.NewPCG(seed, 11))}
		var want []engine.Row
		task := told("")
		task.Open = true
		for p := range 1 + x.r.IntN(4) {
			rows := make([]engine.Row, []int{0, 1, 5, 40}[x.r.IntN(4)])
			for i := range rows {
				rows[i] = engine.Row{Index: int64(i), Bytes: fmt.Appendf(nil, "row %d", x.r.Uint64())[:x.r.IntN(12)]}
			}
			x.rows = append(x.rows, rows)
			want = append(want, rows...)
			task.From = append(task.From, p)
		}
		var what []string
		for p := range x.rows {
			what = append(what, x.partition(p))
		}
		var lines []string
		for _, line := range x.lines {
			if line = strings.TrimSuffix(line, "\n"); line != "" { // Spark also makes a row of a line that was cut
				lines = append(lines, line+"\n")
			}
		}
		if seed%2 == 1 {
			slices.SortStableFunc(lines, func(a, b string) int {
				return cmp.Or(cmp.Compare(column(a, 0), column(b, 0)), cmp.Compare(column(a, 2), column(b, 2)))
			})
		}
		in := cutLine(sent(Text, task, nil))
		in = append(in, strings.Join(lines, "")...)
		out, _, broken := served(t, Text, bytes.NewReader(in))
		got, err := readOutput(Text, out, task.Partition, task.Attempt)
		if err == nil && broken == nil && !same(got, want) {
			t.Errorf("seed %d: %v: %d rows are taken for %d", seed, what, len(got), len(want))
		}
		fine := !slices.ContainsFunc(what, func(w string) bool { return w != "fine" })
		if fine && (err != nil || broken != nil) {
			t.Errorf("seed %d: nothing was wrong, and the errors are %v, %v", seed, err, broken)
		}
		if err != nil || broken != nil {
			failed++
		}
	}
	t.Logf("%d of 500 runs failed", failed)
}

func column(line string, n int) int {
	all := strings.Split(line, "\t")
	if n >= len(all) {
		return 0
	}
	i, _ := strconv.Atoi(all[n])
	return i
}
