package analysis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/pipeline"
)

// Propose makes a pipeline for a table. Its result depends on the table and the options only.
//
// Numbers are standardised. Each category becomes a column of 0 and 1. Rare categories, and those that the table does
// not have, are the category "other". If the table has no rare ones, there is no column for "other": the columns of all
// categories are 0 then. Dates become numbers for the day and the time of day, and for the position between the first
// and the last date. Identifiers, constants and empty columns are left out.
//
// A gap is one of the table's texts for gaps, null or NaN. Any other text in a column of numbers is an error when the
// pipeline runs.
func Propose(t *Table, o Options) (*Proposal, error) {
	b := &proposer{table: t, options: o, proposal: &Proposal{}}
	if err := b.check(); err != nil {
		return nil, err
	}
	if err := b.labels(); err != nil {
		return nil, err
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if slices.Contains(o.Label, c.Name) {
			continue
		}
		b.feature(c)
	}
	return b.finish()
}

// OptionError means that the value of an option is invalid, or that two options exclude each other.
type OptionError struct{ Err error }

func (e *OptionError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *OptionError) Unwrap() error { return e.Err }

// proposer is a proposal under construction.
type proposer struct {
	table    *Table
	options  Options
	proposal *Proposal
	plans    map[string]plan // by column
}

// plan says what happens to a column.
type plan struct {
	decision Decision
	initial  pipeline.Column
	gone     []any // filters that remove rows, before all other steps
	steps    []any
	embedded bool // the result is a category number
	seen     *Seen
	numbers  *Numbers
}

// Validate returns an [OptionError] for options that are invalid for any table.
func (o Options) Validate() error {
	switch o.Missing {
	case "", MissingMedian, MissingMean, MissingDrop, MissingError:
	default:
		return &OptionError{fmt.Errorf("%s: there are drop, mean, median and error", o.Word("Missing", string(o.Missing)))}
	}
	if o.MaxCategories < 0 {
		return &OptionError{fmt.Errorf("%s: give 1 or more", o.Word("MaxCategories", strconv.Itoa(o.MaxCategories)))}
	}
	if o.hash() == 0 && !slices.Contains([]string{"", "refuse", "drop"}, o.Text) {
		return &OptionError{fmt.Errorf("%s: there are refuse, drop and hash:N, with N from 1 to %d",
			o.Word("Text", o.Text), maxHash)}
	}
	if o.Regression && len(o.Classes) > 0 {
		return &OptionError{fmt.Errorf("%s and %s exclude each other: choose one", o.Word("Regression", ""),
			o.Word("Classes", ""))}
	}
	if len(o.Label) == 0 && (o.Regression || len(o.Classes) > 0) {
		return &OptionError{fmt.Errorf("%s and %s say what the label is: give %s too", o.Word("Regression", ""),
			o.Word("Classes", ""), o.Word("Label", "COLUMN"))}
	}
	for _, name := range o.Label {
		if slices.Contains(o.Drop, name) {
			return &OptionError{fmt.Errorf("the column %q is the label and dropped: choose one", name)}
		}
	}
	for _, name := range o.Embed.Columns {
		if slices.Contains(o.Drop, name) || slices.Contains(o.Label, name) {
			return &OptionError{fmt.Errorf("%s: the column %q is not a feature: it is the label, a key, or left out",
				o.Word("Embed", ""), name)}
		}
	}
	return nil
}

// maxHash is the maximum number of columns for counts of words.
const maxHash = 1 << 16

// hash returns the number of columns for counts of words; 0 if words are not counted.
func (o Options) hash() int {
	digits, ok := strings.CutPrefix(o.Text, "hash:")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || n > maxHash {
		return 0
	}
	return n
}

// check validates the options, fills in their defaults and finds their columns.
func (b *proposer) check() error {
	o := &b.options
	b.plans = map[string]plan{}
	if err := o.Validate(); err != nil {
		return err
	}
	if o.Missing == "" {
		o.Missing = MissingMedian
	}
	for _, name := range slices.Concat(o.Drop, o.Label, o.Embed.Columns) {
		if b.table.Column(name) == nil {
			return fmt.Errorf("there is no column %q: the columns are %s", name, strings.Join(b.table.names(), ", "))
		}
	}
	return nil
}

func (t *Table) names() (names []string) {
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return names
}

