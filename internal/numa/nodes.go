// Package numa keeps computations near their memory on machines with several NUMA nodes, such as those with two
// sockets. A node is a group of processors with memory of its own. Reading the memory of another node takes longer, and
// all threads that read one node's memory share its bandwidth.
//
// There is one rule, by the number of threads of a replica:
//
//   - If one node has that many cores free, the replica's worker process stays on that node ([Settle]): all its
//     threads run there. Linux gives a thread memory of its own node, so all memory of the process lies there, too.
//   - If no node has that many cores at all ([Spans]), the replica's large arrays lie on all nodes in turn
//     ([Interleave]).
//   - Otherwise Linux places threads and memory. That goes for replicas that are goroutines of one process: a goroutine
//     moves between threads, and one that may not move yields to others at a hundred times the cost.
//
// Results never depend on it. On a machine with one node, and on systems other than Linux, nothing happens.
package numa

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dl4go/dl4go/internal/cores"
)

// Node is a NUMA node with memory.
type Node struct {
	Number     int
	Processors []int // those that this process may use, at least one
	Cores      []int // the first processor of each core; nil if each is a core of its own
}

// cores returns a processor of each core. A thread of a replica needs a core.
func (n Node) cores() []int {
	if n.Cores == nil {
		return n.Processors
	}
	return n.Cores
}

// Here returns the nodes on whose processors and memory the calling thread may run now, in the order of their numbers,
// or nil if that is one node only. The nodes of the machine are read once.
func Here() []Node {
	all := machine()
	if len(all) < 2 {
		return nil
	}
	may, ok := cores.Usable()
	if !ok {
		return nil
	}
	return within(all, may, cores.First)
}

// machine is the nodes of this machine.
var machine = sync.OnceValue(func() []Node { return read("/") })

// read returns the nodes with processors and memory below root that this process may have memory of, with all their
// processors. It returns nil if there is one node only, or if Linux's files do not say it.
func read(root string) []Node {
	numbers := func(path, name string) []int {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return nil
		}
		list := string(text)
		if name != "" {
			_, list, _ = strings.Cut(list, "\n"+name+":")
			list, _, _ = strings.Cut(list, "\n")
		}
		n, _ := parse(list)
		return n
	}
	const dir = "sys/devices/system/node"
	with := numbers(dir+"/has_memory", "")
	if len(with) < 2 {
		return nil
	}
	allowed := numbers("proc/self/status", "Mems_allowed_list")
	var nodes []Node
	for _, n := range with {
		if cpus := numbers(fmt.Sprintf("%s/node%d/cpulist", dir, n), ""); len(cpus) > 0 && slices.Contains(allowed, n) {
			nodes = append(nodes, Node{Number: n, Processors: cpus})
		}
	}
	return several(nodes)
}

// within returns the nodes with only those processors that may be used. first returns the first processor of each core.
func within(all []Node, may func(processor int) bool, first func([]int) []int) []Node {
	var nodes []Node
	for _, n := range all {
		usable := slices.DeleteFunc(slices.Clone(n.Processors), func(p int) bool { return !may(p) })
		if len(usable) > 0 {
			nodes = append(nodes, Node{n.Number, usable, first(usable)})
		}
	}
	return several(nodes)
}

func several(nodes []Node) []Node {
	if len(nodes) < 2 {
		return nil
	}
	return nodes
}

// most bounds the numbers of nodes and processors. Linux has up to 1,024 and 8,192.
const most = 1 << 14

// parse reads a list of Linux, such as "0-3,8", whose numbers rise.
func parse(list string) (numbers []int, err error) {
	if list = strings.TrimSpace(list); list == "" {
		return nil, nil
	}
	next := 0
	for part := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err != nil || err2 != nil || first < next || last < first || last >= most {
			return nil, fmt.Errorf("%q is not a list of numbers", list)
		}
		for n := first; n <= last; n++ {
			numbers = append(numbers, n)
		}
		next = last + 1
	}
	return numbers, nil
}

// Replicas returns how many replicas of that many threads have a core for each thread on the node.
func (n Node) Replicas(threads int) int { return len(n.cores()) / threads }

// Spans reports whether that many threads need the cores of several of the nodes.
func Spans(nodes []Node, threads int) bool {
	return len(nodes) > 1 && !slices.ContainsFunc(nodes, func(n Node) bool { return len(n.cores()) >= threads })
}

// String names the node and its processors, as Linux lists them.
func (n Node) String() string {
	var b strings.Builder
	for i := 0; i < len(n.Processors); {
		last := i
		for last+1 < len(n.Processors) && n.Processors[last+1] == n.Processors[last]+1 {
			last++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, n.Processors[i])
		if last > i {
			fmt.Fprintf(&b, "-%d", n.Processors[last])
		}
		i = last + 1
	}
	return fmt.Sprintf("node %d (processors %s)", n.Number, b.String())
}
