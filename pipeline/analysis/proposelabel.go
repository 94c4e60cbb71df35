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

const (
	// maxClasses is the maximum number of distinct integers that count as classes, if each repeats enough.
	maxClasses = 20
	// classRows is the number of rows that each class of integers must have on average.
	classRows = 5
)

// labels decides the task, and plans the label columns.
func (b *proposer) labels() error {
	var columns []*Column
	for _, name := range b.options.Label {
		c := b.table.Column(name)
		if c.Kind == Empty {
			return fmt.Errorf("the label %q has no values", name)
		}
		if n := c.gaps(); n > 0 && b.options.Missing != MissingDrop && !b.options.Unlabelled {
			defer func() { // the plan is replaced once the task is known
				b.plans[name] = plan{decision: Decision{Column: name, Action: Refuse, Reason: fmt.Sprintf(
					"the label has %s; fill in all labels, or leave such rows out with %s", counted(n, "gap"),
					b.options.Word("Missing", "drop"))}}
			}()
		}
		columns = append(columns, c)
	}
	p := b.proposal
	switch {
	case len(columns) == 0:
		p.Task = Features
		return nil
	case b.options.Regression:
		return b.regression(columns, "as told")
	case len(columns) == 1:
		return b.one(columns[0])
	case len(b.options.Classes) > 0:
		return fmt.Errorf("%s: they are those of one label, and there are %d labels", b.options.Word("Classes", ""),
			len(columns))
	}
	if !slices.ContainsFunc(columns, func(c *Column) bool { return !c.binary() }) {
		p.Task = MultiLabel
		for _, c := range columns {
			b.binaryLabel(c)
		}
		return nil
	}
	return b.regression(columns, "the labels are numbers")
}

// binary reports whether a column is 0 and 1, or words for them.
func (c *Column) binary() bool {
	return c.Kind == BooleanKind || c.Number != nil && c.Distinct == 2 && c.Number.Min == 0 && c.Number.Max == 1
}

// one decides whether a single label is a class or a number.
func (b *proposer) one(c *Column) error {
	if len(b.options.Classes) > 0 {
		return b.classification(c, "the classes are given")
	}
	switch c.Kind {
	case Constant:
		return fmt.Errorf("the label %q is always %.40q: there is nothing to learn", c.Name, c.Categories[0].Text)
	case BooleanKind, Categories:
		return b.classification(c, "the label is text")
	case IntegerKind, LongKind, DoubleKind:
		if c.classes() {
			return b.classification(c, fmt.Sprintf("%d distinct integers that repeat; %s takes them as numbers",
				c.Distinct, b.options.Word("Regression", "")))
		}
		return b.regression([]*Column{c}, fmt.Sprintf("%d distinct numbers; %s takes them as classes", c.Distinct,
			b.options.Word("Classes", "")))
	case FreeText, Identifier:
		if c.Number != nil {
			return b.regression([]*Column{c}, "the label is a number")
		}
		if c.Distinct*2 <= c.Values && len(c.Categories) == int(c.Distinct) {
			return b.classification(c, "the label is text")
		}
		return fmt.Errorf("the label %q has %d distinct texts in %d rows: they are not classes; choose another column, or "+
			"give %s", c.Name, c.Distinct, c.Values, b.options.Word("Classes", ""))
	}
	return fmt.Errorf("the label %q is of kind %s: a label is a category, or a number; choose another column", c.Name,
		c.Kind)
}

// classes reports whether a column's numbers count as classes: few integers, which repeat.
func (c *Column) classes() bool {
	if !c.Exact || c.Distinct > maxClasses || c.Values < classRows*c.Distinct || c.Number == nil || c.Number.Infinite > 0 {
		return false
	}
	for _, f := range c.Categories {
		if x, err := strconv.ParseFloat(strings.TrimSpace(f.Text), 64); err == nil && x != math.Trunc(x) {
			return false
		}
	}
	return true
}

// label plans a label column. Rows without a label are removed if the options say so.
func (b *proposer) label(c *Column, initial pipeline.Column, reason string, steps ...any) {
	p := plan{decision: Decision{c.Name, Label, reason, []string{c.Name}}, initial: initial, steps: steps}
	if b.options.Missing == MissingDrop {
		p.gone = []any{remove(c.isGap(b.table))}
	}
	b.plans[c.Name] = p
}

