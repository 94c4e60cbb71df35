package pipeline

import "fmt"

// FirstDigit returns the first digit of a number as a category (categorical.FirstDigitTransform). It reads the text's
// first character, or the second one after a minus sign.
type FirstDigit struct {
	Column string `dl4j:"inputColumn"`
	// NewColumn comes right after Column. If the names are the same, it replaces Column.
	NewColumn string         `dl4j:"outputColumn"`
	Mode      FirstDigitMode `dl4j:"mode"`
}

// FirstDigitMode says what happens to a text without a digit at that place.
type FirstDigitMode string

// The modes of [FirstDigit].
const (
	FailOnInvalid FirstDigitMode = "EXCEPTION_ON_INVALID"
	IncludeOther  FirstDigitMode = "INCLUDE_OTHER_CATEGORY" // the category "Other"
)

func init() {
	RegisterTransform("org.datavec.api.transform.transform.categorical.FirstDigitTransform",
		func() Transform { return FirstDigit{} })
}

// Bind makes the column.
func (s FirstDigit) Bind(in *Schema) (Bound, error) {
	at, err := in.Find(s.Column)
	if err != nil {
		return Bound{}, err
	}
	states := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
	switch s.Mode {
	case IncludeOther:
		states = append(states, "Other")
	case FailOnInvalid:
	default:
		return Bound{}, fmt.Errorf("%q is not a mode: there are %s and %s", string(s.Mode), FailOnInvalid, IncludeOther)
	}
	digit := func(v Value) (Value, error) {
		text := v.String()
		k := 0
		if len(text) > 1 && text[0] == '-' {
			k = 1
		}
		if k < len(text) && text[k] >= '0' && text[k] <= '9' {
			return Text(states[text[k]-'0']), nil
		}
		if s.Mode == IncludeOther {
			return Text("Other"), nil
		}
		return v, fmt.Errorf("column %q: %.60q has no first digit", s.Column, text)
	}
	if s.NewColumn == s.Column {
		return mapCell(in, s.Column, func(Column) Column { return CategoricalColumn{s.Column, states} }, digit)
	}
	return Bound{in.replaced(at, in.Columns[at], CategoricalColumn{s.NewColumn, states}), RowMap(func(r Row) (Row, error) {
		v, err := digit(r[at])
		if err != nil {
			return nil, err
		}
		r = widen(r, at, 2)
		r[at+1] = v
		return r, nil
	})}, nil
}
