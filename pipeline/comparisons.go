package pipeline

// The conditions of comparison.go as [SequenceCondition]s, in files and bound.

// Bind binds the comparison to the column.
func (c IntegerCondition) Bind(in *Schema) (func(Row) (bool, error), error) { return bindOnRow(c, in) }

func (c IntegerCondition) bindCell(in *Schema) (*cellTest, error) {
	return bindNumbers(comparing[int32](c), in, Value.Integer, same[int32])
}

// BindSequence binds the comparison to sequences, according to the mode.
func (c IntegerCondition) BindSequence(in *Schema) (func([]Row) (bool, error), error) {
	return bindMode(c, c.Mode, in)
}

// MarshalTree returns DataVec's format.
func (c IntegerCondition) MarshalTree() (any, error) { return comparing[int32](c).tree() }

// UnmarshalTree reads DataVec's format.
func (c *IntegerCondition) UnmarshalTree(tree any) error { return (*comparing[int32])(c).read(tree) }

// Bind binds the comparison to the column.
func (c LongCondition) Bind(in *Schema) (func(Row) (bool, error), error) { return bindOnRow(c, in) }

func (c LongCondition) bindCell(in *Schema) (*cellTest, error) {
	return bindNumbers(comparing[int64](c), in, Value.Long, same[int64])
}

// BindSequence binds the comparison to sequences, according to the mode.
func (c LongCondition) BindSequence(in *Schema) (func([]Row) (bool, error), error) {
	return bindMode(c, c.Mode, in)
}

// MarshalTree returns DataVec's format.
func (c LongCondition) MarshalTree() (any, error) { return comparing[int64](c).tree() }

// UnmarshalTree reads DataVec's format.
func (c *LongCondition) UnmarshalTree(tree any) error { return (*comparing[int64])(c).read(tree) }

// Bind binds the comparison to the column.
func (c TimeCondition) Bind(in *Schema) (func(Row) (bool, error), error) { return bindOnRow(c, in) }

func (c TimeCondition) bindCell(in *Schema) (*cellTest, error) {
	return bindNumbers(comparing[int64](c), in, Value.Long, same[int64])
}

// BindSequence binds the comparison to sequences, according to the mode.
func (c TimeCondition) BindSequence(in *Schema) (func([]Row) (bool, error), error) {
	return bindMode(c, c.Mode, in)
}

// MarshalTree returns DataVec's format.
func (c TimeCondition) MarshalTree() (any, error) { return comparing[int64](c).tree() }

// UnmarshalTree reads DataVec's format.
func (c *TimeCondition) UnmarshalTree(tree any) error { return (*comparing[int64])(c).read(tree) }

// Bind binds the comparison to the column.
func (c DoubleCondition) Bind(in *Schema) (func(Row) (bool, error), error) { return bindOnRow(c, in) }

func (c DoubleCondition) bindCell(in *Schema) (*cellTest, error) {
	return bindNumbers(comparing[float64](c), in, Value.Double, javaBits)
}

// BindSequence binds the comparison to sequences, according to the mode.
func (c DoubleCondition) BindSequence(in *Schema) (func([]Row) (bool, error), error) {
	return bindMode(c, c.Mode, in)
}

// MarshalTree returns DataVec's format.
func (c DoubleCondition) MarshalTree() (any, error) { return comparing[float64](c).tree() }

// UnmarshalTree reads DataVec's format.
func (c *DoubleCondition) UnmarshalTree(tree any) error { return (*comparing[float64])(c).read(tree) }

// Bind binds the comparison to the column.
func (c FloatCondition) Bind(in *Schema) (func(Row) (bool, error), error) { return bindOnRow(c, in) }

func (c FloatCondition) bindCell(in *Schema) (*cellTest, error) {
	return bindNumbers(comparing[float32](c), in, Value.Float, javaBits32)
}

// BindSequence binds the comparison to sequences, according to the mode.
func (c FloatCondition) BindSequence(in *Schema) (func([]Row) (bool, error), error) {
	return bindMode(c, c.Mode, in)
}

// MarshalTree returns DataVec's format.
func (c FloatCondition) MarshalTree() (any, error) { return comparing[float32](c).tree() }

// UnmarshalTree reads DataVec's format.
func (c *FloatCondition) UnmarshalTree(tree any) error { return (*comparing[float32])(c).read(tree) }

// Bind binds the comparison to the column.
func (c StringCondition) Bind(in *Schema) (func(Row) (bool, error), error) { return bindOnRow(c, in) }

func (c StringCondition) bindCell(in *Schema) (*cellTest, error) {
	return bindTexts(comparing[string](c), in)
}

// BindSequence binds the comparison to sequences, according to the mode.
func (c StringCondition) BindSequence(in *Schema) (func([]Row) (bool, error), error) {
	return bindMode(c, c.Mode, in)
}

// MarshalTree returns DataVec's format.
func (c StringCondition) MarshalTree() (any, error) { return comparing[string](c).tree() }

// UnmarshalTree reads DataVec's format.
func (c *StringCondition) UnmarshalTree(tree any) error { return (*comparing[string])(c).read(tree) }

// Bind binds the comparison to the column.
func (c CategoricalCondition) Bind(in *Schema) (func(Row) (bool, error), error) {
	return bindOnRow(c, in)
}

func (c CategoricalCondition) bindCell(in *Schema) (*cellTest, error) {
	return bindTexts(comparing[string](c), in)
}

// BindSequence binds the comparison to sequences, according to the mode.
func (c CategoricalCondition) BindSequence(in *Schema) (func([]Row) (bool, error), error) {
	return bindMode(c, c.Mode, in)
}

// MarshalTree returns DataVec's format.
func (c CategoricalCondition) MarshalTree() (any, error) { return comparing[string](c).tree() }

// UnmarshalTree reads DataVec's format.
func (c *CategoricalCondition) UnmarshalTree(tree any) error {
	return (*comparing[string])(c).read(tree)
}

// bindMode binds a condition on a column to sequences.
func bindMode(c Condition, m SequenceMode, in *Schema) (func([]Row) (bool, error), error) {
	holds, err := c.Bind(in)
	if err != nil {
		return nil, err
	}
	return m.bind(holds)
}
