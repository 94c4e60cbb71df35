package nn

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/nn/layer"
)

// Summary is a table of the layers with their sizes and parameters, as Deeplearning4j's MultiLayerNetwork.summary()
// has it.
func (m *MultiLayer) Summary() string {
	rows := [][4]string{{"LayerName (LayerType)", "nIn,nOut", "TotalParams", "ParamsShape"}}
	for i, nd := range m.nodes {
		class, _ := layer.Classes.NameOf(nd.layer)
		class = class[strings.LastIndexByte(class, '.')+1:]
		_, size := m.layout.nodeRange(i)
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
		rows = append(rows, [4]string{nd.name + " (" + class + ")", sizes, grouped(size), params})
	}
	var widths [4]int
	total := 0
	for k := range widths {
		for _, r := range rows {
			widths[k] = max(widths[k], len(r[k]))
		}
		if k < 3 {
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
	fmt.Fprintf(&b, "%30s %s\n", "Total Parameters: ", grouped(m.layout.params))
	fmt.Fprintf(&b, "%30s %s\n", "Trainable Parameters: ", grouped(m.layout.params))
	fmt.Fprintf(&b, "%30s %s\n", "Frozen Parameters: ", grouped(0))
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
