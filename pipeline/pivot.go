package pipeline

import "fmt"

// Pivot makes a column for each state of a Categorical column, named "key[state]" (categorical.PivotTransform). Its
// values are those of the value column for rows of that state, and Default for the others. The value column is
// removed.
type Pivot struct {
	Key   string `dl4j:"keyColumn"`
	Value string `dl4j:"valueColumn"`
	// Default nil means 0, the empty text, false or null, depending on the type of the value column.
	Default *Value `dl4j:"defaultValue,omitnull"`
}

func init() {
	RegisterTransform("org.datavec.api.transform.transform.categorical.PivotTransform",
		func() Transform { return Pivot{} })
}

// Bind makes the columns.
func (s Pivot) Bind(in *Schema) (Bound, error) {
	key, c, number, err := in.states(s.Key)
	if err != nil {
		return Bound{}, err
	}
	value, err := in.Find(s.Value)
	if err != nil {
		return Bound{}, err
	}
	if key == value {
		return Bound{}, fmt.Errorf("the column %q cannot be both key and value", s.Key)
	}
	var columns []Column
	for i, old := range in.Columns {
		switch i {
		case key:
			for _, state := range c.States {
				columns = append(columns, in.Columns[value].Renamed(s.Key+"["+state+"]"))
			}
		case value:
		default:
			columns = append(columns, old)
		}
	}
	missing := defaultOf(in.Columns[value].Type())
	if s.Default != nil {
		missing = *s.Default
	}
	n := len(c.States)
	after := value // the place of the value column after the new ones are there
	if value > key {
		after += n - 1
	}
	return Bound{in.With(columns), RowMap(func(r Row) (Row, error) {
		k := number.find(r[key].String())
		if k < 0 {
			return nil, noState(s.Key, r[key])
		}
		v := r[value]
		r = widen(r, key, n)
		for i := range n {
			r[key+i] = missing
		}
		r[key+k] = v
		return append(r[:after], r[after+1:]...), nil
	})}, nil
}

// defaultOf returns the value of a cell that a pivot leaves empty.
func defaultOf(t ColumnType) Value {
	switch t {
	case StringType:
		return Text("")
	case IntegerType:
		return Integer(0)
	case LongType, TimeType:
		return Long(0)
	case DoubleType:
		return Double(0)
	case FloatType:
		return Float(0)
	case BooleanType:
		return Text("false")
	}
	return Null()
}
