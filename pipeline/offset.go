package pipeline

import (
	"fmt"
	"slices"
)

// Offset moves values between steps (sequence.SequenceOffsetTransform). With an Amount of 1, each step gets the values
// of the step before; with -1, those of the next step. They replace the column's own values (InPlace), or form a new
// column after it, sequenceOffset(1,NAME) (NewColumn). Steps without such another step are removed (TrimSequence), or
// get a fixed value (SpecifiedValue). DataVec differs: for InPlace, it drops the column from the schema.
type Offset struct {
	Columns []string `dl4j:"columnsToOffset"`
	Amount  int      `dl4j:"offsetAmount"`
	Mode    string   `dl4j:"operationType"`
	Edge    string   `dl4j:"edgeHandling"`
	Value   *Value   `dl4j:"edgeCaseValue,omitnull"`
}

// Difference replaces a column by the difference between each step and the one Lookback steps before
// (sequence.SequenceDifferenceTransform). The first Lookback steps subtract the first value (Default), or get a fixed
// value (SpecifiedValue). The difference of times is a Long, in milliseconds. DataVec differs: which steps count as
// first depends on the index of the column.
type Difference struct {
	Column   string `dl4j:"columnName"`
	Name     string `dl4j:"newColumnName"`
	Lookback int    `dl4j:"lookback"`
	First    string `dl4j:"firstStepMode"`
	Value    *Value `dl4j:"specifiedValueWritable,omitnull"`
}

// sequenceTransforms is the package of DataVec's transforms of sequences.
const sequenceTransforms = "org.datavec.api.transform.transform.sequence."

func init() {
	RegisterTransform(sequenceTransforms+"SequenceOffsetTransform", func() Transform { return Offset{} })
	RegisterTransform(sequenceTransforms+"SequenceDifferenceTransform", func() Transform { return Difference{} })
}

// oneOf refuses a name that is not among the names of a setting.
func oneOf(setting, name string, names ...string) error {
	if slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("there is no %s %q: there are %s and %s", setting, name, names[0], names[1])
}

// Bind checks the columns and modes.
func (s Offset) Bind(in *Schema) (Bound, error) {
	if err := wantSequences(in); err != nil {
		return Bound{}, err
	}
	if err := oneOf("operationType", s.Mode, "InPlace", "NewColumn"); err != nil {
		return Bound{}, err
	}
	if err := oneOf("edgeHandling", s.Edge, "TrimSequence", "SpecifiedValue"); err != nil {
		return Bound{}, err
	}
	moved := make([]bool, len(in.Columns))
	for _, name := range s.Columns {
		at, err := in.Find(name)
		if err != nil {
			return Bound{}, err
		}
		moved[at] = true
	}
	var columns []Column
	for i, c := range in.Columns {
		columns = append(columns, c)
		if moved[i] && s.Mode == "NewColumn" {
			columns = append(columns, c.Renamed(fmt.Sprintf("sequenceOffset(%d,%s)", s.Amount, c.Title())))
		}
	}
	edge := Null()
	if s.Value != nil {
		edge = *s.Value
	}
	return Bound{in.With(columns), SequenceMap(func(rows []Row) ([]Row, error) {
		return s.shift(rows, moved, len(columns), edge), nil
	})}, nil
}

func (s Offset) shift(rows []Row, moved []bool, width int, edge Value) []Row {
	out := make([]Row, 0, len(rows))
	for t, r := range rows {
		from := t - s.Amount
		within := from >= 0 && from < len(rows)
		if !within && s.Edge == "TrimSequence" {
			continue
		}
		row := make(Row, 0, width)
		for i, v := range r {
			if !moved[i] || s.Mode == "NewColumn" {
				row = append(row, v)
			}
			switch {
			case moved[i] && within:
				row = append(row, rows[from][i])
			case moved[i]:
				row = append(row, edge)
			}
		}
		out = append(out, row)
	}
	return out
}

// Bind checks the column and the modes.
func (s Difference) Bind(in *Schema) (Bound, error) {
	if err := wantSequences(in); err != nil {
		return Bound{}, err
	}
	if err := oneOf("firstStepMode", s.First, "Default", "SpecifiedValue"); err != nil {
		return Bound{}, err
	}
	if s.Lookback < 1 {
		return Bound{}, fmt.Errorf("lookback is %d; it has to be at least 1", s.Lookback)
	}
	at, err := in.Find(s.Column)
	if err != nil {
		return Bound{}, err
	}
	out, err := NewColumn(s.Name, in.Columns[at].Type())
	if err != nil {
		return Bound{}, err
	}
	if in.Columns[at].Type() == TimeType {
		out = LongColumn{Name: s.Name}
	}
	minus, err := subtraction(out)
	if err != nil {
		return Bound{}, inColumn(s.Column, err)
	}
	columns := append([]Column(nil), in.Columns...)
	columns[at] = out
	return Bound{in.With(columns), SequenceMap(func(rows []Row) ([]Row, error) {
		values := make([]Value, len(rows))
		for t, r := range rows {
			if values[t], err = out.Convert(r[at]); err != nil {
				return nil, inColumn(s.Column, err)
			}
		}
		for t, r := range rows {
			if t < s.Lookback && s.First == "SpecifiedValue" {
				r[at] = Null()
				if s.Value != nil {
					r[at] = *s.Value
				}
				continue
			}
			r[at] = minus(values[t], values[max(0, t-s.Lookback)])
		}
		return rows, nil
	})}, nil
}

// subtraction subtracts values of a column's own kind, with the kind's wrap-around or rounding.
func subtraction(c Column) (func(a, b Value) Value, error) {
	switch c.Type() {
	case IntegerType:
		return func(a, b Value) Value { return Integer(int32(a.integer() - b.integer())) }, nil
	case LongType, TimeType:
		return func(a, b Value) Value { return Long(a.integer() - b.integer()) }, nil
	case DoubleType:
		return func(a, b Value) Value { return Double(a.real() - b.real()) }, nil
	case FloatType:
		return func(a, b Value) Value { return Float(float32(a.real()) - float32(b.real())) }, nil
	}
	return nil, fmt.Errorf("values of the type %s have no difference", c.Type())
}
