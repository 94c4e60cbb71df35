package stats

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/storage"
)

// ProfileEndingError means that a file's extension does not select a format of a profile.
type ProfileEndingError struct{ Path string }

func (e *ProfileEndingError) Error() string {
	return fmt.Sprintf("%s: a profile is written as .html, .json or .folded, by the ending of the file's name", e.Path)
}

var profileWriters = map[string]func(w io.Writer, title string, costs []program.Cost) error{
	".html": writeProfilePage, ".json": writeProfileJSON, ".folded": writeFolded,
}

// CheckProfileEnding returns a *ProfileEndingError if the extension does not select a format for [ExportProfile].
func CheckProfileEnding(path string) error {
	if profileWriters[strings.ToLower(filepath.Ext(path))] == nil {
		return &ProfileEndingError{path}
	}
	return nil
}

// ExportProfile writes costs to a file, by its extension: .html is a page with a flame graph, .json a list, and
// .folded has stacks of layer, phase and operation with their microseconds, for flame graph tools.
func ExportProfile(ctx context.Context, path, title string, costs []program.Cost) error {
	if err := CheckProfileEnding(path); err != nil {
		return err
	}
	write := profileWriters[strings.ToLower(filepath.Ext(path))]
	return storage.WriteFile(ctx, path, func(w io.Writer) error { return write(w, title, costs) })
}

