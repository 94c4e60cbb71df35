package eval

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
)

// The limits of the drawing of a confusion matrix.
const (
	mostHeated   = 40 // classes
	mostMistaken = 10 // pairs of classes
)

// writeHeatMap draws the confusion matrix as a table. A cell is darker the larger its share of the actual class; the
// diagonal has another colour. With many classes, only those with the most mistakes are drawn.
func writeHeatMap(b *strings.Builder, e *Evaluation) {
	classes, all := heated(e)
	if len(classes) == 0 || len(e.counts) == 0 {
		return
	}
	b.WriteString("<h3>Confusion matrix</h3>\n<p>Rows are the actual classes, columns the predicted ones. A cell is the " +
		"darker the larger its share of the row: blue is right, red is wrong.")
	if len(classes) < all {
		fmt.Fprintf(b, " These are the %d of %d classes with most mistakes.", len(classes), all)
	}
	b.WriteString("</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Confusion matrix\">" +
		"<table class=\"heat\">\n<thead><tr><th scope=\"col\">actual</th>")
	for _, c := range classes {
		fmt.Fprintf(b, "<th scope=\"col\">%s</th>", html.EscapeString(outputName(e.Labels, c)))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, actual := range classes {
		name := html.EscapeString(outputName(e.Labels, actual))
		of := examplesOf(e, actual, all)
		fmt.Fprintf(b, "<tr><th scope=\"row\">%s</th>", name)
		for _, predicted := range classes {
			writeHeat(b, e.Count(actual, predicted), of, actual == predicted,
				name+" predicted as "+html.EscapeString(outputName(e.Labels, predicted)))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>\n")
	writeMistaken(b, e, all)
}

// writeHeat writes a cell: a count of the examples of a class.
func writeHeat(b *strings.Builder, n, of int64, right bool, what string) {
	if n == 0 {
		b.WriteString("<td></td>")
		return
	}
	share, kind := 100*float64(n)/float64(of), "wrong"
	if right {
		kind = "right"
	}
	fmt.Fprintf(b, "<td class=\"%s\" style=\"--share:%.0f%%\" title=\"%s: %d of %d, %.1f %%\">%d</td>", kind,
		min(85, 8+0.77*share), what, n, of, share, n)
}

// heated returns the classes that are drawn, and the number of all classes.
func heated(e *Evaluation) (classes []int, all int) {
	all = e.Classes()
	for c := range all {
		classes = append(classes, c)
	}
	if all <= mostHeated {
		return classes, all
	}
	mistakes := make([]int64, all)
	for at, n := range e.counts {
		if at.actual != at.predicted {
			mistakes[at.actual] += n
			mistakes[at.predicted] += n
		}
	}
	slices.SortStableFunc(classes, func(a, b int) int { return cmp.Compare(mistakes[b], mistakes[a]) })
	classes = classes[:mostHeated]
	slices.Sort(classes)
	return classes, all
}

// examplesOf counts the examples of a class.
func examplesOf(e *Evaluation, class, classes int) (n int64) {
	for c := range classes {
		n += e.Count(class, c)
	}
	return n
}

// writeMistaken lists the most frequent confusions of two classes.
func writeMistaken(b *strings.Builder, e *Evaluation, classes int) {
	var wrong []cell
	for at, n := range e.counts {
		if at.actual != at.predicted && n > 0 {
			wrong = append(wrong, at)
		}
	}
	if len(wrong) == 0 {
		return
	}
	slices.SortFunc(wrong, func(a, b cell) int {
		return cmp.Or(cmp.Compare(e.counts[b], e.counts[a]), cmp.Compare(a.actual, b.actual),
			cmp.Compare(a.predicted, b.predicted))
	})
	b.WriteString("<h3>Most frequent mistakes</h3>\n<ol>\n")
	for _, at := range wrong[:min(len(wrong), mostMistaken)] {
		of := examplesOf(e, at.actual, classes)
		fmt.Fprintf(b, "<li>%s predicted as %s: %d of %d, %.1f %%</li>\n",
			html.EscapeString(outputName(e.Labels, at.actual)), html.EscapeString(outputName(e.Labels, at.predicted)),
			e.counts[at], of, 100*float64(e.counts[at])/float64(of))
	}
	b.WriteString("</ol>\n")
}
