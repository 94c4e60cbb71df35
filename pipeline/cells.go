package pipeline

import "slices"

// replaced returns the schema with one column replaced by others.
func (s *Schema) replaced(at int, by ...Column) *Schema {
	columns := make([]Column, 0, len(s.Columns)+len(by)-1)
	columns = append(columns, s.Columns[:at]...)
	columns = append(columns, by...)
	return s.With(append(columns, s.Columns[at+1:]...))
}

// followed returns the schema with another column appended.
func (s *Schema) followed(by Column) *Schema {
	return s.With(append(slices.Clip(s.Columns), by))
}

// widen replaces one cell by n. It moves the following cells, and does not allocate if the row has the capacity.
func widen(r Row, at, n int) Row {
	old := len(r)
	r = slices.Grow(r, n-1)[:old+n-1]
	copy(r[at+n:], r[at+1:old])
	return r
}

// mapCell binds a step that changes the values of one column.
func mapCell(in *Schema, name string, column func(Column) Column, f func(Value) (Value, error)) (Bound, error) {
	return mapKind(in, name, NullKind, column, f)
}

// mapKind is mapCell for results of one kind.
func mapKind(in *Schema, name string, gives ValueKind, column func(Column) Column,
	f func(Value) (Value, error)) (Bound, error) {
	at, err := in.Find(name)
	if err != nil {
		return Bound{}, err
	}
	return Bound{in.replaced(at, column(in.Columns[at])), &cellMap{at: at, name: name, do: f, gives: gives}}, nil
}

// appendCell binds a step that appends a column computed from others.
func appendCell(in *Schema, column Column, of []string, f func([]int, Row) (Value, error)) (Bound, error) {
	at, err := in.findAll(of)
	if err != nil {
		return Bound{}, err
	}
	name := column.Title()
	return Bound{in.followed(column), RowMap(func(r Row) (Row, error) {
		v, err := f(at, r)
		if err != nil {
			return nil, inColumn(name, err)
		}
		return append(r, v), nil
	})}, nil
}

// to returns a change of a column that makes a new one from its name only.
func to[C Column](of func(name string) C) func(Column) Column {
	return func(c Column) Column { return of(c.Title()) }
}

func toString(name string) StringColumn   { return StringColumn{Name: name} }
func toInteger(name string) IntegerColumn { return IntegerColumn{Name: name} }
func toDouble(name string) DoubleColumn   { return DoubleColumn{Name: name} }
func toFloat(name string) FloatColumn     { return FloatColumn{Name: name} }

// unchanged keeps a column as it is.
func unchanged(c Column) Column { return c }
