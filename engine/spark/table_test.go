package spark

import (
	"reflect"
	"testing"
)

// TestKeys holds the hash to values that Spark gives: SELECT id, hash(int(id)) FROM range(5).
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
	q := sqlf("SELECT %s FROM (%s) WHERE %s UNION %s", "a", query{"x = ?", []any{1}}, query{"y = ?", []any{2}}, "b")
	if want := (query{"SELECT a FROM (x = ?) WHERE y = ? UNION b", []any{1, 2}}); !reflect.DeepEqual(q, want) {
		t.Errorf("%v, wanted %v", q, want)
	}
	if got := in([]int{3, 1, 2}); got != "3, 1, 2" {
		t.Error(got)
	}
}
