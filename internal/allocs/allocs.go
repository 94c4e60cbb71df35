// Package allocs counts the allocations of a function, for tests.
package allocs

import (
	"math"
	"testing"
)

// PerRun is the minimum of several testing.AllocsPerRun. Only some of them include the runtime's own allocations, as
// when the garbage collector has freed what the runtime keeps for waiting goroutines.
func PerRun(runs int, f func()) float64 {
	least := math.Inf(1)
	for tries := 0; tries < 5 && least > 0; tries++ {
		least = min(least, testing.AllocsPerRun(runs, f))
	}
	return least
}
