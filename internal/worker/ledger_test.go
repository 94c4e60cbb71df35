package worker

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
)

// transform runs workers as badly as Spark's TRANSFORM can, and collects the lines of their output.
type transform struct {
	t     *testing.T
	r     *rand.Rand
	rows  [][]engine.Row // by partition
	lines []string       // of all outputs
	bad   []int          // partitions without a valid output
}

// worker returns the lines of an attempt.
func (x *transform) worker(partition, attempt int, rows []engine.Row) []string {
	task := told("")
	task.Partition, task.Attempt = partition, attempt
	out, _, err := served(x.t, Text, bytes.NewReader(sent(Text, task, rows)))
	if err != nil {
		x.t.Fatal(err)
	}
	return strings.SplitAfter(strings.TrimSuffix(string(out), "\n"), "\n")
}

// partition spoils the output of a partition and returns a description.
func (x *transform) partition(p int) string {
	good := x.worker(p, 1, x.rows[p])
	add := func(lines ...string) { x.lines = append(x.lines, lines...) }
	spoil := func(lines ...string) {
		add(lines...)
		x.bad = append(x.bad, p)
	}
	switch x.r.IntN(24) {
	case 0:
		x.bad = append(x.bad, p)
		return "no process was started"
	case 1:
		spoil(good[:len(good)-1]...)
		return "killed after the last row"
	case 2:
		all := strings.Join(good, "")
		spoil(strings.SplitAfter(all[:x.r.IntN(len(all)-1)], "\n")...)
		return "cut anywhere"
	case 3:
		spoil(good[:x.r.IntN(len(good))]...)
		return "closed its output, and hung until Spark took that for the end"
	case 4:
		add(good...)
		add(good...)
		return "the same output twice"
	case 5:
		add(good...)
		add(x.worker(p, 2, x.rows[p])...)
		return "two attempts"
	case 6:
		cut := x.r.IntN(len(good))
		add(good[:cut]...)
		add(x.worker(p, 2, x.rows[p])...)
		return "an attempt that was cut, and one that was not"
	case 7:
		cut := x.r.IntN(len(good))
		add(good[:cut]...)
		add(x.worker(p, 2, x.rows[p])...)
		add(good[cut:]...)
		return "a late attempt"
	case 8:
		add(good...)
		spoil(x.worker(p, 2, append(slices.Clone(x.rows[p]), engine.Unindexed([]byte("more"))))...)
		return "two attempts that differ"
	case 9:
		at := x.r.IntN(len(good))
		spoil(slices.Delete(slices.Clone(good), at, at+1)...)
		return "a line lost"
	case 10:
		if len(good) < 3 {
			break
		}
		spoil(append([]string{good[1], good[0]}, good[2:]...)...)
		return "lines out of order"
	case 11:
		if len(good) == 1 {
			break
		}
		at := x.r.IntN(len(good) - 1)
		spoil(slices.Insert(slices.Clone(good), at, good[at])...)
		return "a line twice"
	case 12:
		spoil(x.worker(len(x.rows)+1, 1, x.rows[p])...)
		return "a partition that nobody asked for"
	case 13:
		task := told("")
		task.Partition, task.Attempt = p, 1
		in := string(sent(Text, task, x.rows[p]))
		out, _, _ := served(x.t, Text, strings.NewReader(in[:x.r.IntN(len(in)-1)]))
		spoil(strings.SplitAfter(string(out), "\n")...)
		return "its input was cut anywhere"
	}
	add(good...)
	return "fine"
}

// TestTransform makes 500 runs. A run with a missing or repeated row must not succeed, and a good run must not fail.
func TestTransform(t *testing.T) {
	failed := 0
	for seed := range uint64(500) {
		x := &transform{t: t, r: rand.New(rand.NewPCG(seed, 7))}
		for range 1 + x.r.IntN(4) {
			rows := make([]engine.Row, []int{0, 1, 5, 40}[x.r.IntN(4)])
			for i := range rows {
				rows[i] = engine.Row{Index: int64(i), Bytes: fmt.Appendf(nil, "row %d", x.r.Uint64())[:x.r.IntN(12)]}
			}
			x.rows = append(x.rows, rows)
		}
		var what []string
		for p := range x.rows {
			what = append(what, x.partition(p))
		}
		got := make([][]engine.Row, len(x.rows))
		deliveries := make([]int, len(x.rows))
		l := NewLedger(upTo(len(x.rows)), func(c engine.Commit, rows []engine.Row) error {
			got[c.Partition] = rows
			deliveries[c.Partition]++
			return nil
		})
		err := x.read(l)
		if (err == nil) != (len(x.bad) == 0) {
			t.Errorf("seed %d: %v: the error is %v", seed, what, err)
		}
		for p, rows := range x.rows {
			if deliveries[p] > 1 || err == nil && deliveries[p] != 1 || deliveries[p] == 1 && !same(got[p], rows) {
				t.Errorf("seed %d: partition %d (%s): %d deliveries of %d rows, wanted %d rows", seed, p, what[p], deliveries[p],
					len(got[p]), len(rows))
			}
		}
		if err != nil {
			failed++
		}
	}
	t.Logf("%d of 500 runs failed, as they must", failed)
}

// read reads the lines as the rows of a table, as Spark would. It drops empty columns at the end of a line.
func (x *transform) read(l *Ledger) error {
	for _, line := range x.lines {
		line = strings.TrimRight(strings.TrimSuffix(line, "\n"), "\t")
		if line == "" {
			continue
		}
		r, err := new(Lines).Parse([]byte(line))
		if err == nil {
			err = l.Add(r)
		}
		if err != nil {
			return err
		}
	}
	return l.End(io.EOF)
}

// TestLedgerNamesWhatIsMissing expects an error for each partition that says what is wrong.
func TestLedgerNamesWhatIsMissing(t *testing.T) {
	l := NewLedger(upTo(3), func(engine.Commit, []engine.Row) error { return nil })
	for _, r := range records(t, Text, output(Text, 1, 1, someRows(1, 2))) {
		if r.Kind != Commit {
			l.Add(r)
		}
	}
	for _, r := range records(t, Text, output(Text, 2, 5, nil)) {
		l.Add(r)
	}
	err := l.End(io.EOF)
	if text := fmt.Sprint(err); !strings.Contains(text, "partition 0, attempt 0") ||
		!strings.Contains(text, "no record of it came") ||
		!strings.Contains(text, "partition 1, attempt 1, do not count: after row 2") ||
		strings.Contains(text, "partition 2") {
		t.Errorf("the error is %v", err)
	}
}

// TestLedgerFailsAtOnce checks that the ledger fails at once if another attempt would fail in the same way.
func TestLedgerFailsAtOnce(t *testing.T) {
	for how, want := range map[string]bool{"permanent": true, "fail": false} {
		task := told(how)
		task.Partition = 0
		out, _, _ := served(t, Text, bytes.NewReader(sent(Text, task, nil)))
		l := NewLedger(upTo(1), func(engine.Commit, []engine.Row) error { return errors.New("delivered") })
		var err error
		for _, r := range records(t, Text, out) {
			err = errors.Join(err, l.Add(r))
		}
		if (err != nil) != want || !strings.Contains(fmt.Sprint(errors.Join(err, l.End(io.EOF))), "asked to fail") {
			t.Errorf("%s: at once %v, at the end %v", how, err, l.End(io.EOF))
		}
	}
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
