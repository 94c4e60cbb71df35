package prepare

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data/source"
)

// TestRoom: stored examples, in memory or on disk, equal those of a table, also after a split.
func TestRoom(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	n := inFiles(t, messyRows(300), 2)
	for name, s := range map[string]Settings{
		"all":    {Proposal: median},
		"split":  {Proposal: median, Split: Split{Share: 0.7}, Seed: 3},
		"sample": {Proposal: median, Sample: 100, Seed: 4},
	} {
		want, err := Open(t.Context(), n, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, memory := range []int64{0, 5000, 1 << 30} {
			moved := false
			s.Room = &source.Room{Memory: memory, Moved: func(string) { moved = true }}
			got, err := Open(t.Context(), n, s)
			if err != nil {
				t.Fatal(err)
			}
			if train := got.Train.(*source.Stored); train.InMemory() == moved {
				t.Errorf("%s, room for %d bytes: in memory %v, moved %v", name, memory, train.InMemory(), moved)
			}
			if !slices.Equal(examplesOf(t, got.Train), examplesOf(t, want.Train)) ||
				!slices.Equal(examplesOf(t, got.HeldOut), examplesOf(t, want.HeldOut)) {
				t.Errorf("%s, room for %d bytes: the examples are others", name, memory)
			}
			if err := got.Train.(*source.Stored).Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