// finish combines the plans, in the order of the table.
func (b *proposer) finish() (*Proposal, error) {
	p := b.proposal
	var features, all []pipeline.Column
	var featureSteps, labelSteps, gone, labelGone []any
	for _, name := range b.table.names() {
		plan := b.plans[name]
		p.Columns = append(p.Columns, plan.decision)
		switch plan.decision.Action {
		case Use:
			features = append(features, plan.initial)
			if plan.seen != nil {
				p.Seen = append(p.Seen, *plan.seen)
			}
			if plan.numbers != nil {
				p.Numbers = append(p.Numbers, *plan.numbers)
			}
			gone = append(gone, plan.gone...)
			featureSteps = append(featureSteps, plan.steps...)
			if plan.embedded {
				p.Embedded = append(p.Embedded, plan.decision.Out...)
			} else {
				p.Features = append(p.Features, plan.decision.Out...)
			}
		case Label:
			labelGone = append(labelGone, plan.gone...)
			labelSteps = append(labelSteps, plan.steps...)
		default:
			continue
		}
		all = append(all, plan.initial)
	}
	for _, name := range b.options.Label {
		p.Labels = append(p.Labels, b.plans[name].decision.Out...)
	}
	p.Features, p.Notices = append(p.Features, p.Embedded...), b.table.Notices
	if len(p.Features) == 0 {
		return p, b.nothing()
	}
	order := func(names []string) any { return transform("column.ReorderColumnsTransform", "newOrder", list(names)) }
	var err error
	steps := slices.Concat(labelGone, gone, featureSteps, labelSteps, []any{order(slices.Concat(p.Features, p.Labels))})
	if p.Pipeline, err = build(all, b.table.Sequence, steps); err != nil {
		return nil, err
	}
	steps = slices.Concat(gone, featureSteps, []any{order(p.Features)})
	if p.Serving, err = build(features, b.table.Sequence, steps); err != nil {
		return nil, err
	}
	if _, err := p.Pipeline.Bind(); err != nil { // such as a column with the name of another one's result
		return nil, fmt.Errorf("the proposal does not fit the table's columns, rename or leave out one of them: %w", err)
	}
	return p, nil
}

// nothing returns the error for a table without features. If columns were refused, that error is more helpful.
func (b *proposer) nothing() error {
	if err := b.proposal.Refused(); err != nil {
		return err
	}
	var lines []string
	for _, d := range b.proposal.Columns {
		lines = append(lines, fmt.Sprintf("%s: %s", d.Column, d.Reason))
	}
	return fmt.Errorf("no column is left to learn from:\n%s", strings.Join(lines, "\n"))
}

// leave plans to leave out or refuse a column.
func (b *proposer) leave(c *Column, action Action, reason string) {
	b.plans[c.Name] = plan{decision: Decision{Column: c.Name, Action: action, Reason: reason}}
}

// use plans a feature.
func (b *proposer) use(c *Column, initial pipeline.Column, reason string, out []string, steps []any) {
	p := plan{decision: Decision{c.Name, Use, reason, out}, initial: initial, steps: steps}
	if b.options.Missing == MissingDrop {
		p.gone = []any{remove(c.isGap(b.table))}
	}
	b.plans[c.Name] = p
}

// feature plans a column that is not a label.
func (b *proposer) feature(c *Column) {
	gaps := c.gaps()
	switch {
	case slices.Contains(b.options.Drop, c.Name):
		b.leave(c, Drop, "left out as told")
	case c.Kind == Empty:
		b.leave(c, Drop, "without values, left out")
	case c.Kind == Constant:
		b.leave(c, Drop, fmt.Sprintf("always %.40q, left out", c.Categories[0].Text))
	case c.Kind != ArrayKind && b.options.embeds(c) && (gaps == 0 || b.options.Missing != MissingError):
		b.embed(c)
	case c.Kind == Identifier:
		b.leave(c, Drop, fmt.Sprintf("identifier, left out: %d distinct values in %d rows", c.Distinct,
			b.table.Rows))
	case c.Kind == ArrayKind:
		b.arrays(c)
	case gaps > 0 && b.options.Missing == MissingError:
		b.leave(c, Refuse,
			fmt.Sprintf("%s; fill them with %s or mean, or leave the rows out with %s", counted(gaps, "gap"),
				b.options.Word("Missing", "median"), b.options.Word("Missing", "drop")))
	case c.Kind == FreeText:
		b.text(c)
	case c.Kind == TimeKind:
		b.time(c)
	case c.Kind == BooleanKind:
		b.boolean(c)
	case c.Kind == Categories:
		b.categories(c)
	default:
		b.number(c)
	}
}

// gaps returns the number of rows without a usable value.
func (c *Column) gaps() int64 {
	n := c.Gaps + c.Odd
	if c.Number != nil {
		n += c.Number.Infinite
	}
	return n
}

// gapSet returns the texts that count as gaps in a column, including null.
func (c *Column) gapSet(t *Table) []string {
	set := append([]string(nil), t.Missing...)
	for _, s := range slices.Concat(c.GapTexts, c.OddTexts, []string{"NullWritable"}) {
		if !slices.Contains(set, s) {
			set = append(set, s)
		}
	}
	if c.Number != nil && c.Number.Infinite > 0 {
		set = append(set, "Infinity", "-Infinity", "inf", "-inf", "Inf", "-Inf", "+Infinity", "+inf", "+Inf")
	}
	return set
}

// isGap returns the condition for the column's gaps. If a column of numbers has too many different texts to list, all
// texts are gaps.
func (c *Column) isGap(t *Table) dl4j.Object {
	if len(c.OddTexts) == noted {
		return isNoNumber(c.Name)
	}
	return isOneOf(c.Name, c.gapSet(t))
}
