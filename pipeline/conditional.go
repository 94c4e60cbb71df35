package pipeline

// ConditionalReplace sets a column to a value in the rows for which a condition holds
// (condition.ConditionalReplaceValueTransform). The column's type does not change.
type ConditionalReplace struct {
	Column    string    `dl4j:"columnToReplace"`
	Value     Value     `dl4j:"newValue"`
	Condition Condition `dl4j:"condition"`
}

// ConditionalChoose sets a column to one value in the rows for which a condition holds, and to another one in the
// others (condition.ConditionalReplaceValueTransformWithDefault).
type ConditionalChoose struct {
	Column    string    `dl4j:"columnToReplace"`
	Yes       Value     `dl4j:"yesVal"`
	No        Value     `dl4j:"noVal"`
	Condition Condition `dl4j:"condition"`
}

// ConditionalCopy sets a column to the value of another column in the rows for which a condition holds
// (condition.ConditionalCopyValueTransform).
type ConditionalCopy struct {
	Column    string    `dl4j:"columnToReplace"`
	Source    string    `dl4j:"sourceColumn"`
	Condition Condition `dl4j:"condition"`
}

func init() {
	const pkg = "org.datavec.api.transform.transform.condition."
	RegisterTransform(pkg+"ConditionalReplaceValueTransform", func() Transform { return ConditionalReplace{} })
	RegisterTransform(pkg+"ConditionalReplaceValueTransformWithDefault", func() Transform { return ConditionalChoose{} })
	RegisterTransform(pkg+"ConditionalCopyValueTransform", func() Transform { return ConditionalCopy{} })
}

// Bind binds the condition.
func (s ConditionalReplace) Bind(in *Schema) (Bound, error) {
	return bindConditional(in, s.Condition, s.Column, conditional{yes: s.Value, from: -1})
}

// Bind binds the condition.
func (s ConditionalChoose) Bind(in *Schema) (Bound, error) {
	return bindConditional(in, s.Condition, s.Column, conditional{yes: s.Yes, from: -1, no: &s.No})
}

// Bind binds the condition.
func (s ConditionalCopy) Bind(in *Schema) (Bound, error) {
	from, err := in.Find(s.Source)
	if err != nil {
		return Bound{}, err
	}
	return bindConditional(in, s.Condition, s.Column, conditional{from: from})
}

// bindConditional binds a conditional change of one column. On sequences, the condition is evaluated for each step.
func bindConditional(in *Schema, c Condition, name string, do conditional) (b Bound, err error) {
	if do.at, err = in.Find(name); err != nil {
		return Bound{}, err
	}
	if do.holds, err = bindCondition(c, in); err != nil {
		return Bound{}, err
	}
	if c, ok := c.(cellCondition); ok {
		if do.cell, err = c.bindCell(in); err != nil {
			return Bound{}, err
		}
	}
	return Bound{in, &do}, nil
}
