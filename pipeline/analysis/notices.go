package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// notices returns the things that a person should know about a table, the most important ones first.
func notices(t *Table) (all []Notice) {
	for _, name := range t.Label {
		all = append(all, labelNotices(t.Column(name))...)
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if !slices.Contains(t.Label, c.Name) {
			all = append(all, leakNotices(c, t.Label)...)
		}
	}
	for i := range t.Columns {
		all = append(all, columnNotices(&t.Columns[i])...)
	}
	return all
}

// leak is the correlation from which a column counts as revealing the label.
const leak = 0.999

func leakNotices(c *Column, labels []string) (all []Notice) {
	if len(c.Determines) > 0 {
		all = append(all, Notice{c.Name, "leak", fmt.Sprintf("determines %s alone: it may have been derived from it",
			quoted(c.Determines))})
	}
	for _, l := range labels {
		if r, ok := c.Correlations[l]; ok && math.Abs(r) > leak && len(c.Determines) == 0 {
			all = append(all, Notice{c.Name, "leak",
				fmt.Sprintf("has correlation %.5f with %q: it may have been derived from it", r, l)})
		}
	}
	return all
}

func labelNotices(c *Column) (all []Notice) {
	if c.Gaps > 0 {
		all = append(all, Notice{c.Name, "gaps", fmt.Sprintf("is the label and has %s", counted(c.Gaps, "gap"))})
	}
	if n := len(c.Categories); n >= 2 && n <= shownCategories && c.Distinct == int64(n) && c.Distinct <= c.Values/2 &&
		c.Kind != DoubleKind {
		most, least := c.Categories[0], c.Categories[n-1]
		switch {
		case least.Count < 2:
			all = append(all, Notice{c.Name, "imbalance", fmt.Sprintf("has the class %q only once", least.Text)})
		case most.Count*10 > c.Values*9 || most.Count > 20*least.Count:
			all = append(all, Notice{c.Name, "imbalance",
				fmt.Sprintf("is unbalanced: %.3g %% of the rows are %q, and %.3g %% %q",
					100*float64(most.Count)/float64(c.Values), most.Text, 100*float64(least.Count)/float64(c.Values), least.Text)})
		}
	}
	return all
}

func columnNotices(c *Column) (all []Notice) {
	if c.Odd > 0 {
		of, such := "numbers", c.firstOdd()
		if c.Time != nil {
			of, such = "dates", c.suchDate()
		}
		all = append(all, Notice{c.Name, "mixed-types", fmt.Sprintf("has %s, but for %s%s; they count as gaps", of,
			counted(c.Odd, "value"), such)})
	}
	if c.Numbers > 0 && c.Numbers*mixedShare >= c.Values && c.Distinct > mixedDistinct {
		all = append(all, Notice{c.Name, "mixed-types", fmt.Sprintf("is taken as text: it has %s and %s%s",
			counted(c.Numbers, "number"), counted(c.Values-c.Numbers, "text"), c.firstOdd())})
	}
	if c.Numbers == 0 && c.Time == nil && c.Number == nil {
		if first, second, ok := severalForms(textsOf(c.Categories)); ok {
			all = append(all, Notice{c.Name, "mixed-dates", fmt.Sprintf("is taken as text: it has dates in several forms, such "+
				"as %q and %q; write them in one", first, second)})
		}
	}
	if c.Time != nil && c.Time.dayFirst {
		all = append(all, Notice{c.Name, "ambiguous-date", "could have the day first or the month first; the month is taken"})
	}
	if c.Gaps*2 > c.Gaps+c.Values && c.Values > 0 {
		all = append(all, Notice{c.Name, "gaps", fmt.Sprintf("has a value in %.3g %% of the rows only",
			100*float64(c.Values)/float64(c.Gaps+c.Values))})
	}
	if c.Number != nil && c.Number.Infinite > 0 {
		all = append(all, Notice{c.Name, "infinite", fmt.Sprintf("has %s", counted(c.Number.Infinite, "infinite number"))})
	}
	if c.Number != nil && c.Number.Outliers > 0 {
		all = append(all, Notice{c.Name, "outliers", fmt.Sprintf("has %s, far outside its quartiles %s to %s",
			counted(c.Number.Outliers, "outlier"),
			short(c.Number.Quantiles[2]), short(c.Number.Quantiles[4]))})
	}
	return all
}

// firstOdd returns the place of the first text among numbers, if it is known.
func (c *Column) firstOdd() string {
	if c.OddPlace == "" {
		return ""
	}
	return ", the first at " + c.OddPlace
}

// suchDate quotes a text among dates, with its place if it is known.
func (c *Column) suchDate() string {
	if c.oddDate.place == "" {
		return fmt.Sprintf(" such as %q", c.OddTexts[0])
	}
	return fmt.Sprintf(" such as %q at %s", c.oddDate.text, c.oddDate.place)
}

// A column of texts is reported as mixing types if one value in mixedShare is a number, and it has more than
// mixedDistinct distinct values. Otherwise the values are codes.
const (
	mixedShare    = 10
	mixedDistinct = 20
)

func textsOf(all []Category) []string {
	texts := make([]string, len(all))
	for i, c := range all {
		texts[i] = c.Text
	}
	return texts
}

func quoted(names []string) string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(q, ", ")
}

// counted formats a number of things: "1 gap", "2 gaps".
func counted(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// short formats a number for people, with at most 5 digits.
func short(x float64) string { return fmt.Sprintf("%.5g", x) }
