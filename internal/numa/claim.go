package numa

import "fmt"

// claim takes cores of a node for that many threads. It looks at the first group of each node, then at the second one
// of each, so that replicas are dealt to the nodes in turn. take takes a core, by its first processor, if no other
// process of the machine has it. Two processes that claim at the same time take the cores of a group in the same
// order, so one of them gets it.
func claim(nodes []Node, threads int, take func(processor int) (release func(), ok bool)) (on Node, release func(),
	ok bool) {
	fits := true
	for group := 0; fits; group++ {
		fits = false
		for _, n := range nodes {
			cores := n.cores()
			if (group+1)*threads > len(cores) {
				continue
			}
			fits = true
			if release, ok := takeAll(cores[group*threads:][:threads], take); ok {
				return n, release, true
			}
		}
	}
	return Node{}, nil, false
}

func takeAll(processors []int, take func(int) (func(), bool)) (release func(), ok bool) {
	var held []func()
	release = func() {
		for _, r := range held {
			r()
		}
	}
	for _, p := range processors {
		r, ok := take(p)
		if !ok {
			release()
			return nil, false
		}
		held = append(held, r)
	}
	return release, true
}

// socketName is the name of the socket that stands for a processor. It has no file. Linux gives a name to one process
// at a time, and frees it when that process ends. A container with a network of its own does not see the claims of
// others.
func socketName(kind string, processor int) string {
	return fmt.Sprintf("@dl4go/%s/%d", kind, processor)
}
