package paramavg

import "runtime"

// manyExamples is the size from which the orders of a pass, 8 bytes for each example, are most of the driver's memory.
const manyExamples = 1 << 20

// tidy frees the orders that a pass no longer needs, before the next one is made. Without it the heap grows to twice
// its live size. Orders have no pointers, so this takes milliseconds.
func tidy(examples int) {
	if examples >= manyExamples {
		runtime.GC()
	}
}
