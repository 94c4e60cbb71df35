package pipeline

import (
	"math"
	"slices"
	"unicode/utf16"
)

// within reports whether x is between limits. A nil limit means none.
func within[T int32 | int64 | float64 | float32 | int](x T, low, high *T) bool {
	return (low == nil || x >= *low) && (high == nil || x <= *high)
}

// Valid requires that the whole text matches the regular expression, and that its length is within the limits. Null
// counts as the text "NullWritable", as in DataVec.
func (c StringColumn) Valid(v Value) bool {
	if c.Regex == nil {
		return c.within(v.String())
	}
	re, err := wholeMatch(*c.Regex)
	return err == nil && re.MatchString(v.String()) && c.within(v.String())
}

// within reports whether a text's length is within the limits.
func (c StringColumn) within(s string) bool {
	if c.MinLength == nil && c.MaxLength == nil {
		return true
	}
	return within(len(utf16.Encode([]rune(s))), c.MinLength, c.MaxLength)
}

// Valid requires a 32-bit integer, or a text of one, within the limits.
func (c IntegerColumn) Valid(v Value) bool {
	n, ok := v.whole(32)
	return ok && within(int32(n), c.Min, c.Max)
}

// whole returns an integer value, or the integer of a text, if it fits into that many bits.
func (v Value) whole(bits int) (int64, bool) {
	switch v.kind {
	case TextKind:
		return parseInteger(v.text, bits)
	case IntegerKind, LongKind:
		n := v.integer()
		return n, bits == 64 || n == int64(int32(n))
	}
	return 0, false
}

// Valid requires a 64-bit integer, or a text of one, within the limits.
func (c LongColumn) Valid(v Value) bool { return validLong(v, c.Min, c.Max) }

// Valid requires milliseconds, or a text of such a number, within the limits.
func (c TimeColumn) Valid(v Value) bool { return validLong(v, c.Min, c.Max) }

func validLong(v Value, low, high *int64) bool {
	n, ok := v.whole(64)
	return ok && within(n, low, high)
}

// Valid requires a number within the limits. NaN is always valid. An infinity is valid unless a limit excludes it;
// AllowInfinite lifts the limits for it. The flags exclude nothing, as in DataVec. Files rely on that.
func (c DoubleColumn) Valid(v Value) bool {
	x, err := v.Double()
	return err == nil && (x != x || c.AllowInfinite && math.IsInf(x, 0) || within(x, c.Min, c.Max))
}

// Valid is [DoubleColumn.Valid] in 32 bits.
func (c FloatColumn) Valid(v Value) bool {
	x, err := v.Float()
	return err == nil && (x != x || c.AllowInfinite && math.IsInf(float64(x), 0) || within(x, c.Min, c.Max))
}

// Valid requires exactly one of the states.
func (c CategoricalColumn) Valid(v Value) bool {
	return !v.IsNull() && slices.Contains(c.States, v.String())
}

// Validator returns c.Valid as a function that is faster for many values: it looks up categories in a table, and
// compiles a regular expression once.
func Validator(c Column) func(Value) bool {
	switch c := c.(type) {
	case CategoricalColumn:
		if len(c.States) <= 8 {
			break
		}
		number := newTextTable(c.States)
		return func(v Value) bool { return !v.IsNull() && number.find(v.String()) >= 0 }
	case StringColumn:
		if c.Regex == nil {
			break
		}
		re, err := wholeMatch(*c.Regex)
		return func(v Value) bool { return err == nil && re.MatchString(v.String()) && c.within(v.String()) }
	}
	return c.Valid
}

// Valid returns true.
func (c BooleanColumn) Valid(Value) bool { return true }

// Valid requires bytes.
func (c BinaryColumn) Valid(v Value) bool { return v.kind == BytesKind }

// Valid requires an array of the column's shape.
func (c ArrayColumn) Valid(v Value) bool {
	if v.kind != ArrayKind || len(v.array.Shape) != len(c.Shape) {
		return false
	}
	for i, n := range c.Shape {
		if n >= 0 && int64(v.array.Shape[i]) != n {
			return false
		}
	}
	return true
}

// Convert returns the value as text; null stays null.
func (c StringColumn) Convert(v Value) (Value, error) { return asText(v) }

// Convert returns an Integer.
func (c IntegerColumn) Convert(v Value) (Value, error) {
	n, err := v.Integer()
	return Integer(n), err
}

// Convert returns a Long.
func (c LongColumn) Convert(v Value) (Value, error) {
	n, err := v.Long()
	return Long(n), err
}

// Convert returns a Double.
func (c DoubleColumn) Convert(v Value) (Value, error) {
	x, err := v.Double()
	return Double(x), err
}

// Convert returns a Float.
func (c FloatColumn) Convert(v Value) (Value, error) {
	x, err := v.Float()
	return Float(x), err
}

// Convert returns the value as text; null stays null.
func (c CategoricalColumn) Convert(v Value) (Value, error) { return asText(v) }

// Convert returns a Long: milliseconds.
func (c TimeColumn) Convert(v Value) (Value, error) { return LongColumn{}.Convert(v) }

// Convert returns a Boolean: true for a number that is not 0, and for the text "true" in any case.
func (c BooleanColumn) Convert(v Value) (Value, error) {
	switch v.kind {
	case BooleanKind:
		return v, nil
	case TextKind:
		switch {
		case len(v.text) == 4 && (v.text[0]|0x20) == 't':
			return Boolean(true), nil
		case len(v.text) == 5 && (v.text[0]|0x20) == 'f':
			return Boolean(false), nil
		}
	case IntegerKind, LongKind:
		return Boolean(v.integer() != 0), nil
	case DoubleKind, FloatKind:
		return Boolean(v.real() != 0), nil
	}
	return Value{}, &ValueError{v, "true or false"}
}

// Convert requires bytes.
func (c BinaryColumn) Convert(v Value) (Value, error) {
	if v.kind == BytesKind {
		return v, nil
	}
	return Value{}, &ValueError{v, "bytes"}
}

// Convert requires an array.
func (c ArrayColumn) Convert(v Value) (Value, error) {
	if v.kind == ArrayKind {
		return v, nil
	}
	return Value{}, &ValueError{v, "an array"}
}

func asText(v Value) (Value, error) {
	if v.kind == NullKind || v.kind == TextKind {
		return v, nil
	}
	return Text(v.String()), nil
}
