package paramavg

import "testing"

// TestMemory: rounds take the memory of results that nobody reads any more, and of sums a round later. If a round
// before may go on somewhere, they take new memory.
func TestMemory(t *testing.T) {
	var m memory
	round := func(over bool) (result, sum *float32) {
		m.begin(over)
		r, s := m.result(4, false), m.sum(2)
		if len(r) != 4 || 4*cap(r) < 4*4+tailRoom || len(s) != 2 {
			t.Fatalf("a result of %d values (room for %d) and a sum of %d", len(r), cap(r), len(s))
		}
		m.trained(r)
		return &r[0], &s[0]
	}
	r1, s1 := round(false)
	r2, s2 := round(true)
	if r2 != r1 || s2 == s1 {
		t.Error("round 2 has a new result, or the sum of round 1 that workers keep")
	}
	r3, s3 := round(true)
	if r3 != r1 || s3 != s1 {
		t.Error("round 3 has new memory")
	}
	r4, s4 := round(false)
	r5, s5 := round(true)
	if r4 == r1 || s4 == s1 || s4 == s2 || r5 != r4 || s5 == s1 || s5 == s2 || s5 == s4 {
		t.Error("after a round that may go on, memory of before is used")
	}
	m.begin(true)
	if r := m.result(5, true); len(r) != 5 || 4*cap(r) < 4*5+tailRoom+eventRoom {
		t.Errorf("a longer result has %d values, with room for %d", len(r), cap(r))
	}
}
