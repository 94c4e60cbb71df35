package pipeline

// ReplaceEmptyString replaces the empty text (string.ReplaceEmptyStringTransform).
type ReplaceEmptyString struct {
	Column string `dl4j:"columnName"`
	Value  string `dl4j:"value"`
}

// ReplaceEmptyInteger replaces the empty text by an integer (integer.ReplaceEmptyIntegerWithValueTransform).
type ReplaceEmptyInteger struct {
	Column string `dl4j:"columnName"`
	Value  int32  `dl4j:"value"`
}

// ReplaceInvalidInteger replaces values that the column does not allow (integer.ReplaceInvalidWithIntegerTransform).
type ReplaceInvalidInteger struct {
	Column string `dl4j:"columnName"`
	Value  int32  `dl4j:"value"`
}

func init() {
	const pkg = "org.datavec.api.transform.transform."
	RegisterTransform(pkg+"string.ReplaceEmptyStringTransform", func() Transform { return ReplaceEmptyString{} })
	RegisterTransform(pkg+"integer.ReplaceEmptyIntegerWithValueTransform",
		func() Transform { return ReplaceEmptyInteger{} })
	RegisterTransform(pkg+"integer.ReplaceInvalidWithIntegerTransform",
		func() Transform { return ReplaceInvalidInteger{} })
}

// Bind finds the column.
func (s ReplaceEmptyString) Bind(in *Schema) (Bound, error) {
	return mapText(in, s.Column, func(text string) string {
		if text == "" {
			return s.Value
		}
		return text
	})
}

// Bind finds the column.
func (s ReplaceEmptyInteger) Bind(in *Schema) (Bound, error) {
	return mapCell(in, s.Column, unchanged, func(v Value) (Value, error) {
		if v.IsText() && v.String() == "" {
			return Integer(s.Value), nil
		}
		return v, nil
	})
}

// Bind finds the column.
func (s ReplaceInvalidInteger) Bind(in *Schema) (Bound, error) {
	at, err := in.Find(s.Column)
	if err != nil {
		return Bound{}, err
	}
	valid := Validator(in.Columns[at])
	return mapCell(in, s.Column, unchanged, func(v Value) (Value, error) {
		if valid(v) {
			return v, nil
		}
		return Integer(s.Value), nil
	})
}
