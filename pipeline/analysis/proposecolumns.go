package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
)

// gapColumn returns the name of the column that marks the gaps of another one.
func (b *proposer) gapColumn(name string) string { return unused(name+"[missing]", b.table.names()) }

// fill plans the steps that fill gaps, and the columns that mark them. Gaps are also filled if the table has none, so
// that later rows may have them; no column marks these. described says how a gap is filled.
func (b *proposer) fill(c *Column, value any, described string) (steps []any, out []string, reason string) {
	switch b.options.Missing {
	case MissingDrop:
		if n := c.gaps(); n > 0 {
			reason = fmt.Sprintf("; %s with a gap left out", counted(n, "row"))
		}
		return nil, nil, reason
	case MissingError:
		return nil, nil, ""
	}
	where := c.isGap(b.table)
	if n := c.gaps(); n > 0 {
		steps = indicator(b.gapColumn(c.Name), where)
		out = []string{b.gapColumn(c.Name)}
		reason = fmt.Sprintf("; %s filled with %s, and marked", counted(n, "gap"), described)
	}
	return append(steps, replace(c.Name, value, where)), out, reason
}

// number plans a column of numbers. Even if they are integers, its type is Double: "25.0" may come later.
func (b *proposer) number(c *Column) {
	n := c.Number
	if n == nil {
		b.leave(c, Drop, "without finite numbers, left out")
		return
	}
	value, name := n.Median(), "the median"
	if b.options.Missing == MissingMean {
		value, name = n.Mean, "the mean"
	}
	var initial pipeline.Column = pipeline.DoubleColumn{Name: c.Name}
	fill, strip, in := any(value), []any(nil), ""
	if c.Unit != nil {
		initial, in = pipeline.StringColumn{Name: c.Name}, " "+c.Unit.String()
		fill = strconv.FormatFloat(value, 'g', -1, 64)
		strip = []any{without(c.Name, c.Unit.regex()), transform("doubletransform.ConvertToDouble", "columnName", c.Name)}
	}
	steps, out, filled := b.fill(c, fill, fmt.Sprintf("%s %s", name, short(value)))
	steps = append(steps, strip...)
	filled += c.foreign()
	switch {
	case n.Deviation == 0 && len(out) == 0:
		b.leave(c, Drop, fmt.Sprintf("always %s, left out", short(n.Min)))
	case n.Deviation == 0:
		b.use(c, initial, fmt.Sprintf("always %s or a gap: what counts is where the gaps are", short(n.Min)), out,
			append(steps, removeColumns(c.Name)))
	case n.Min == 0 && n.Max == 1 && c.Distinct == 2:
		b.use(c, initial, "0 or 1"+in+", as it is"+filled, append([]string{c.Name}, out...),
			append(steps, transform("doubletransform.ConvertToDouble", "columnName", c.Name)))
	case math.IsInf(n.Deviation, 0) || math.IsInf(n.Mean, 0):
		b.leave(c, Refuse, fmt.Sprintf("numbers from %s to %s are too large to be standardised; leave the column out",
			short(n.Min), short(n.Max)))
	default:
		b.use(c, initial, fmt.Sprintf("number%s, standardised (mean %s, deviation %s)%s", in, short(n.Mean),
			short(n.Deviation), filled),
			append([]string{c.Name}, out...), append(steps, standardize(c.Name, n.Mean, n.Deviation)))
	}
	p := b.plans[c.Name]
	if p.decision.Action == Use && c.Unit == nil && len(c.OddTexts) < noted && b.options.Missing != MissingError {
		p.numbers = &Numbers{c.Name, c.gapSet(b.table), c.Odd}
		b.plans[c.Name] = p
	}
}

// foreign says what becomes of the values in other units.
func (c *Column) foreign() string {
	if c.Foreign == 0 {
		return ""
	}
	return fmt.Sprintf("; refused: %s in another unit (%s), which bad-rows=skip:N leaves out",
		counted(c.Foreign, "value"), quoted(c.ForeignTexts))
}

