package pipeline

import (
	"fmt"
	"strconv"
)

// CategoricalToInteger replaces a category by its number, in the order of the column's states
// (categorical.CategoricalToIntegerTransform). A value that is not a state is an error.
type CategoricalToInteger struct {
	Column string `dl4j:"columnName"`
}

// CategoricalToOneHot makes an Integer column for each state, named "column[state]", with 1 for the row's category and
// 0 for the others (categorical.CategoricalToOneHotTransform). They replace the old column. A value that is not a
// state is an error.
type CategoricalToOneHot struct {
	Column string `dl4j:"columnName"`
}

// IntegerToOneHot makes an Integer column for each number from Min to Max, like [CategoricalToOneHot] for states
// (integer.IntegerToOneHotTransform). A number outside this range is an error.
type IntegerToOneHot struct {
	Column string `dl4j:"columnName"`
	Min    int32  `dl4j:"minValue"`
	Max    int32  `dl4j:"maxValue"`
}

// IntegerToCategorical replaces a number by a category (categorical.IntegerToCategoricalTransform). The states have
// the order of Map. A number without an entry is an error.
type IntegerToCategorical struct {
	Column string         `dl4j:"columnName"`
	Map    IntegerMapping `dl4j:"map"`
}

// StringToCategorical turns a column into a Categorical one (categorical.StringToCategoricalTransform). It neither
// changes nor checks the values: use [RemoveInvalid] to remove others.
type StringToCategorical struct {
	Column string   `dl4j:"columnName"`
	States []string `dl4j:"stateNames"`
}

func init() {
	const pkg = "org.datavec.api.transform.transform."
	RegisterTransform(pkg+"categorical.CategoricalToIntegerTransform", func() Transform { return CategoricalToInteger{} })
	RegisterTransform(pkg+"categorical.CategoricalToOneHotTransform", func() Transform { return CategoricalToOneHot{} })
	RegisterTransform(pkg+"integer.IntegerToOneHotTransform", func() Transform { return IntegerToOneHot{} })
	RegisterTransform(pkg+"categorical.IntegerToCategoricalTransform", func() Transform { return IntegerToCategorical{} })
	RegisterTransform(pkg+"categorical.StringToCategoricalTransform", func() Transform { return StringToCategorical{} })
}

// states finds a Categorical column and numbers its states.
func (s *Schema) states(name string) (at int, c CategoricalColumn, number *textTable, err error) {
	if at, err = s.Find(name); err != nil {
		return at, c, nil, err
	}
	c, ok := s.Columns[at].(CategoricalColumn)
	if !ok {
		return at, c, nil, fmt.Errorf("the column %q is of type %s: a Categorical one is needed", name, s.Columns[at].Type())
	}
	if len(c.States) == 0 {
		return at, c, nil, fmt.Errorf("the Categorical column %q has no states", name)
	}
	return at, c, newTextTable(c.States), nil
}

// noState returns the error for a value that is not a state.
func noState(column string, v Value) error {
	return fmt.Errorf("column %q: %.60q is none of its states", column, v.String())
}

// Bind finds the column.
func (s CategoricalToInteger) Bind(in *Schema) (Bound, error) {
	at, c, number, err := in.states(s.Column)
	if err != nil {
		return Bound{}, err
	}
	column := IntegerColumn{c.Name, new(int32(0)), new(int32(len(c.States) - 1))}
	do := func(v Value) (Value, error) {
		k := number.find(v.String())
		if k < 0 {
			return v, noState(s.Column, v)
		}
		return Integer(int32(k)), nil
	}
	return Bound{in.replaced(at, column), &cellMap{at: at, do: do, gives: IntegerKind}}, nil
}

// Bind finds the column.
func (s CategoricalToOneHot) Bind(in *Schema) (Bound, error) {
	at, c, number, err := in.states(s.Column)
	if err != nil {
		return Bound{}, err
	}
	return bindOneHot(in, at, c.States, number, func(v Value) (int, error) {
		if k := number.find(v.String()); k >= 0 {
			return k, nil
		}
		return 0, noState(s.Column, v)
	}), nil
}

// maxNewColumns bounds the columns of one IntegerToOneHot, since a file only needs two numbers to ask for many.
const maxNewColumns = 1 << 16

// Bind checks the range.
func (s IntegerToOneHot) Bind(in *Schema) (Bound, error) {
	at, err := in.findOf(s.Column, IntegerType)
	if err != nil {
		return Bound{}, err
	}
	n := int64(s.Max) - int64(s.Min) + 1
	if n < 1 || n > maxNewColumns {
		return Bound{}, fmt.Errorf("minValue %d to maxValue %d would be %d columns: there can be 1 to %d",
			s.Min, s.Max, max(n, 0), maxNewColumns)
	}
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.FormatInt(int64(s.Min)+int64(i), 10)
	}
	return bindOneHot(in, at, names, nil, func(v Value) (int, error) {
		k, err := v.Integer()
		if err != nil {
			return 0, inColumn(s.Column, err)
		}
		if k < s.Min || k > s.Max {
			return 0, fmt.Errorf("column %q: %d is not within %d to %d", s.Column, k, s.Min, s.Max)
		}
		return int(k - s.Min), nil
	}), nil
}

// bindOneHot replaces a column by one for each name. If text is not nil, it is which for texts.
func bindOneHot(in *Schema, at int, names []string, text *textTable, which func(Value) (int, error)) Bound {
	columns := make([]Column, len(names))
	for i, name := range names {
		columns[i] = IntegerColumn{in.Columns[at].Title() + "[" + name + "]", new(int32(0)), new(int32(1))}
	}
	return Bound{in.replaced(at, columns...), &oneHot{at: at, n: len(names), which: which, text: text}}
}

// Bind makes the states.
func (s IntegerToCategorical) Bind(in *Schema) (Bound, error) {
	states := make([]string, len(s.Map))
	state := make(map[int32]Value, len(s.Map))
	for i, m := range s.Map {
		if _, twice := state[m.Integer]; twice {
			return Bound{}, fmt.Errorf("the map has two entries for %d", m.Integer)
		}
		states[i], state[m.Integer] = m.State, Text(m.State)
	}
	column := func(c Column) Column { return CategoricalColumn{c.Title(), states} }
	return mapCell(in, s.Column, column, func(v Value) (Value, error) {
		k, err := v.Integer()
		if err != nil {
			return v, err
		}
		to, ok := state[k]
		if !ok {
			return v, fmt.Errorf("the map has no entry for %d; add one", k)
		}
		return to, nil
	})
}

// Bind changes the column.
func (s StringToCategorical) Bind(in *Schema) (Bound, error) {
	at, err := in.Find(s.Column)
	if err != nil {
		return Bound{}, err
	}
	return Bound{Out: in.replaced(at, CategoricalColumn{s.Column, s.States})}, nil
}
