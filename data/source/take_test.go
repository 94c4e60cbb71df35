package source

import (
	"testing"

	"github.com/dl4go/dl4go/data"
)

// objectsOnly hides that a source is a table.
type objectsOnly struct{ Source }

// TestTake: Take draws the same minibatches from a table with the same seed, and takes the first ones of other sources.
func TestTake(t *testing.T) {
	digits, err := Digits("")
	if err != nil {
		t.Fatal(err)
	}
	first := func(s Source) (rows []byte) {
		for i := range s.Objects() {
			m, err := s.Object(i)
			if err != nil {
				t.Fatal(err)
			}
			rows = data.AppendRow(rows, m)
		}
		return rows
	}
	take := func(s Source, n, size int, seed uint64) Source {
		some, err := Take(s, "some", n, size, seed)
		if err != nil {
			t.Fatal(err)
		}
		return some
	}
	drawn := take(digits, 3, 16, 1)
	if n := drawn.Info().Examples; n != 48 || string(first(drawn)) != string(first(take(digits, 3, 16, 1))) ||
		string(first(drawn)) == string(first(take(digits, 3, 16, 2))) {
		t.Errorf("%d examples drawn", n)
	}
	if n := take(digits, 1000, 16, 1).Info().Examples; n != 1797 {
		t.Errorf("%d of all", n)
	}
	row := objectsOnly{digits}
	for _, c := range []struct{ n, size, want int }{{3, 16, 48}, {5, 0, 5}, {1000, 16, 1797}, {5000, 0, 1797}} {
		some := take(row, c.n, c.size, 1)
		if some.Info().Examples != c.want || some.Objects() != c.want || some.Info().Name != "some" {
			t.Errorf("%+v: %d", c, some.Objects())
		}
		if _, err := some.Object(c.want); err == nil {
			t.Error("an object behind the last one")
		}
	}
	same, err := digits.Object(0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := take(row, 1, 1, 1).Object(0)
	if err != nil || string(data.AppendRow(nil, got)) != string(data.AppendRow(nil, same)) {
		t.Errorf("%v", err)
	}
}