// ProfileTable returns the lines of a table with the largest costs, at most most of them, and the sum of the rest.
func ProfileTable(costs []program.Cost, most int) []string {
	total := time.Duration(0)
	for _, c := range costs {
		total += c.Took
	}
	lines := []string{fmt.Sprintf("%-16s %-8s %-32s %10s %10s %6s", "layer", "phase", "operation", "times", "ms", "share")}
	row := func(c program.Cost) {
		lines = append(lines, fmt.Sprintf("%-16s %-8s %-32s %10d %10.1f %5.1f%%", c.Layer, c.Phase, c.Op, c.Times,
			milliseconds(c.Took), share(c.Took, total)))
	}
	rest := program.Cost{Op: "all others"}
	for i, c := range costs {
		if i < most {
			row(c)
			continue
		}
		rest.Times += c.Times
		rest.Took += c.Took
	}
	if rest.Times > 0 {
		row(rest)
	}
	return lines
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func share(part, total time.Duration) float64 { return 100 * float64(part) / float64(max(1, total)) }

func writeProfileJSON(w io.Writer, title string, costs []program.Cost) error {
	type cost struct {
		Layer   string  `json:"layer"`
		Phase   string  `json:"phase"`
		Op      string  `json:"operation"`
		Times   int64   `json:"times"`
		Seconds float64 `json:"seconds"`
	}
	all := []cost{}
	for _, c := range costs {
		all = append(all, cost{c.Layer, string(c.Phase), c.Op, c.Times, c.Took.Seconds()})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(map[string]any{"title": title, "operations": all})
}

func writeFolded(w io.Writer, _ string, costs []program.Cost) error {
	for _, c := range costs {
		stack := strings.NewReplacer(";", ",", "\n", " ").Replace
		parts := []string{stack(c.Layer), string(c.Phase)}
		for _, op := range strings.Split(c.Op, "/") {
			parts = append(parts, stack(op))
		}
		if _, err := fmt.Fprintf(w, "%s %d\n", strings.Join(parts, ";"), c.Took.Microseconds()); err != nil {
			return err
		}
	}
	return nil
}

// frame is a part of a flame graph, with its children.
type frame struct {
	name  string
	took  time.Duration
	times int64
	parts []*frame
}

func (f *frame) part(name string) *frame {
	for _, p := range f.parts {
		if p.name == name {
			return p
		}
	}
	p := &frame{name: name}
	f.parts = append(f.parts, p)
	return p
}

// framesOf makes a tree of layers, phases and operations, the largest first.
func framesOf(costs []program.Cost) *frame {
	root := &frame{name: "training"}
	for _, c := range costs {
		at := root
		root.took += c.Took
		for _, name := range append([]string{c.Layer, string(c.Phase)}, strings.Split(c.Op, "/")...) {
			at = at.part(cmp.Or(name, "the network"))
			at.took += c.Took
		}
		at.times += c.Times
	}
	root.sort()
	return root
}

func (f *frame) sort() {
	slices.SortStableFunc(f.parts, func(a, b *frame) int { return cmp.Compare(b.took, a.took) })
	for _, p := range f.parts {
		p.sort()
	}
}

// leastShown is the share of the total below which a part is not drawn.
const leastShown = 0.0005

// write draws a row of boxes, and the children below each. from and width are shares of the total.
func (f *frame) write(b *strings.Builder, depth int, from, width float64, colour int, total time.Duration) {
	if width < leastShown {
		return
	}
	text := fmt.Sprintf("%s: %.1f ms, %.1f%%", f.name, milliseconds(f.took), share(f.took, total))
	if f.times > 0 {
		text += fmt.Sprintf(", %d times", f.times)
	}
	fmt.Fprintf(b, "<i tabindex=\"0\" title=\"%s\" aria-label=\"%s\" style=\"top:%dpx;left:%.3f%%;width:%.3f%%;"+
		"background:var(--p%d)\">%s</i>\n", html.EscapeString(text), html.EscapeString(text), depth*flameRow, 100*from,
		100*width, colour, html.EscapeString(f.name))
	for i, p := range f.parts {
		of := width * float64(p.took) / float64(max(1, f.took))
		next := colour
		if depth == 0 {
			next = lineColour(i)
		}
		p.write(b, depth+1, from, of, next, total)
		from += of
	}
}

func (f *frame) depth() int {
	deepest := 0
	for _, p := range f.parts {
		deepest = max(deepest, p.depth())
	}
	return deepest + 1
}

const flameRow = 24 // in pixels

const flameStyle = `.flame { position: relative; overflow: hidden; margin: .6em 0; border-radius: 4px; background: var(--soft) }
.flame i { position: absolute; height: 23px; font: 12px/23px system-ui, sans-serif; color: var(--back); text-indent: 5px;
  white-space: nowrap; overflow: hidden; text-overflow: ellipsis; box-sizing: border-box; border-right: 1px solid var(--back) }
.flame i:hover, .flame i:focus { filter: brightness(1.2); outline: 2px solid var(--ink); outline-offset: -2px }
.costs td:nth-child(-n+3), .costs th { text-align: left }
`

func writeProfilePage(w io.Writer, title string, costs []program.Cost) error {
	root := framesOf(costs)
	var b strings.Builder
	about := fmt.Sprintf("%.1f ms of operations on all threads' behalf, by layer, phase and operation. A box's width is "+
		"its time; point at it, or go to it by the keyboard, for its figures.", milliseconds(root.took))
	Frame{}.begin(&b, title, flameStyle)
	fmt.Fprintf(&b, "<p>%s</p>\n<h2>Flame graph</h2>\n<div class=\"flame\" style=\"height:%dpx\">\n", about,
		root.depth()*flameRow)
	root.write(&b, 0, 0, 1, lineColour(0), root.took)
	b.WriteString("</div>\n<h2>Operations</h2>\n<div class=\"wide\"><table class=\"costs\"><thead><tr>" +
		"<th>layer</th><th>phase</th><th>operation</th><th>times</th><th>ms</th><th>share</th></tr></thead>\n")
	for _, c := range costs {
		fmt.Fprintf(&b, "<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%.1f</td><td>%.1f%%</td></tr>\n",
			html.EscapeString(c.Layer), c.Phase, html.EscapeString(c.Op), thousands(int(c.Times)), milliseconds(c.Took),
			share(c.Took, root.took))
	}
	b.WriteString("</table></div>\n")
	Frame{}.end(&b)
	_, err := io.WriteString(w, b.String())
	return err
}
