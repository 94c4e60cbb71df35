package cpu

import (
	"unsafe"

	"github.com/dl4go/dl4go/internal/numa"
)

// spread places the large memories of an executor whose threads need the processors of several NUMA nodes on all these
// nodes in turn. Otherwise a memory would lie where it was first written: the parameters, for example, on the node of
// the one goroutine that made them.
type spread struct {
	nodes []numa.Node // none: memory stays where it is
	done  [inInput]placed
	place func([]float32, []numa.Node) error // numa.Interleave
}

// placed is a memory that lies on all nodes. Its address does not keep it: addresses stay placed for their next owner.
type placed struct {
	at uintptr
	n  int
}

// leastSpread is the number of elements, 8 MiB, from which on a memory is spread. Smaller ones stay in the caches, and
// have few huge pages of 2 MiB.
const leastSpread = 2 << 20

func newSpread(threads int) spread {
	if threads > 1 {
		if nodes := numa.Here(); numa.Spans(nodes, threads) {
			return spread{nodes: nodes, place: numa.Interleave}
		}
	}
	return spread{}
}

// over places the memories of a run that were not placed yet. The first failure ends it: memory is then where Linux
// places it.
func (s *spread) over(memory *[inInput][]float32) {
	if s.nodes == nil {
		return
	}
	for i, m := range memory {
		at := uintptr(unsafe.Pointer(unsafe.SliceData(m)))
		if i == inOwn || len(m) < leastSpread || at == s.done[i].at && len(m) <= s.done[i].n {
			continue
		}
		if s.place(m, s.nodes) != nil {
			s.nodes = nil
			return
		}
		s.done[i] = placed{at, len(m)}
	}
}
