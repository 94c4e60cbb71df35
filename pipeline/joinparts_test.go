package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// joinSchema has a key, another one, and the number of a row.
func joinSchema(row string) *Schema {
	return &Schema{Columns: []Column{DoubleColumn{Name: "a"}, StringColumn{Name: "b"}, LongColumn{Name: row}}}
}

// joinTable makes rows with few different keys, some of them null or NaN.
func joinTable(r *rand.Rand, n, different int) (rows []Row) {
	for i := range n {
		a := Double(float64(r.IntN(different)))
		switch r.IntN(12) {
		case 0:
			a = Null()
		case 1:
			a = Double(math.NaN())
		}
		rows = append(rows, Row{a, Text(fmt.Sprint(r.IntN(2))), Long(int64(i))})
	}
	return rows
}

// joined runs a join on some rows of both tables.
func joined(t *testing.T, p *JoinPlan, right, left []Row) (out []string) {
	t.Helper()
	run := p.Start(func(r Row) error {
		out = append(out, fmt.Sprint(r))
		return nil
	})
	for _, row := range right {
		if err := run.PushRight(append(Row{}, row...)); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range left {
		if err := run.PushLeft(append(Row{}, row...)); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// keysOf returns the keys of rows.
func keysOf(t *testing.T, of JoinKey, rows []Row) (keys [][]byte) {
	t.Helper()
	for _, row := range rows {
		key, err := of(nil, row)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	return keys
}

// TestJoinInParts: the results of the partitions, in the order that Arrange returns, are those of one run, for each
// type of join, any number of partitions, empty tables, and keys that are null or NaN.
func TestJoinInParts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []JoinType{InnerJoin, LeftOuterJoin, RightOuterJoin, FullOuterJoin} {
		j := &Join{Type: kind, LeftKeys: []string{"a", "b"}}
		p, err := j.Bind(joinSchema("left"), joinSchema("right"))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range [][2]int{{0, 0}, {0, 5}, {7, 0}, {1, 1}, {40, 90}, {90, 40}} {
			for _, partitions := range []int{1, 2, 7, 200} {
				right, left := joinTable(r, n[0], 10), joinTable(r, n[1], 14)
				o := p.Arrange(keysOf(t, p.RightKey(), right), keysOf(t, p.LeftKey(), left), partitions)
				all, from := append(append([]Row{}, right...), left...), 0
				var emitted []string
				for k, end := range o.Ends {
					var of [2][]Row
					for _, i := range o.Rows[from:end] {
						side := 0
						if int(i) >= len(right) {
							side = 1
						}
						of[side] = append(of[side], all[i])
					}
					part := joined(t, p, of[0], of[1])
					if int64(len(part)) != o.Counts[k] {
						t.Fatalf("%s, %v: partition %d of %d has %d results, expected %d", kind, n, k, partitions, len(part),
							o.Counts[k])
					}
					emitted, from = append(emitted, part...), end
				}
				var got []string
				for _, i := range o.Results {
					got = append(got, emitted[i])
				}
				if want := joined(t, p, right, left); !reflect.DeepEqual(got, want) {
					t.Fatalf("%s, %v rows in %d partitions:\n%v\nwant\n%v", kind, n, partitions, got, want)
				}
			}
		}
	}
}

// TestJoinKeyWidth: a row with a missing value is refused where it is read.
func TestJoinKeyWidth(t *testing.T) {
	p, err := (&Join{Type: InnerJoin, LeftKeys: []string{"a"}}).Bind(joinSchema("left"),
		&Schema{Columns: []Column{DoubleColumn{Name: "a"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.RightKey()(nil, Row{}); err == nil {
		t.Error("a right row without values has a key")
	}
	if _, err := p.LeftKey()(nil, Row{Null()}); err == nil {
		t.Error("a left row with one value has a key")
	}
}
