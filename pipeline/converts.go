package pipeline

// ConvertToInteger turns a column into an Integer one (integer.ConvertToInteger). Numbers are truncated towards zero;
// a text has to be an integer. Limits are dropped.
type ConvertToInteger struct {
	Column string `dl4j:"columnName"`
}

// ConvertToDouble turns a column into a Double one (doubletransform.ConvertToDouble). Limits are dropped.
type ConvertToDouble struct {
	Column string `dl4j:"columnName"`
}

// ConvertToFloat turns a column into a Float one (floattransform.ConvertToFloat). Limits are dropped.
type ConvertToFloat struct {
	Column string `dl4j:"columnName"`
}

// ConvertToString turns a column into a String one (string.ConvertToString). Numbers are formatted like in Java, and
// null is "NullWritable".
type ConvertToString struct {
	Column string `dl4j:"columnName"`
}

// ParseDoubles turns all String columns into Double ones (parse.ParseDoubleTransform).
type ParseDoubles struct{}

func init() {
	const pkg = "org.datavec.api.transform.transform."
	RegisterTransform(pkg+"integer.ConvertToInteger", func() Transform { return ConvertToInteger{} })
	RegisterTransform(pkg+"doubletransform.ConvertToDouble", func() Transform { return ConvertToDouble{} })
	RegisterTransform(pkg+"floattransform.ConvertToFloat", func() Transform { return ConvertToFloat{} })
	RegisterTransform(pkg+"string.ConvertToString", func() Transform { return ConvertToString{} })
	RegisterTransform(pkg+"parse.ParseDoubleTransform", func() Transform { return ParseDoubles{} })
}

// Bind finds the column.
func (s ConvertToInteger) Bind(in *Schema) (Bound, error) {
	return mapKind(in, s.Column, IntegerKind, to(toInteger), IntegerColumn{}.Convert)
}

// Bind finds the column.
func (s ConvertToDouble) Bind(in *Schema) (Bound, error) {
	return mapDouble(in, s.Column, to(toDouble), func(x float64) float64 { return x })
}

// Bind finds the column.
func (s ConvertToFloat) Bind(in *Schema) (Bound, error) {
	return mapKind(in, s.Column, FloatKind, to(toFloat), FloatColumn{}.Convert)
}

// Bind finds the column.
func (s ConvertToString) Bind(in *Schema) (Bound, error) {
	return mapText(in, s.Column, func(s string) string { return s })
}

// Bind finds the String columns.
func (s ParseDoubles) Bind(in *Schema) (Bound, error) {
	columns := append([]Column(nil), in.Columns...)
	var at []int
	for i, c := range columns {
		if c.Type() == StringType {
			columns[i] = toDouble(c.Title())
			at = append(at, i)
		}
	}
	return Bound{in.With(columns), RowMap(func(r Row) (Row, error) {
		for _, i := range at {
			x, err := r[i].Double()
			if err != nil {
				return nil, inColumn(columns[i].Title(), err)
			}
			r[i] = Double(x)
		}
		return r, nil
	})}, nil
}
