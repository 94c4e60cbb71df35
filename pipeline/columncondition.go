package pipeline

import "math"

// InvalidCondition holds for a value that the column does not allow (InvalidValueColumnCondition).
type InvalidCondition struct {
	Column string       `dl4j:"columnName,creator"`
	Mode   SequenceMode `dl4j:"sequenceMode,omitnull,zeronull"`
}

// NullCondition holds for null (NullWritableColumnCondition).
type NullCondition struct {
	Column string       `dl4j:"columnName,creator"`
	Mode   SequenceMode `dl4j:"sequenceMode,omitnull,zeronull"`
}

// NaNCondition holds for NaN (NaNColumnCondition). A value that is not a number is an error.
type NaNCondition struct {
	Column string       `dl4j:"columnName,creator"`
	Mode   SequenceMode `dl4j:"sequenceMode,omitnull,zeronull"`
}

// InfiniteCondition holds for infinities (InfiniteColumnCondition). A value that is not a number is an error.
type InfiniteCondition struct {
	Column string       `dl4j:"columnName,creator"`
	Mode   SequenceMode `dl4j:"sequenceMode,omitnull,zeronull"`
}

// TrivialCondition always holds (TrivialColumnCondition).
type TrivialCondition struct {
	Column string       `dl4j:"columnName,creator,alias=name"`
	Mode   SequenceMode `dl4j:"sequenceMode,omitnull,zeronull"`
}

// RegexCondition holds for texts that match a Java regular expression as a whole (StringRegexColumnCondition). Null
// counts as the text "NullWritable".
type RegexCondition struct {
	Column string       `dl4j:"columnName,creator"`
	Regex  string       `dl4j:"regex"`
	Mode   SequenceMode `dl4j:"sequenceMode,omitnull,zeronull"`
}

func init() {
	const pkg = "org.datavec.api.transform.condition."
	RegisterCondition(pkg+"column.InvalidValueColumnCondition", func() Condition { return InvalidCondition{} })
	RegisterCondition(pkg+"column.NullWritableColumnCondition", func() Condition { return NullCondition{} })
	RegisterCondition(pkg+"column.NaNColumnCondition", func() Condition { return NaNCondition{} })
	RegisterCondition(pkg+"column.InfiniteColumnCondition", func() Condition { return InfiniteCondition{} })
	RegisterCondition(pkg+"column.TrivialColumnCondition", func() Condition { return TrivialCondition{} })
	RegisterCondition(pkg+"string.StringRegexColumnCondition", func() Condition { return RegexCondition{} })
}

// Bind finds the column.
func (c InvalidCondition) Bind(in *Schema) (func(Row) (bool, error), error) { return bindOnRow(c, in) }

// Bind finds the column.
func (c NullCondition) Bind(in *Schema) (func(Row) (bool, error), error) { return bindOnRow(c, in) }

// Bind finds the column.
func (c NaNCondition) Bind(in *Schema) (func(Row) (bool, error), error) { return bindOnRow(c, in) }

// Bind finds the column.
func (c InfiniteCondition) Bind(in *Schema) (func(Row) (bool, error), error) { return bindOnRow(c, in) }

// Bind finds the column.
func (c TrivialCondition) Bind(in *Schema) (func(Row) (bool, error), error) { return bindOnRow(c, in) }

// Bind finds the column and compiles the expression.
func (c RegexCondition) Bind(in *Schema) (func(Row) (bool, error), error) { return bindOnRow(c, in) }

func (c InvalidCondition) bindCell(in *Schema) (*cellTest, error) {
	at, err := in.Find(c.Column)
	if err != nil {
		return nil, err
	}
	valid := Validator(in.Columns[at])
	return &cellTest{at: at, between: eitherAnswer, test: func(v Value) (bool, error) { return !valid(v), nil }}, nil
}

func (c NullCondition) bindCell(in *Schema) (*cellTest, error) {
	at, err := in.Find(c.Column)
	return &cellTest{at: at, test: func(v Value) (bool, error) { return v.IsNull(), nil },
		text: func(string) bool { return false }, others: mayNotHold}, err
}

func (c NaNCondition) bindCell(in *Schema) (*cellTest, error) {
	return bindNumber(in, c.Column, math.IsNaN, func(float64, float64) answers { return mayNotHold })
}

func (c InfiniteCondition) bindCell(in *Schema) (*cellTest, error) {
	return bindNumber(in, c.Column, func(x float64) bool { return math.IsInf(x, 0) },
		func(low, high float64) answers {
			if math.IsInf(low, 0) || math.IsInf(high, 0) {
				return mayHold | mayNotHold
			}
			return mayNotHold
		})
}

func (c TrivialCondition) bindCell(in *Schema) (*cellTest, error) {
	at, err := in.Find(c.Column)
	return &cellTest{at: at, test: func(Value) (bool, error) { return true, nil }, others: mayHold}, err
}

func (c RegexCondition) bindCell(in *Schema) (*cellTest, error) {
	at, err := in.Find(c.Column)
	if err != nil {
		return nil, err
	}
	re, err := wholeMatch(c.Regex)
	if err != nil {
		return nil, err
	}
	return &cellTest{at: at, text: re.MatchString, between: eitherAnswer,
		test: func(v Value) (bool, error) { return re.MatchString(v.String()), nil }}, nil
}

// bindNumber binds a condition on a number. between returns its answers for numbers between two bounds, except for NaN.
func bindNumber(in *Schema, column string, test func(float64) bool,
	between func(low, high float64) answers) (*cellTest, error) {
	at, err := in.Find(column)
	return &cellTest{at: at, between: betweenNumbers(Value.Double, between), test: func(v Value) (bool, error) {
		x, err := v.Double()
		if err != nil {
			return false, inColumn(column, err)
		}
		return test(x), nil
	}}, err
}

// BindSequence applies the mode.
func (c InvalidCondition) BindSequence(in *Schema) (func([]Row) (bool, error), error) {
	return bindMode(c, c.Mode, in)
}

// BindSequence applies the mode.
func (c NullCondition) BindSequence(in *Schema) (func([]Row) (bool, error), error) {
	return bindMode(c, c.Mode, in)
}

// BindSequence applies the mode.
func (c NaNCondition) BindSequence(in *Schema) (func([]Row) (bool, error), error) {
	return bindMode(c, c.Mode, in)
}

// BindSequence applies the mode.
func (c InfiniteCondition) BindSequence(in *Schema) (func([]Row) (bool, error), error) {
	return bindMode(c, c.Mode, in)
}

// BindSequence applies the mode.
func (c TrivialCondition) BindSequence(in *Schema) (func([]Row) (bool, error), error) {
	return bindMode(c, c.Mode, in)
}

// BindSequence applies the mode.
func (c RegexCondition) BindSequence(in *Schema) (func([]Row) (bool, error), error) {
	return bindMode(c, c.Mode, in)
}
