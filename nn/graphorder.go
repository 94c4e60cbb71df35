package nn

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/nn/vertex"
)

// wiring is a graph with numbered nodes. As in Deeplearning4j, the network's inputs come first, then the vertices in
// their listed order.
type wiring struct {
	names []string
	in    [][]int // the inputs of each node
	order []int   // each node comes after its inputs
}

// newWiring collects the names and finds an order: that of the file, or else Deeplearning4j's. Deeplearning4j keeps a
// queue of nodes without open inputs. Nodes that become ready together enter the queue in ascending number.
func newWiring(c *GraphConfiguration) (*wiring, error) {
	g := &wiring{}
	number := map[string]int{}
	add := func(name string) error {
		if name == "" {
			return fmt.Errorf("an input or a vertex of the graph has no name")
		}
		if _, ok := number[name]; ok {
			return fmt.Errorf("two inputs or vertices of the graph are named %q", name)
		}
		number[name] = len(g.names)
		g.names = append(g.names, name)
		return nil
	}
	switch {
	case len(c.Inputs) == 0:
		return nil, fmt.Errorf("the graph has no inputs")
	case len(c.Vertices) == 0:
		return nil, fmt.Errorf("the graph has no vertices")
	case len(c.Outputs) == 0:
		return nil, fmt.Errorf("the graph has no outputs")
	}
	for _, name := range c.Inputs {
		if err := add(name); err != nil {
			return nil, err
		}
	}
	for _, v := range c.Vertices {
		if err := add(v.Name); err != nil {
			return nil, err
		}
	}
	g.in = make([][]int, len(c.Inputs), len(g.names))
	for _, v := range c.Vertices {
		in, err := v.sources(number)
		if err != nil {
			return nil, &VertexError{v.Name, err}
		}
		g.in = append(g.in, in)
	}
	seen := map[string]bool{}
	for _, name := range c.Outputs {
		if i, ok := number[name]; !ok || i < len(c.Inputs) {
			return nil, fmt.Errorf("the graph's output %q is none of its vertices", name)
		}
		if seen[name] {
			return nil, fmt.Errorf("the graph's output %q is listed twice", name)
		}
		seen[name] = true
	}
	if c.order == nil {
		return g, g.sort()
	}
	return g, g.follow(c.order, number)
}

// sources returns the numbers of a vertex's inputs and of the inputs that it refers to.
func (v *GraphVertex) sources(number map[string]int) ([]int, error) {
	if (v.Layer == nil) == (v.Vertex == nil) {
		return nil, fmt.Errorf("must be either a layer or a vertex")
	}
	if v.Preprocessor != nil && v.Layer == nil {
		return nil, fmt.Errorf("has a preprocessor, which only layers have: use a vertex.Preprocessor")
	}
	if len(v.Inputs) == 0 {
		return nil, fmt.Errorf("has no inputs")
	}
	names := v.Inputs
	if r, ok := v.Vertex.(vertex.Referring); ok && r.Refers() != "" {
		names = append(names[:len(names):len(names)], r.Refers())
	}
	var in []int
	for _, name := range names {
		i, ok := number[name]
		if !ok {
			return nil, fmt.Errorf("%q, which it takes, is neither an input of the network nor a vertex", name)
		}
		in = append(in, i)
	}
	return in, nil
}

// sort computes the order.
func (g *wiring) sort() error {
	open := make([]int, len(g.names))
	next := make([][]int, len(g.names))
	for i, in := range g.in {
		seen := map[int]bool{}
		for _, k := range in {
			if !seen[k] {
				seen[k] = true
				open[i]++
				next[k] = append(next[k], i) // ascending, as i ascends
			}
		}
	}
	var ready []int
	for i, n := range open {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		i := ready[0]
		ready = ready[1:]
		g.order = append(g.order, i)
		for _, k := range next[i] {
			if open[k]--; open[k] == 0 {
				ready = append(ready, k)
			}
		}
	}
	if len(g.order) == len(g.names) {
		return nil
	}
	var circle []string
	for i, n := range open {
		if n > 0 {
			circle = append(circle, g.names[i])
		}
	}
	return fmt.Errorf("the graph has a circle among %s: a vertex must not depend on itself", strings.Join(circle, ", "))
}

// follow uses the order of a file.
func (g *wiring) follow(order []string, number map[string]int) error {
	done := make([]bool, len(g.names))
	for _, name := range order {
		i, ok := number[name]
		if !ok || done[i] {
			return fmt.Errorf("the graph's order has %q twice, or it is neither an input nor a vertex", name)
		}
		for _, k := range g.in[i] {
			if !done[k] {
				return fmt.Errorf("the graph's order has %s before %s, which it takes", name, g.names[k])
			}
		}
		done[i] = true
		g.order = append(g.order, i)
	}
	if len(g.order) != len(g.names) {
		return fmt.Errorf("the graph's order has %d of its %d inputs and vertices", len(g.order), len(g.names))
	}
	return nil
}
