// Package cores counts the cores that computations have. Two hardware threads of a core share its arithmetic units. One
// thread of the kernels keeps those busy, so a second one only takes cache from it.
package cores

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// Count returns the number of threads for computations that nobody has chosen: the cores that this process may use, and
// no more processors than the quota of its control group or GOMAXPROCS allows. A GOMAXPROCS of the environment is the
// number itself.
func Count() int {
	n := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") != "" {
		return n
	}
	return limit(n, here())
}

// limit returns the number of threads on so many processors with so many cores; 0 cores are unknown.
func limit(processors, cores int) int {
	if cores == 0 {
		return processors
	}
	return min(processors, cores)
}

// here is the number of cores whose processors this process could use at its start, or 0.
var here = sync.OnceValue(func() int {
	may, ok := Usable()
	if !ok {
		return 0
	}
	var all []int
	for p := range most {
		if may(p) {
			all = append(all, p)
		}
	}
	return len(First(all))
})

// most bounds the numbers of processors. Linux has up to 8,192.
const most = 1 << 13

// First returns the first of the given processors on each core, in their order. A processor is a core of its own if
// Linux's files do not say it.
func First(processors []int) []int { return first("/", processors) }

// first reads the files below root.
func first(root string, processors []int) (firsts []int) {
	seen := map[int]bool{}
	for _, p := range processors {
		if core := core(root, p); !seen[core] {
			seen[core] = true
			firsts = append(firsts, p)
		}
	}
	return firsts
}

// core returns the least processor on the core of p.
func core(root string, p int) int {
	name := fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", p)
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return p
	}
	least, _, _ := strings.Cut(strings.TrimSpace(string(text)), ",")
	least, _, _ = strings.Cut(least, "-")
	if n, err := strconv.Atoi(least); err == nil && n >= 0 && n < most {
		return n
	}
	return p
}
