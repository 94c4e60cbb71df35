package spark

import (
	"math"
	"strings"
	"testing"
)

// TestKeys compares the hash with values from Spark: SELECT id, hash(int(id)) FROM range(5).
func TestKeys(t *testing.T) {
	for k, want := range []int32{933211791, -559580957, 1765031574, -1823081949, -397064898} {
		if got := int32(murmur3(uint32(k))); got != want {
			t.Errorf("the hash of %d is %d, Spark's %d", k, got, want)
		}
	}
	for n := 1; n < 50; n++ {
		for p, k := range keys(n) {
			if got := (int(int32(murmur3(uint32(k))))%n + n) % n; got != p {
				t.Errorf("key %d of %d goes to partition %d, wanted %d", k, n, got, p)
			}
		}
	}
}

func TestQueries(t *testing.T) {
	q := sqlf("SELECT %s FROM (%s) WHERE %s UNION %s", "a", query("x = 1"), query("y = 2"), "b")
	if want := query("SELECT a FROM (x = 1) WHERE y = 2 UNION b"); q != want {
		t.Errorf("%s, wanted %s", q, want)
	}
	if got, want := texts([]string{"YQ==", "b+/c"}), "split('YQ==,b+/c', ',')"; got != want {
		t.Errorf("%s, wanted %s", got, want)
	}
	if got, want := longs([]int64{0, math.MinInt64, math.MaxInt64}),
		"cast(split('0,-9223372036854775808,9223372036854775807', ',') AS array<bigint>)"; got != want {
		t.Errorf("%s, wanted %s", got, want)
	}
	if got := in([]int{3, 1, 2}); got != "3, 1, 2" {
		t.Error(got)
	}
}

// TestSortKey checks that the first sort key of records keeps the order of partitions and places, and fits in 64 bits.
func TestSortKey(t *testing.T) {
	for _, partitions := range []int{1, 2, 3, 64, 100_000} {
		for w, most := range map[width]int64{positions: 1 << 40, hashes: math.MaxInt64} {
			left, right := shifts(partitions, w)
			last := int64(math.MinInt64)
			for p := range int64(partitions) {
				for _, place := range []int64{-2, -1, 0, 1, 1 << 20, most - 1, most} {
					key := p<<left + place>>right
					if (key-place>>right)>>left != p || key < last {
						t.Fatalf("%d partitions: partition %d, place %d has the key %d after %d", partitions, p, place, key, last)
					}
					last = key
				}
			}
		}
	}
	e := new(cluster)
	e.slots = 2
	q := e.placed(query("SELECT 1"), 3, inBlocks)
	want := " SORT BY shiftleft(bigint(p), 61) + shiftright(place, 0), p, place, seq"
	if !strings.HasSuffix(string(q), want) {
		t.Errorf("%s, wanted%s", string(q), want)
	}
}
