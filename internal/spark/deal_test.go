package spark

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/random"
)

// shuffled returns an order of n rows, in pieces of another order, divided into partitions.
func shuffled(seed uint64, n, partitions, piece int) engine.Assignment {
	a := engine.Assignment{Ends: engine.EvenEnds(n, partitions), Seed: &seed}
	order := make([]int64, n)
	random.Permute(seed, order)
	for from := range piece {
		for at := from * n / piece; at < (from+1)*n/piece; at++ {
			a.Order = append(a.Order, order[(at+n/3)%n])
		}
	}
	return a
}

// order returns the rows of an assignment, partition by partition.
func order(a engine.Assignment) (all []int64) {
	for p := range a.Ends {
		all = slices.AppendSeq(all, a.Partition(p))
	}
	return all
}

// TestDeal checks that workers deal the rows as the assignment says, however its partitions are grouped.
func TestDeal(t *testing.T) {
	none := shuffled(3, 1000, 5, 1)
	none.Seed, none.Order = nil, nil
	in := none // the same order, without Order
	for i := range 1000 {
		none.Order = append(none.Order, int64(i))
	}
	uneven := shuffled(4, 999, 3, 1)
	uneven.Ends = []int{0, 7, 7, 500, 999, 999}
	for i, a := range []engine.Assignment{shuffled(1, 1000, 7, 1), shuffled(2, 5000, 1, 3), shuffled(5, 5000, 5000, 1),
		none, in, uneven} {
		d, ok := dealOf(a)
		if !ok {
			t.Fatalf("assignment %d has too many pieces", i)
		}
		read, err := readDeal(d.bytes())
		if err != nil || !reflect.DeepEqual(*read, d) {
			t.Fatalf("assignment %d: read %v, %v", i, read, err)
		}
		read.order = read.compute()
		for _, n := range []int{1, 2, len(a.Ends)} {
			var got []int64
			from := 0
			for _, to := range groups(a.Ends, n) {
				if err := read.each(from, to, func(index int64, p, place int) error {
					first, _ := a.Places(p)
					if p >= to || p < from || a.Index(first+place) != index {
						return fmt.Errorf("index %d is at place %d of partition %d", index, place, p)
					}
					got = append(got, index)
					return nil
				}); err != nil {
					t.Fatalf("assignment %d in %d groups: %v", i, n, err)
				}
				from = to
			}
			if !slices.Equal(got, order(a)) {
				t.Fatalf("assignment %d in %d groups has another order", i, n)
			}
		}
	}
}

// TestInvert checks that an order is inverted in place.
func TestInvert(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 1000} {
		order := make([]int32, n)
		random.Permute(uint64(n), order)
		at := slices.Clone(order)
		if allocs := testing.AllocsPerRun(100, func() { invert(at); invert(at) }); allocs != 0 {
			t.Errorf("%d rows: %v allocations", n, allocs)
		}
		if !slices.Equal(at, order) {
			t.Errorf("%d rows: inverted twice, the order is another one", n)
		}
		invert(at)
		for i, index := range order {
			if at[index] != int32(i) {
				t.Fatalf("%d rows: index %d is at place %d, not %d", n, index, i, at[index])
			}
		}
	}
}

// TestDealOf checks that an order that is not a known one is sent whole.
func TestDealOf(t *testing.T) {
	a := shuffled(1, 5000, 2, 1)
	other := uint64(2)
	a.Seed = &other
	if d, ok := dealOf(a); ok {
		t.Errorf("another seed's order is dealt in %d pieces", len(d.pieces))
	}
	a.Seed = nil
	if d, ok := dealOf(a); ok {
		t.Errorf("an order without a seed is dealt in %d pieces", len(d.pieces))
	}
}

// TestDealIsSmall checks that for 10⁹ rows in 10⁵ partitions the workers get a few bytes per partition and none per
// row.
func TestDealIsSmall(t *testing.T) {
	const rows, partitions = 1_000_000_000, 100_000
	seed := uint64(1)
	d := deal{rows: rows, seed: &seed, pieces: []piece{{0, rows}}, ends: engine.EvenEnds(rows, partitions)}
	if n := len(d.bytes()); n > 4*partitions {
		t.Errorf("%d bytes", n)
	}
	read, err := readDeal(d.bytes())
	if err != nil || !slices.Equal(read.ends, d.ends) {
		t.Errorf("it reads as %d partitions, %v", len(read.ends), err)
	}
	if got := groups(d.ends, 4); !slices.Equal(got, []int{25_000, 50_000, 75_000, partitions}) {
		t.Errorf("groups end at %v", got)
	}
}

func TestDamagedDeal(t *testing.T) {
	d, _ := dealOf(shuffled(1, 1000, 7, 2))
	whole := d.bytes()
	for n := range whole {
		if _, err := readDeal(whole[:n]); err == nil {
			t.Fatalf("%d of %d bytes were read", n, len(whole))
		}
	}
	for i := range whole {
		for _, v := range []byte{0, 1, 0x7F, 0x80, 0xFF} {
			b := slices.Clone(whole)
			b[i] = v
			if d, err := readDeal(b); err == nil && d.rows < 1<<20 {
				d.order = make([]int32, d.rows)
				if err := d.each(0, len(d.ends), func(int64, int, int) error { return nil }); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestLargeOrdersAreSorted checks that the order of very many rows is not broadcast through the server.
func TestLargeOrdersAreSorted(t *testing.T) {
	f := startFake(t, "s")
	e := bareEngine(t)
	e.carrier = &carrier{engine: e.sessions, catalogue: catalogue{f.open(t, f.address())},
		has: make(map[engine.BroadcastID]bool)}
	e.carrier.heartbeat = &heartbeat{engine: e.wants, session: e.carrier.session}
	for n, sorted := range map[int]bool{mostBroadcast: false, mostBroadcast + 1: true} {
		rows := engine.FromPlan(e, nil, 1)
		e.levels[rows] = engine.DiskOnly
		e.kept[rows] = &keeping{dataset: rows, busy: make(chan struct{}, 1), made: true, whole: true,
			query:   query("SELECT p, k, line FROM kept"),
			commits: []engine.Commit{{Rows: int64(n)}}}
		order := make([]int64, n)
		for i := range order {
			order[i] = int64(i)
		}
		if err := e.do(t.Context(), func(j *job) error {
			table, err := j.planner().exchanged(engine.Exchanged{Parent: rows.Index(),
				Assignment: engine.Assignment{Order: order, Ends: []int{n}}}, inBlocks)
			if err == nil && strings.Contains(string(table.rows), "/*+ MERGE(o) */") != sorted {
				t.Errorf("%d rows: %s", n, table.rows)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}
