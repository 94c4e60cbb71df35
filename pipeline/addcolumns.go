package pipeline

import "fmt"

// DuplicateColumns copies columns (column.DuplicateColumnsTransform). Each copy comes right after its original.
// NewNames holds the copies' names.
type DuplicateColumns struct {
	Columns  []string `dl4j:"columnsToDuplicate"`
	NewNames []string `dl4j:"newColumnNames"`
}

// AddConstant appends a column with the same value in each row (column.AddConstantColumnTransform). The column has no
// limits. A Boolean column becomes a Categorical column with the states true and false, as in DataVec. Times are in
// UTC.
type AddConstant struct {
	Column string     `dl4j:"newColumnName,creator"`
	Type   ColumnType `dl4j:"newColumnType"`
	Value  Value      `dl4j:"fixedValue"`
}

func init() {
	const pkg = "org.datavec.api.transform.transform.column."
	RegisterTransform(pkg+"DuplicateColumnsTransform", func() Transform { return DuplicateColumns{} })
	RegisterTransform(pkg+"AddConstantColumnTransform", func() Transform { return AddConstant{} })
}

// Bind checks the names.
func (s DuplicateColumns) Bind(in *Schema) (Bound, error) {
	if len(s.Columns) != len(s.NewNames) {
		return Bound{}, fmt.Errorf("there are %d columns and %d new names: give as many", len(s.Columns), len(s.NewNames))
	}
	at, err := in.findAll(s.Columns)
	if err != nil {
		return Bound{}, err
	}
	name := make(map[int]string, len(at))
	for i, k := range at {
		if _, twice := name[k]; twice {
			return Bound{}, fmt.Errorf("the column %q is copied twice: use two steps", s.Columns[i])
		}
		name[k] = s.NewNames[i]
	}
	var columns []Column
	var from []int
	for k, c := range in.Columns {
		columns, from = append(columns, c), append(from, k)
		if copied, ok := name[k]; ok {
			columns, from = append(columns, c.Renamed(copied)), append(from, k)
		}
	}
	return Bound{in.With(columns), &pick{from: from}}, nil
}

// Bind makes the column.
func (s AddConstant) Bind(in *Schema) (Bound, error) {
	var column Column = trueOrFalse(s.Column)
	if s.Type != BooleanType {
		var err error
		if column, err = NewColumn(s.Column, s.Type); err != nil {
			return Bound{}, err
		}
	}
	return Bound{in.followed(column), appended{s.Value}}, nil
}

// trueOrFalse returns DataVec's column for booleans.
func trueOrFalse(name string) CategoricalColumn {
	return CategoricalColumn{Name: name, States: []string{"true", "false"}}
}
