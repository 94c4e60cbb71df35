// Package allocs counts the allocations of a function, for tests.
package allocs

import (
	"math"
	"testing"
)

// PerRun is testing.AllocsPerRun, the least of several tries: what the runtime allocates beside, as where the garbage
// collector has taken away what it keeps for goroutines that wait, is in some of them only.
func PerRun(runs int, f func()) float64 {
	least := math.Inf(1)
	for tries := 0; tries < 5 && least > 0; tries++ {
		least = min(least, testing.AllocsPerRun(runs, f))
	}
	return least
}
