package inspect

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// Lines returns the report for people: the notices, then a line for each column.
func (r *Report) Lines() []string {
	var b strings.Builder
	for _, n := range r.Table.Notices {
		fmt.Fprintf(&b, "notice: %s\n", console.Printable(n.String(), 300))
	}
	if r.Problem != nil {
		fmt.Fprintf(&b, "notice: no pipeline: %s\n",
			strings.NewReplacer(":\n", ": ", "\n", "; ").Replace(r.Problem.Error()))
	}
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "column\ttype\tgaps\tdistinct\tvalues\tproposal")
	for i := range r.Table.Columns {
		c := &r.Table.Columns[i]
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\n", console.Name(c.Name, 40), c.Kind, c.Gaps+c.Odd, distinctText(c),
			console.Printable(valuesText(c), 60), console.Printable(r.Decision(c.Name).Reason, 300))
	}
	w.Flush()
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// Summary returns a line about the whole table.
func (r *Report) Summary() string {
	text := fmt.Sprintf("%s and %s of %s", progress.Plural(int(r.Table.Rows), "row"),
		progress.Plural(len(r.Table.Columns), "column"), r.Data)
	p := r.Proposal
	if p == nil {
		return text
	}
	switch {
	case len(p.Labels) == 0: // or a person has to decide about them first
	case p.Task == analysis.Classification:
		text += fmt.Sprintf(": classification of %s, %d classes", p.Labels[0], len(p.Classes))
	default:
		text += fmt.Sprintf(": %s of %s", p.Task, strings.Join(p.Labels, ", "))
	}
	return text + ", " + progress.Plural(len(p.Features), "feature")
}

// Decision returns what the proposal does with a column.
func (r *Report) Decision(column string) analysis.Decision {
	if r.Proposal != nil {
		for _, d := range r.Proposal.Columns {
			if d.Column == column {
				return d
			}
		}
	}
	return analysis.Decision{Column: column}
}

func distinctText(c *analysis.Column) string {
	if c.Arrays != nil {
		return ""
	}
	if !c.Exact {
		return fmt.Sprintf("≈%d", c.Distinct)
	}
	return fmt.Sprint(c.Distinct)
}

// valuesText describes a column's values in a few words.
func valuesText(c *analysis.Column) string {
	switch {
	case c.Kind == analysis.Empty:
		return ""
	case c.Kind == analysis.Constant:
		return c.Categories[0].Text
	case c.Arrays != nil:
		return fmt.Sprintf("%s to %s, mean %s", short(c.Arrays.Min), short(c.Arrays.Max), short(c.Arrays.Mean))
	case c.Number != nil:
		n := c.Number
		text := fmt.Sprintf("%s to %s, mean %s, median %s", short(n.Min), short(n.Max), short(n.Mean), short(n.Median()))
		if c.Unit != nil {
			text += ", " + c.Unit.String()
		}
		return text
	case c.Time != nil:
		text := instant(c.Time.Min, c.Time.Clock) + " to " + instant(c.Time.Max, c.Time.Clock)
		if c.Time.Format != "" {
			text += " (" + c.Time.Format + ")"
		}
		return text
	case c.Kind == analysis.Categories || c.Kind == analysis.BooleanKind:
		var parts []string
		for i, f := range c.Categories {
			if i == 3 {
				parts = append(parts, "…")
				break
			}
			parts = append(parts, fmt.Sprintf("%s %d", f.Text, f.Count))
		}
		return strings.Join(parts, ", ")
	case c.Length != nil:
		return fmt.Sprintf("%d to %d characters, %s words", c.Length.Min, c.Length.Max, short(c.Length.Words))
	}
	return ""
}

// short returns a number with at most 5 digits.
func short(x float64) string { return fmt.Sprintf("%.5g", x) }

func instant(ms int64, clock bool) string {
	layout := "2006-01-02"
	if clock {
		layout += " 15:04"
	}
	return time.UnixMilli(ms).UTC().Format(layout)
}
