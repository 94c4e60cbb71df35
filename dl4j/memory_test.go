package dl4j

import "runtime"

// allocated is the number of bytes that were ever taken.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
