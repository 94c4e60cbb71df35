package nn

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// summary is the table of MultiLayerNetwork.summary().
func (m *MultiLayer) summary() string {
	rows := [][]string{{"LayerName (LayerType)", "nIn,nOut", "TotalParams", "ParamsShape"}}
	for i := range m.nodes {
		rows = append(rows, m.summaryRow(i))
	}
	return m.table(rows)
}

// summary is the table of ComputationGraph.summary().
func (g *Graph) summary() string {
	rows := [][]string{{"VertexName (VertexType)", "nIn,nOut", "TotalParams", "ParamsShape", "Vertex Inputs"}}
	for _, name := range g.conf.Inputs {
		rows = append(rows, []string{name + " (InputVertex)", "-,-", "-", "-", "-"})
	}
	inputs := map[string][]string{}
	for _, v := range g.conf.Vertices {
		inputs[v.Name] = v.Inputs
	}
	for i, nd := range g.nodes {
		rows = append(rows, append(g.summaryRow(i), "["+strings.Join(inputs[nd.name], ", ")+"]"))
	}
	return g.table(rows)
}

// Wire names the inputs of a layer or vertex. They are other layers and vertices, by name, or the network's inputs,
// which are called input0, input1 and so on.
type Wire struct {
	Name, Class string // the class is Deeplearning4j's, without its package
	Inputs      []string
}

// Wiring lists the layers or vertices in the order of computation.
func (n *blueprint) Wiring() []Wire {
	var all []Wire
	for i, nd := range n.nodes {
		w := Wire{Name: nd.name, Class: n.class(i)}
		for _, k := range nd.in {
			if k < 0 {
				w.Inputs = append(w.Inputs, fmt.Sprintf("input%d", -1-k))
			} else {
				w.Inputs = append(w.Inputs, n.nodes[k].name)
			}
		}
		all = append(all, w)
	}
	return all
}

// class returns the class of a layer or vertex, without its package.
func (n *blueprint) class(i int) string {
	class, _ := layer.Classes.NameOf(n.nodes[i].layer)
	if v, ok := n.nodes[i].layer.(vertexLayer); ok {
		class, _ = vertex.Classes.NameOf(v.Vertex)
	}
	return class[strings.LastIndexByte(class, '.')+1:]
}

// summaryRow returns the row of a layer or vertex.
func (n *blueprint) summaryRow(i int) []string {
	nd, class := n.nodes[i], n.class(i)
	_, size := n.layout.nodeRange(i)
	sizes, params := "-,-", "-"
	if size > 0 {
		if s, ok := nd.layer.(layer.Sized); ok {
			nIn, nOut := s.Sizes()
			sizes = fmt.Sprintf("%d,%d", nIn, nOut)
		}
		var list []string
		for _, p := range nd.layer.Params() {
			dims := make([]string, len(p.Shape))
			for k, d := range p.Shape {
				dims[k] = strconv.Itoa(d)
			}
			list = append(list, p.Name+":{"+strings.Join(dims, ",")+"}")
		}
		params = strings.Join(list, ", ")
	}
	return []string{nd.name + " (" + class + ")", sizes, grouped(size), params}
}

// table formats rows, and the counts of parameters below them. The first row is the head. All parameters of frozen
// layers and vertices count as frozen. Deeplearning4j differs: it only counts those of misc.FrozenLayer.
func (n *blueprint) table(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	total := 0
	for k := range widths {
		for _, r := range rows {
			widths[k] = max(widths[k], len(r[k]))
		}
		if k < len(widths)-1 {
			widths[k] += 3
		}
		total += widths[k]
	}
	var b strings.Builder
	line := func(c string) { b.WriteString(strings.Repeat(c, total) + "\n") }
	b.WriteByte('\n')
	line("=")
	for i, r := range rows {
		for k, cell := range r {
			fmt.Fprintf(&b, "%-*s", widths[k], cell)
		}
		b.WriteByte('\n')
		if i == 0 {
			line("=")
		}
	}
	line("-")
	fmt.Fprintf(&b, "%30s %s\n", "Total Parameters: ", grouped(n.layout.params))
	frozen := 0
	for _, e := range n.layout.entries {
		if e.param.Frozen {
			frozen += e.size
		}
	}
	fmt.Fprintf(&b, "%30s %s\n", "Trainable Parameters: ", grouped(n.layout.params-frozen))
	fmt.Fprintf(&b, "%30s %s\n", "Frozen Parameters: ", grouped(frozen))
	line("=")
	return b.String()
}

// grouped prints a number with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
