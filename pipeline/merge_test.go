package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestMerge cuts rows into random partitions, collects each apart, and merges them in random groupings that keep their
// order. All give the values of one Gatherer for all, bit by bit.
func TestMerge(t *testing.T) {
	columns := []Column{StringColumn{Name: "key"}, IntegerColumn{Name: "i"}, LongColumn{Name: "l"},
		DoubleColumn{Name: "d"},
		FloatColumn{Name: "f"}, StringColumn{Name: "s"}, TimeColumn{Name: "t", Zone: "UTC"}}
	reduce := &Reduce{Keys: []string{"key"}, Default: TakeFirst}
	for _, name := range []string{"i", "l", "d", "f"} {
		reduce.Ops.Set(name, numberOps)
	}
	reduce.Ops.Set("s", textOps)
	reduce.Ops.Set("t", timeOps)
	in := &Schema{Columns: columns}
	for _, step := range []Step{reduce, ToSequences{Keys: []string{"key"}, Comparator: ByNumber{Column: "i"}},
		SortedRank{Name: "rank", Column: "s", Order: TextOrder{}}} {
		bound, err := step.Bind(in)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(1, 2))
		rows := mergeRows(random, 300)
		start := bound.Run.(Gather)
		want := finished(t, collect(t, start, rows))
		for range 30 {
			if got := finished(t, merged(t, random, start, rows)); got != want {
				t.Fatalf("%T: merged partitions give\n%s\nwant\n%s", step, got, want)
			}
		}
	}
}

// mergeRows are random rows; sums of their numbers round.
func mergeRows(random *rand.Rand, n int) (rows []Row) {
	for range n {
		x := (random.Float64() - 0.5) * math.Pow(10, float64(random.IntN(30)-10))
		rows = append(rows, Row{Text(fmt.Sprint(random.IntN(5))), Integer(random.Int32()), Long(random.Int64()), Double(x),
			Float(float32(random.Float64())), Text(fmt.Sprint(random.IntN(9))), Long(random.Int64N(1e12))})
	}
	return rows
}

func collect(t *testing.T, start Gather, rows []Row) Merger {
	g := start().(Merger)
	for _, r := range rows {
		if err := g.Add(Item{Row: append(Row(nil), r...)}); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// merged collects a random cut of rows, and merges the parts as a random tree.
func merged(t *testing.T, random *rand.Rand, start Gather, rows []Row) Merger {
	if len(rows) < 2 || random.IntN(8) == 0 {
		return collect(t, start, rows)
	}
	cut := random.IntN(len(rows) + 1)
	if cut == 0 || cut == len(rows) {
		return collect(t, start, rows)
	}
	first, later := merged(t, random, start, rows[:cut]), merged(t, random, start, rows[cut:])
	if err := first.Merge(later); err != nil {
		t.Fatal(err)
	}
	return first
}

func finished(t *testing.T, g Gatherer) string {
	var b strings.Builder
	err := g.Finish(func(i Item) error {
		fmt.Fprintln(&b, i.Row, i.Sequence)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
