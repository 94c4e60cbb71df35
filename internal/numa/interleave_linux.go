package numa

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A strip of memory lies on one node, the next one on the next node. It is as large as a huge page, which cannot lie on
// two nodes. Each strip is a call of Linux, so very large arrays have larger strips.
const (
	leastStrip = 2 << 20 // bytes
	mostStrips = 1 << 10
)

// Interleave places strips of x on the nodes in turn, and moves pages that lie elsewhere. Pages that x shares with
// other memory stay. Other goroutines may use x meanwhile. x may be memory of Go: its garbage collector does not care
// where pages lie, and who gets the same addresses later also has them on all nodes. It fails where a container forbids
// the call, as Docker does without the capability SYS_NICE.
func Interleave(x []float32, nodes []Node) error {
	page := uintptr(os.Getpagesize())
	at := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	from, to := (at+page-1)&^(page-1), (at+4*uintptr(len(x)))&^(page-1)
	if from >= to {
		return nil
	}
	strip := uintptr(leastStrip)
	for (to-from)/strip > mostStrips {
		strip *= 2
	}
	for p := from; p < to; {
		n, end := int(p/strip)%len(nodes), (p/strip+1)*strip
		if err := place(p, min(end, to), unix.MPOL_PREFERRED, nodes[n:][:1], unix.MPOL_MF_MOVE); err != nil {
			return err
		}
		p = end
	}
	// The pages that come later, and one entry again in Linux's table of the process's memory.
	return place(from, to, unix.MPOL_INTERLEAVE, nodes, 0)
}

// place sets the policy for memory from an address to another one.
func place(from, to uintptr, policy uintptr, nodes []Node, flags uintptr) error {
	set := setOf(nodes)
	_, _, errno := unix.Syscall6(unix.SYS_MBIND, from, to-from, policy, uintptr(unsafe.Pointer(&set.bits)),
		set.size, flags)
	if errno != 0 {
		return fmt.Errorf("mbind: %w", errno)
	}
	return nil
}

// nodeSet is a set of nodes for Linux, which takes one bit less than it is told.
type nodeSet struct {
	bits [most / 64]uint64
	size uintptr
}

func setOf(nodes []Node) (s nodeSet) {
	for _, n := range nodes {
		s.bits[n.Number/64] |= 1 << (n.Number % 64)
		s.size = max(s.size, uintptr(n.Number+2))
	}
	return s
}

// gather moves the pages of this process to a node, as far as Linux can and may.
func gather(from []Node, to Node) {
	old, set := setOf(from), setOf([]Node{to})
	size := max(old.size, set.size)
	unix.Syscall6(unix.SYS_MIGRATE_PAGES, 0, size, uintptr(unsafe.Pointer(&old.bits)),
		uintptr(unsafe.Pointer(&set.bits)), 0, 0)
}