// boolean plans a column of words for true and false. Any other word gets the value of most rows.
func (b *proposer) boolean(c *Column) {
	var known, yes []string
	for _, f := range c.Categories {
		known = append(known, f.Text)
		if isTrue(f.Text) {
			yes = append(yes, f.Text)
		}
	}
	if c.typed == pipeline.BooleanType {
		known, yes = []string{"false", "true"}, []string{"true"}
	}
	most := c.Categories[0].Text
	var steps []any
	out, filled := []string{c.Name}, ""
	if b.options.Missing == MissingMedian || b.options.Missing == MissingMean {
		where := isNoneOf(c.Name, known)
		if n := c.gaps(); n > 0 {
			steps = indicator(b.gapColumn(c.Name), where)
			out = append(out, b.gapColumn(c.Name))
			filled = fmt.Sprintf("; %s filled with %q, and marked", counted(n, "gap"), most)
		}
		steps = append(steps, replace(c.Name, most, where))
	}
	steps = append(steps,
		transform("condition.ConditionalReplaceValueTransformWithDefault", "columnToReplace", c.Name, "yesVal", writable(1),
			"noVal", writable(0), "condition", isOneOf(c.Name, yes)),
		transform("integer.ConvertToInteger", "columnName", c.Name))
	b.use(c, pipeline.StringColumn{Name: c.Name}, fmt.Sprintf("true or false, as 1 or 0 (1 is %s)", quoted(yes))+filled,
		out, steps)
	if as := strconv.Quote(most); c.typed != pipeline.BooleanType {
		if b.options.Missing == MissingDrop || b.options.Missing == MissingError {
			as = "false"
		}
		b.seen(c, known, true, as)
	}
}

func isTrue(s string) bool {
	for _, pair := range truths {
		if strings.EqualFold(strings.TrimSpace(s), pair[1]) {
			return true
		}
	}
	return false
}

// rare is the share of the rows below which a category counts as rare.
const rare = 0.005

// categories plans a column of categories.
func (b *proposer) categories(c *Column) {
	kept := b.kept(c)
	rareOnes := int(c.Distinct) - len(kept)
	other := unused("other", kept)
	names := slices.Clone(kept)
	initial := pipeline.StringColumn{Name: c.Name}
	var steps []any
	reason := fmt.Sprintf("%d categories, one-hot", len(kept))
	if n := c.gaps(); n > 0 && b.options.Missing != MissingDrop {
		missing := unused("missing", kept)
		steps = append(steps, replace(c.Name, missing, c.isGap(b.table)))
		names = append(names, missing)
		reason += fmt.Sprintf("; %s as a category", counted(n, "gap"))
	} else if n > 0 {
		reason += fmt.Sprintf("; %s with a gap left out", counted(n, "row"))
	}
	steps = append(steps, transform("string.MapAllStringsExceptListTransform", "columnName", c.Name, "newValue", other,
		"exceptions", list(names)))
	names = append(names, other)
	steps = append(steps, states(c.Name, names), transform("categorical.CategoricalToOneHotTransform", "columnName",
		c.Name))
	as := "none of its categories"
	if rareOnes > 0 {
		as = strconv.Quote(other)
		reason += fmt.Sprintf("; %s and unknown ones as %s", counted(int64(rareOnes), "rare one"), as)
	} else {
		steps = append(steps, removeColumns(oneHot(c.Name, other)))
		names = names[:len(names)-1]
		reason += "; unknown ones as zeros"
	}
	var out []string
	for _, s := range names {
		out = append(out, oneHot(c.Name, s))
	}
	b.use(c, initial, reason, out, steps)
	b.seen(c, kept, c.gaps() > 0 || b.options.Missing == MissingDrop, as)
}

func oneHot(column, state string) string { return column + "[" + state + "]" }

// kept returns the categories that are distinguished, in their order as texts.
func (b *proposer) kept(c *Column) []string {
	var kept []string
	most := cmp.Or(b.options.MaxCategories, DefaultCategories)
	for i, f := range c.Categories {
		if i < most && float64(f.Count) >= rare*float64(c.Values) {
			kept = append(kept, f.Text)
		}
	}
	slices.Sort(kept)
	return kept
}

