package kernel

import (
	"os"
	"strings"
	"sync"
)

// SlowBF16 reports whether the products of bfloat16 of AVX512 take longer here than those of float32. They do on
// Intel's processors. AMX is fast on all that have it.
func SlowBF16() bool { return HasBF16() && madeByIntel() }

var madeByIntel = sync.OnceValue(func() bool {
	text, _ := os.ReadFile("/proc/cpuinfo") // of Linux; elsewhere nothing is known
	return intel(string(text))
})

// intel reports whether the text of /proc/cpuinfo names Intel as the vendor.
func intel(cpuinfo string) bool {
	for line := range strings.Lines(cpuinfo) {
		if name, vendor, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "vendor_id" {
			return strings.TrimSpace(vendor) == "GenuineIntel"
		}
	}
	return false
}
