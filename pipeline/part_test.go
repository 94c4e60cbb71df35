package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// halves is a user's step that gathers: it emits the second half of the rows before the first half.
type halves struct{}

func (halves) Bind(in *Schema) (Bound, error) {
	return Bound{in, Gather(func() Gatherer { return &halved{} })}, nil
}

type halved struct{ rows []Row }

func (h *halved) Add(i Item) error { h.rows = append(h.rows, i.Row); return nil }
func (h *halved) Finish(emit func(Item) error) error {
	for i := range h.rows {
		if err := emit(Item{Row: h.rows[(i+len(h.rows)/2)%len(h.rows)]}); err != nil {
			return err
		}
	}
	return nil
}

// TestParts runs plans part by part on random partitions, with the items as bytes in between. The result is that of
// the plan in one piece, bit for bit.
func TestParts(t *testing.T) {
	in := Schema{Columns: []Column{StringColumn{Name: "key"}, IntegerColumn{Name: "i"}, LongColumn{Name: "l"},
		DoubleColumn{Name: "d"}, FloatColumn{Name: "f"}, StringColumn{Name: "s"}, TimeColumn{Name: "t", Zone: "UTC"}}}
	reduce := func(keys ...string) *Reduce {
		r := &Reduce{Keys: keys, Default: TakeFirst}
		for _, name := range []string{"i", "l", "d", "f"} {
			r.Ops.Set(name, numberOps)
		}
		r.Ops.Set("s", textOps)
		return r
	}
	rank := SortedRank{Name: "rank", Column: "s", Order: TextOrder{}}
	sequences := ToSequences{Keys: []string{"key"}, Comparator: ByNumber{Column: "i"}}
	random := rand.New(rand.NewPCG(1, 2))
	for _, steps := range [][]Step{
		{reduce("key")}, {reduce()}, {sequences}, {rank}, {reduce("d")}, {RenameColumns{[]string{"i"}, []string{"j"}}},
		{sequences, FromSequences{}, rank, reduce("key", "s")}, {halves{}, rank},
		{ToSequences{Keys: []string{"d", "s"}}, FromSequences{}},
	} {
		plan, err := (&Pipeline{Initial: in, Steps: steps}).Bind()
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 300} {
			rows := groupRows(random, n)
			for i := range rows {
				if i%7 == 0 {
					rows[i][3] = Double(math.NaN())
				}
				if i%5 == 0 {
					rows[i][0], rows[i][5] = Text(strings.Repeat("long ", 20)), Text("")
				}
			}
			want := wholePlan(t, plan, rows)
			for range 8 {
				if got := inParts(t, random, plan, rows); got != want {
					t.Fatalf("%d rows through %T: parts give\n%s\nwant\n%s", n, steps, got, want)
				}
			}
		}
	}
}

func wholePlan(t *testing.T, plan *Plan, rows []Row) string {
	var b strings.Builder
	run := plan.Start(func(i Item) error { fmt.Fprintln(&b, i.Row, i.Sequence); return nil })
	for _, r := range rows {
		if err := run.Push(Item{Row: append(Row(nil), r...)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// inParts splits the rows at random, and arranges them before each part except the first.
func inParts(t *testing.T, random *rand.Rand, plan *Plan, rows []Row) string {
	var items [][]byte
	for _, r := range rows {
		items = append(items, AppendItem(nil, Item{Row: r}))
	}
	for k, part := range plan.Parts() {
		ends := []int{random.IntN(len(items) + 1), len(items)}
		if k > 0 {
			items, ends = arrangedItems(t, part, items, 1+random.IntN(5))
		}
		var out [][]byte
		for p, from := 0, 0; p < len(ends); from, p = ends[p], p+1 {
			run := part.Start(int64(from), func(i Item) error { out = append(out, AppendItem(nil, i)); return nil })
			for _, b := range items[from:ends[p]] {
				if err := run.Push(readBack(t, b)); err != nil {
					t.Fatal(err)
				}
			}
			if err := run.Close(); err != nil {
				t.Fatal(err)
			}
		}
		items = out
	}
	var b strings.Builder
	for _, item := range items {
		i := readBack(t, item)
		fmt.Fprintln(&b, i.Row, i.Sequence)
	}
	return b.String()
}

func arrangedItems(t *testing.T, part Part, items [][]byte, partitions int) (moved [][]byte, ends []int) {
	var keys [][]byte
	key := part.Key()
	for _, b := range items {
		k, err := key(nil, readBack(t, b))
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, k)
	}
	order, ends, err := part.Arrange(keys, partitions)
	if err != nil {
		t.Fatal(err)
	}
	if order == nil {
		return items, ends
	}
	for _, at := range order {
		moved = append(moved, items[at])
	}
	return moved, ends
}

func readBack(t *testing.T, b []byte) Item {
	t.Helper()
	i, err := ReadItem(b)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// TestWire: all kinds of values are restored. Truncated or changed bytes are an error, not a panic.
func TestWire(t *testing.T) {
	row := Row{Null(), Text("tab\t☃"), Text(""), Integer(-5), Long(1 << 60), Double(math.Inf(-1)), Float(0.1),
		Boolean(true), Bytes([]byte{0, 255}), ArrayOf(&Array{Shape: []int{1, 2}, Data: []float64{1.5, -0.5}}),
		Double(math.NaN())}
	for _, i := range []Item{{Row: row}, {Row: Row{}}, {Sequence: []Row{row, {}, row}}, {Sequence: []Row{}}} {
		b := AppendItem(nil, i)
		got := readBack(t, b)
		if fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", i) && len(i.Row) == 0 && len(i.Sequence) == 0 {
			t.Errorf("%#v came back as %#v", i, got)
		}
		if string(AppendItem(nil, got)) != string(b) {
			t.Errorf("%v came back as %v", i, got)
		}
		for n := range b {
			if _, err := ReadItem(b[:n]); err == nil {
				t.Fatalf("%d of %d bytes are an item", n, len(b))
			}
			ReadItem(append(append(append([]byte(nil), b[:n]...), 0xff), b[n:]...))
		}
	}
}

// groupRows returns random rows; sums of their numbers are rounded.
func groupRows(random *rand.Rand, n int) (rows []Row) {
	for range n {
		x := (random.Float64() - 0.5) * math.Pow(10, float64(random.IntN(30)-10))
		rows = append(rows, Row{Text(fmt.Sprint(random.IntN(5))), Integer(random.Int32()), Long(random.Int64()), Double(x),
			Float(float32(random.Float64())), Text(fmt.Sprint(random.IntN(9))), Long(random.Int64N(1e12))})
	}
	return rows
}
