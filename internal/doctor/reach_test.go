package doctor

import "testing"

// TestCrowd checks that many workers cause a warning, and few none.
func TestCrowd(t *testing.T) {
	if few, many := crowd(manyWorkers-1), crowd(1000); len(few) != 0 || len(many) != 1 {
		t.Errorf("of %d workers: %v; of 1,000: %v", manyWorkers-1, few, many)
	}
}