func (b *proposer) classification(c *Column, why string) error {
	classes := b.options.Classes
	if len(classes) == 0 {
		for _, f := range c.Categories {
			classes = append(classes, f.Text)
		}
		slices.SortFunc(classes, byNumber)
	}
	if int64(len(c.Categories)) < min(c.Distinct, shownCategories) || c.Distinct > shownCategories {
		return fmt.Errorf("the label %q has %d distinct values: too many for classes; give %s, or choose another "+
			"column", c.Name, c.Distinct, b.options.Word("Regression", ""))
	}
	for _, f := range c.Categories {
		if _, err := strconv.ParseFloat(strings.TrimSpace(f.Text), 64); err != nil && numbered(classes) {
			return fmt.Errorf("%s means the numbers %s, but the label %q has texts, such as %.40q; leave it out, or give the "+
				"names of the classes with %s", b.options.Word("Classes", ""), strings.Join(classes, ", "), c.Name, f.Text,
				b.options.Word("Names", ""))
		}
		if !slices.Contains(classes, f.Text) {
			return fmt.Errorf("the label %q has the value %.40q in %s, which is not among the classes %s", c.Name, f.Text,
				counted(f.Count, "row"), strings.Join(classes, ", "))
		}
	}
	if len(classes) < 2 {
		return fmt.Errorf("the label %q has one class: there is nothing to learn", c.Name)
	}
	b.proposal.Task, b.proposal.Classes = Classification, classes
	b.label(c, pipeline.StringColumn{Name: c.Name}, fmt.Sprintf("label: one of %d classes (%s)", len(classes), why),
		states(c.Name, classes), transform("categorical.CategoricalToIntegerTransform", "columnName", c.Name))
	return nil
}

// numbered reports whether classes are 0, 1, ….
func numbered(classes []string) bool {
	for i, name := range classes {
		if name != strconv.Itoa(i) {
			return false
		}
	}
	return true
}

// byNumber orders numbers by value, followed by texts.
func byNumber(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	switch {
	case errX == nil && errY == nil:
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return cmp.Compare(a, b)
}

func (b *proposer) regression(columns []*Column, why string) error {
	for _, c := range columns {
		if c.Number == nil && len(columns) > 1 {
			return fmt.Errorf("the label %q is not a number (it is %s): several labels are all numbers, or all true and false; "+
				"choose one label, or other columns", c.Name, c.Kind)
		}
		if c.Number == nil {
			return fmt.Errorf("the label %q is not a number (it is %s): a regression needs numbers; leave %s out, or choose "+
				"another column", c.Name, c.Kind, b.options.Word("Regression", ""))
		}
		if c.Number.Deviation == 0 {
			return fmt.Errorf("the label %q is always %s: there is nothing to learn", c.Name, short(c.Number.Min))
		}
	}
	b.proposal.Task = Regression
	for _, c := range columns {
		n := c.Number
		b.proposal.Scale = append(b.proposal.Scale, Scale{c.Name, n.Mean, n.Deviation})
		b.label(c, pipeline.DoubleColumn{Name: c.Name}, fmt.Sprintf("label: a number, standardised (%s)", why),
			standardize(c.Name, n.Mean, n.Deviation))
	}
	return nil
}

// binaryLabel plans one of several labels of 0 and 1.
func (b *proposer) binaryLabel(c *Column) {
	if c.Number != nil {
		b.label(c, pipeline.DoubleColumn{Name: c.Name}, "label: 0 or 1", transform("doubletransform.ConvertToDouble",
			"columnName", c.Name))
		return
	}
	var yes []string
	for _, f := range c.Categories {
		if isTrue(f.Text) {
			yes = append(yes, f.Text)
		}
	}
	b.label(c, pipeline.StringColumn{Name: c.Name}, "label: true or false, as 1 or 0",
		transform("condition.ConditionalReplaceValueTransformWithDefault", "columnToReplace", c.Name, "yesVal", writable(1),
			"noVal", writable(0), "condition", isOneOf(c.Name, yes)),
		transform("integer.ConvertToInteger", "columnName", c.Name))
}
