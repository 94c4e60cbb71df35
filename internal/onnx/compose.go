package onnx

import (
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn/activation"
)

// composer replaces elementwise nodes that compute an activation together by one node. Exporters write GELU, for
// example, as a division, an error function, a sum and two products.
//
// The value of each elementwise node has a parent: the nearest value from which all of it is computed. So a value is a
// function of one number of any of its forebears.
type composer struct {
	*recogniser
	opset   int64
	left    int                       // how many more terms may be computed
	numbers map[string]float64        // constants of one element, by the names of values
	nodes   map[string]*onnxfile.Node // elementwise nodes
	used    map[string]bool           // values that nodes read
	fixed   map[string]bool           // constants and sizes
	parent  map[string]string
	depth   map[string]int // number of forebears
	known   map[*onnxfile.Node]activation.Activation
}

// The limits of the search for activations.
const (
	mostForebears = 40    // of a value that are tried
	mostTerms     = 400   // in a function
	allTerms      = 50000 // of all functions
)

// compose returns the model's nodes with activations in place of the nodes that compute them. The replaced nodes that
// nothing else needs are left out later. known has the activation of each new node.
func compose(g *onnxfile.Graph, opset int64, outputs []string) (nodes []*onnxfile.Node,
	known map[*onnxfile.Node]activation.Activation) {
	c := &composer{recogniser: newRecogniser(), opset: opset, left: allTerms, numbers: numbersOf(g),
		nodes: map[string]*onnxfile.Node{}, used: map[string]bool{}, fixed: map[string]bool{}, parent: map[string]string{},
		depth: map[string]int{}, known: map[*onnxfile.Node]activation.Activation{}}
	for name := range constantsOf(g) {
		c.fixed[name] = true
	}
	for _, n := range g.Nodes {
		c.add(n)
	}
	needed := map[string]bool{}
	for _, name := range outputs {
		needed[name] = true
	}
	nodes = slices.Clone(g.Nodes)
	for i := len(nodes) - 1; i >= 0; i-- {
		n := nodes[i]
		if len(n.Outputs) == 0 || !slices.ContainsFunc(n.Outputs, func(name string) bool { return needed[name] }) {
			continue
		}
		if c.nodes[n.Outputs[0]] == n {
			if a, from := c.activation(n); a != nil {
				n = &onnxfile.Node{Op: n.Op, Name: n.Name, Inputs: []string{from}, Outputs: n.Outputs}
				nodes[i], c.known[n] = n, a
			}
		}
		for _, in := range n.Inputs {
			needed[in] = true
		}
	}
	return nodes, c.known
}

// add finds a node's parent, if it is an elementwise node of values with a common forebear.
func (c *composer) add(n *onnxfile.Node) {
	if common, ok := c.common(n); ok && !c.used[n.Outputs[0]] && c.nodes[n.Outputs[0]] == nil {
		out := n.Outputs[0] // if it was read before, the nodes are in no order
		c.nodes[out], c.parent[out], c.depth[out] = n, common, c.depth[common]+1
	}
	fixed := len(n.Inputs) > 0
	for _, in := range n.Inputs {
		c.used[in] = true
		fixed = fixed && (c.fixed[in] || in == "")
	}
	for _, out := range n.Outputs {
		c.fixed[out] = c.fixed[out] || fixed || n.Op == "Shape"
	}
}

// common returns the nearest value from which all of an elementwise node's operands are computed.
func (c *composer) common(n *onnxfile.Node) (name string, ok bool) {
	if n.Domain != "" && n.Domain != "ai.onnx" || len(n.Outputs) != 1 || c.fixed[n.Outputs[0]] {
		return "", false
	}
	if simple[n.Op] {
		if _, err := simpleActivation(n); err != nil || len(n.Inputs) != 1 {
			return "", false
		}
	} else if elementwiseTerm(c.opset, n, c.operands(n, func(string) *term { return argument() })) == nil {
		return "", false
	}
	for _, in := range n.Inputs {
		_, number := c.numbers[in]
		switch {
		case number || in == "":
		case c.fixed[in]:
			return "", false
		case !ok:
			name, ok = in, true
		default:
			if name, ok = c.forebear(name, in); !ok {
				return "", false
			}
		}
	}
	return name, ok
}

// forebear returns the nearest common forebear of two values.
func (c *composer) forebear(a, b string) (string, bool) {
	for a != b {
		if c.depth[a] < c.depth[b] {
			a, b = b, a
		}
		if c.depth[a] == 0 {
			return "", false
		}
		a = c.parent[a]
	}
	return a, true
}

// operands returns a node's operands as terms.
func (c *composer) operands(n *onnxfile.Node, of func(name string) *term) (in []*term) {
	for _, name := range n.Inputs {
		switch x, number := c.numbers[name]; {
		case name == "":
			in = append(in, nil)
		case number:
			in = append(in, numberTerm(x))
		default:
			in = append(in, of(name))
		}
	}
	return in
}

// activation returns the activation that a node computes, and its argument. It is nil if the node is read as it is.
func (c *composer) activation(n *onnxfile.Node) (a activation.Activation, from string) {
	out := n.Outputs[0]
	usual := usualNode(n, c.numbers)
	last := ""
	way := true // the formula may go on to the next forebear
	for name, k := c.parent[out], 0; k < mostForebears; name, k = c.parent[name], k+1 {
		t := c.term(out, name)
		if t == nil {
			break
		}
		if found := c.find(t); found != nil {
			a, from = found, name
		}
		if way {
			last = name
		}
		if c.depth[name] == 0 {
			break
		}
		way = way && !simple[c.nodes[name].Op]
	}
	if a != nil || usual {
		return a, from
	}
	t := c.term(out, last)
	if t == nil {
		return nil, ""
	}
	if f, err := t.formula(); err == nil {
		return f, last
	}
	return nil, ""
}

// term returns a value as a function of one of its forebears; nil if it is too long.
func (c *composer) term(of, forebear string) *term {
	done, count := map[string]*term{forebear: argument()}, 0
	var visit func(name string) *term
	visit = func(name string) *term {
		if t, ok := done[name]; ok {
			return t
		}
		n := c.nodes[name]
		if count++; n != nil && simple[n.Op] {
			count += 9 // their formulas have several terms
		}
		if n == nil || count > mostTerms || count > c.left {
			return nil
		}
		bad := false
		in := c.operands(n, func(name string) *term {
			t := visit(name)
			bad = bad || t == nil
			return t
		})
		if bad {
			return nil
		}
		t := elementwiseTerm(c.opset, n, in)
		done[name] = t
		return t
	}
	t := visit(of)
	c.left -= count
	return t
}
