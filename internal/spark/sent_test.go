package spark

import (
	"testing"

	"github.com/dl4go/dl4go/engine"
)

// TestWhole checks that rows are sent whole to every executor up to a size, and up to a total of all such rows that are
// not dropped.
func TestWhole(t *testing.T) {
	const size = sentWhole / 4
	row := engine.Row{Bytes: make([]byte, size)}
	e := bareEngine(t)
	add := func(rows ...engine.Row) (*keeping, bool) {
		k := &keeping{dataset: new(engine.Dataset)}
		e.all[k] = true
		parts := []engine.Part{engine.RowSlice(rows[:1]), engine.RowSlice(rows[1:])}
		whole := e.whole(k, engine.DriverRows{Partitions: parts})
		if whole != (k.sent != nil) {
			t.Errorf("whole: %t, and %v is there", whole, k.sent)
		}
		return k, whole
	}
	if _, whole := add(row, row, row, row, engine.Row{Bytes: []byte{1}}); whole {
		t.Error("a byte too much")
	}
	var all []*keeping
	for i := range sentAll / sentWhole {
		k, whole := add(row, row, row, row)
		if !whole {
			t.Errorf("data set %d is too much", i)
		}
		all = append(all, k)
	}
	if _, whole := add(row); whole {
		t.Error("one more than all")
	}
	if !e.whole(all[0], engine.DriverRows{}) {
		t.Error("what was sent whole is not any more")
	}
	delete(e.all, all[1])
	if _, whole := add(row); !whole {
		t.Error("no room, where one was dropped")
	}
}
