package inspect

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/dl4go/dl4go/pipeline/analysis"
)

// pageData is what the page shows.
type pageData struct {
	Title    string
	Summary  string
	Notices  []analysis.Notice
	Problem  string
	Scale    []analysis.Scale
	Classes  []string
	Columns  []pageColumn
	Pipeline string
}

// pageColumn is a column on the page.
type pageColumn struct {
	ID       string
	Name     string
	Kind     analysis.Kind
	Action   string
	Reason   string
	Facts    []fact
	Bars     *bars
	Shares   []share
	More     int
	GapShare string
	Warned   bool
}

type fact struct{ Name, Value string }

// bars is a histogram as an SVG of 300 by 90 units.
type bars struct {
	Label     string
	Low, High string
	Bars      []bar
}

type bar struct {
	X, Y, Width, Height string
	Tip                 string
}

// share is a category with its part of the rows.
type share struct {
	Text, Count string
	Width       string
}

// WriteHTML writes the report as one page that needs no other file, no script and no network.
func (r *Report) WriteHTML(w io.Writer) error {
	p := pageData{Title: r.Data, Summary: r.Summary(), Notices: r.Table.Notices}
	if r.Problem != nil {
		p.Problem = r.Problem.Error()
	}
	if r.Proposal != nil {
		text, err := r.Proposal.Pipeline.YAML()
		if err != nil {
			return err
		}
		p.Pipeline, p.Scale, p.Classes = string(text), r.Proposal.Scale, r.Proposal.Classes
	}
	for i := range r.Table.Columns {
		p.Columns = append(p.Columns, r.pageColumn(i))
	}
	_, err := io.WriteString(w, strings.Map(visible, p.markup()))
	return err
}

// visible replaces characters that no page should contain, such as those that change the direction of writing.
func visible(r rune) rune {
	if r == '\n' || unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) {
		return r
	}
	return '·'
}

func (r *Report) pageColumn(i int) pageColumn {
	c := &r.Table.Columns[i]
	d := r.Decision(c.Name)
	p := pageColumn{ID: fmt.Sprintf("column%d", i), Name: cmp.Or(c.Name, `""`), Kind: c.Kind, Action: string(d.Action),
		Reason: strings.TrimPrefix(d.Reason, "label: ")}
	for _, n := range r.Table.Notices {
		p.Warned = p.Warned || n.Column == c.Name
	}
	add := func(name, value string) { p.Facts = append(p.Facts, fact{name, value}) }
	add("values", fmt.Sprint(c.Values-c.Odd))
	add("gaps", fmt.Sprintf("%d (%.3g %%)", c.Gaps+c.Odd, percent(c.Gaps+c.Odd, r.Table.Rows)))
	add("distinct", distinctText(c))
	p.GapShare = fmt.Sprintf("%.2f", percent(c.Gaps+c.Odd, r.Table.Rows))
	if n := c.Number; n != nil {
		add("range", short(n.Min)+" to "+short(n.Max))
		add("mean ± deviation", short(n.Mean)+" ± "+short(n.Deviation))
		add("quartiles", short(n.Quantiles[2])+", "+short(n.Median())+", "+short(n.Quantiles[4]))
		add("zeros, negative", fmt.Sprintf("%d, %d", n.Zeros, n.Negative))
		if n.Outliers > 0 {
			add("outliers", fmt.Sprint(n.Outliers))
		}
		if n.Min < n.Max {
			p.Bars = barsOf(n.Histogram)
		}
	}
	if c.Time != nil {
		add("span", instant(c.Time.Min, c.Time.Clock)+" to "+instant(c.Time.Max, c.Time.Clock))
		add("format", c.Time.Format)
	}
	if l := c.Length; l != nil && c.Kind != analysis.Categories && c.Kind != analysis.BooleanKind {
		add("characters", fmt.Sprintf("%d to %d, mean %s", l.Min, l.Max, short(l.Mean)))
		add("words", short(l.Words)+" on average")
	}
	for _, label := range r.Table.Label {
		if x, ok := c.Correlations[label]; ok {
			add("correlation with "+label, fmt.Sprintf("%.3f", x))
		}
	}
	if p.Bars == nil && (c.Kind == analysis.Categories || c.Kind == analysis.BooleanKind || c.Kind == analysis.Constant) {
		p.shares(c)
	}
	return p
}

// shownShares is the number of categories that the page lists.
const shownShares = 8

func (p *pageColumn) shares(c *analysis.Column) {
	for i, f := range c.Categories {
		if i == shownShares {
			p.More = len(c.Categories) - shownShares
			return
		}
		p.Shares = append(p.Shares, share{f.Text, fmt.Sprintf("%d (%.3g %%)", f.Count, percent(f.Count, c.Values)),
			fmt.Sprintf("%.2f", percent(f.Count, c.Categories[0].Count))})
	}
}

func percent(n, of int64) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// barsOf draws a histogram.
func barsOf(h analysis.Histogram) *bars {
	const width, height = 300.0, 90.0
	most := int64(1)
	for _, n := range h.Counts {
		most = max(most, n)
	}
	b := &bars{Low: short(h.Bounds[0]), High: short(h.Bounds[len(h.Counts)])}
	each := width / float64(len(h.Counts))
	var counts []string
	for i, n := range h.Counts {
		tall := height * float64(n) / float64(most)
		if n > 0 {
			tall = max(tall, 1)
		}
		b.Bars = append(b.Bars, bar{
			fmt.Sprintf("%.2f", float64(i)*each), fmt.Sprintf("%.2f", height-tall), fmt.Sprintf("%.2f", each-0.8),
			fmt.Sprintf("%.2f", tall), fmt.Sprintf("%s to %s: %d", short(h.Bounds[i]), short(h.Bounds[i+1]), n),
		})
		counts = append(counts, fmt.Sprint(n))
	}
	b.Label = fmt.Sprintf("Histogram from %s to %s in %d buckets: %s", b.Low, b.High, len(h.Counts), strings.Join(counts,
		", "))
	return b
}
