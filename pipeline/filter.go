package pipeline

// RemoveWhere removes the rows, or the sequences, for which a condition holds (filter.ConditionFilter).
type RemoveWhere struct {
	Condition Condition `dl4j:"condition"`
}

// RemoveInvalid removes rows with values that a column does not allow, and sequences with such a row
// (filter.FilterInvalidValues). As the first step it also removes rows whose number of values is not the number of
// columns; later there is no such row.
type RemoveInvalid struct {
	// All checks all columns. Otherwise only Columns are checked.
	All     bool     `dl4j:"filterAnyInvalid"`
	Columns []string `dl4j:"columnsToFilterIfInvalid,omitnull"`
}

// RemoveWrongWidth removes rows whose number of values is not the number of columns, and sequences with such a row
// (filter.InvalidNumColumns). It has to be the first step: later there is no such row.
type RemoveWrongWidth struct{}

func init() {
	const pkg = "org.datavec.api.transform.filter."
	RegisterFilter(pkg+"ConditionFilter", func() Filter { return RemoveWhere{} })
	RegisterFilter(pkg+"FilterInvalidValues", func() Filter { return RemoveInvalid{} })
	RegisterFilter(pkg+"InvalidNumColumns", func() Filter { return RemoveWrongWidth{} })
}

// Bind binds the condition to rows or to sequences, depending on the schema.
func (s RemoveWhere) Bind(in *Schema) (Bound, error) {
	if in.Sequence {
		holds, err := bindSequence(s.Condition, in)
		return Bound{in, SequenceFilter(opposite(holds))}, err
	}
	holds, err := bindCondition(s.Condition, in)
	return Bound{in, RowFilter(opposite(holds))}, err
}

func opposite[T any](holds func(T) (bool, error)) func(T) (bool, error) {
	return func(x T) (bool, error) {
		yes, err := holds(x)
		return !yes, err
	}
}

// Bind finds the columns.
func (s RemoveInvalid) Bind(in *Schema) (Bound, error) {
	var at []int
	for i := 0; s.All && i < len(in.Columns); i++ {
		at = append(at, i)
	}
	if !s.All {
		var err error
		if at, err = in.findAll(s.Columns); err != nil {
			return Bound{}, err
		}
	}
	valid := make([]func(Value) bool, len(at))
	for k, i := range at {
		valid[k] = Validator(in.Columns[i])
	}
	return filterRows(in, func(r Row) (bool, error) {
		for k, i := range at {
			if !valid[k](r[i]) {
				return false, nil
			}
		}
		return true, nil
	}), nil
}

// Bind has nothing to do: [Run.Push] checks for this first step.
func (s RemoveWrongWidth) Bind(in *Schema) (Bound, error) { return Bound{Out: in}, nil }

// filterRows keeps rows, or whole sequences.
func filterRows(in *Schema, keeps func(Row) (bool, error)) Bound {
	if in.Sequence {
		return Bound{in, SequenceFilter(everyStep(keeps))}
	}
	return Bound{in, RowFilter(keeps)}
}

// findAll finds columns.
func (s *Schema) findAll(names []string) ([]int, error) {
	at := make([]int, len(names))
	for i, name := range names {
		var err error
		if at[i], err = s.Find(name); err != nil {
			return nil, err
		}
	}
	return at, nil
}