// unused returns a name that is not taken.
func unused(name string, taken []string) string {
	for slices.Contains(taken, name) {
		name += "_"
	}
	return name
}

// text plans a column of free text.
func (b *proposer) text(c *Column) {
	hash := b.options.hash()
	switch {
	case hash > 0:
		var out []string
		for i := range hash {
			out = append(out, fmt.Sprintf("%s[hash%d]", c.Name, i))
		}
		step := members("org.dl4go.pipeline.HashTextTransform", "columnName", c.Name, "buckets", hash)
		b.use(c, pipeline.StringColumn{Name: c.Name}, fmt.Sprintf("free text, words counted in %d columns by hash", hash),
			out,
			[]any{action("transform", step)})
	case b.options.Text == "drop":
		b.leave(c, Drop, "free text, left out")
	default:
		b.leave(c, Refuse, fmt.Sprintf("free text; count its words with %s, or leave it out with %s",
			b.options.Word("Text", "hash:64"), b.options.Word("Text", "drop")))
	}
}

// time plans a column of dates: parts of the date, and its place between the first and the last date.
func (b *proposer) time(c *Column) {
	t := c.Time
	if t.Min == t.Max {
		b.leave(c, Drop, "always the same time, left out")
		return
	}
	middle := t.Min/2 + t.Max/2
	if !t.Clock {
		middle -= (middle%day + day) % day
	}
	fill, described := any(middle), dateFormats[0].text(middle)
	var initial pipeline.Column = pipeline.TimeColumn{Name: c.Name, Zone: "UTC"}
	var parse []any
	if t.Format != "" {
		described = formatOf(t.Format).text(middle)
		fill = described
		initial = pipeline.StringColumn{Name: c.Name}
		parse = []any{transform("time.StringToTimeTransform", "columnName", c.Name, "timeFormat", t.Format, "timeZone",
			"UTC", "locale", "en_US")}
	}
	steps, marks, filled := b.fill(c, fill, described)
	steps = append(steps, parse...)
	parts := dateParts(c)
	out := []string{c.Name}
	var derived []any
	for _, p := range parts {
		out = append(out, p.column)
		derived = append(derived, members("", "columnName", p.column, "columnType", "Integer",
			"fieldType", members("", "fieldType", p.field)[1:])[1:])
	}
	if len(parts) > 0 {
		steps = append(steps, transform("time.DeriveColumnsFromTimeTransform", "columnName", c.Name, "insertAfter", c.Name,
			"inputTimeZone", "UTC", "derivedColumns", derived))
	}
	for _, p := range parts {
		steps = append(steps, natural(p.column, p.low, p.high))
	}
	steps = append(steps, natural(c.Name, float64(t.Min), float64(t.Max)))
	reason := fmt.Sprintf("date (%s) to %s and place in time%s", cmp.Or(t.Format, "milliseconds"), partNames(parts),
		filled)
	b.use(c, initial, reason, append(out, marks...), steps)
}

// part is a part of a date, between low and high.
type part struct {
	name, column, field string
	low, high           float64
}

// dateParts returns the parts that differ within the column's span.
func dateParts(c *Column) (parts []part) {
	add := func(name, field string, low, high float64) {
		parts = append(parts, part{name, oneHot(c.Name, name), field, low, high})
	}
	span := c.Time.Max - c.Time.Min
	if span >= 28*day {
		add("yearday", "dayOfYear", 1, 366) // DataVec cannot read a month back
	}
	if span >= day {
		add("day", "dayOfMonth", 1, 31)
		add("weekday", "dayOfWeek", 1, 7)
	}
	if c.Time.Clock {
		add("hour", "hourOfDay", 0, 23)
	}
	return parts
}

func partNames(parts []part) string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

// formatOf finds a format by its pattern.
func formatOf(pattern string) dateFormat {
	return dateFormats[slices.IndexFunc(dateFormats, func(f dateFormat) bool { return f.pattern == pattern })]
}
