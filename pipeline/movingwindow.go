package pipeline

import "fmt"

// MovingWindow appends a column with an operation over the last Lookback values of another, including the step's own
// (sequence.SequenceMovingWindowReduceTransform). At the start there are fewer values (Default), or the step gets a
// fixed value until there are enough (SpecifiedValue). The column has the type of the operation, as in [Reduce].
// DataVec differs: its schema says Double for Sum and Prod, and Integer for Count.
type MovingWindow struct {
	Column   string   `dl4j:"columnName"`
	Name     string   `dl4j:"newColumnName"`
	Lookback int      `dl4j:"lookback"`
	Op       ReduceOp `dl4j:"op"`
	Edge     string   `dl4j:"edgeCaseHandling"`
	Value    *Value   `dl4j:"edgeCaseValue,omitnull"`
}

func init() {
	RegisterTransform(sequenceTransforms+"SequenceMovingWindowReduceTransform", func() Transform {
		return MovingWindow{Edge: "Default"}
	})
}

// Bind checks the column and the operation.
func (s MovingWindow) Bind(in *Schema) (Bound, error) {
	if err := wantSequences(in); err != nil {
		return Bound{}, err
	}
	if err := oneOf("edgeCaseHandling", s.Edge, "Default", "SpecifiedValue"); err != nil {
		return Bound{}, err
	}
	if s.Lookback < 1 {
		return Bound{}, fmt.Errorf("lookback is %d; it has to be at least 1", s.Lookback)
	}
	at, err := in.Find(s.Column)
	if err != nil {
		return Bound{}, err
	}
	c := in.Columns[at]
	name := s.Name
	if name == "" {
		name = fmt.Sprintf("%s(%d,%s)", s.Op.lower(), s.Lookback, s.Column)
	}
	r := reduced{at: at, name: s.Column, convert: c.Convert}
	if err := r.bindOps(c, []ReduceOp{s.Op}, []string{name}); err != nil {
		return Bound{}, err
	}
	edge := Null()
	if s.Value != nil {
		edge = *s.Value
	}
	columns := append([]Column(nil), in.Columns...)
	return Bound{in.With(append(columns, r.columns...)), SequenceMap(func(rows []Row) ([]Row, error) {
		values := make([]Value, len(rows))
		for t, row := range rows {
			v, _, err := r.value(row)
			if err != nil {
				return nil, err
			}
			values[t] = v
		}
		for t, row := range rows {
			rows[t] = append(row, s.over(values[:t+1], r.ops[0](), edge))
		}
		return rows, nil
	})}, nil
}

// over applies the operation to the last values.
func (s MovingWindow) over(values []Value, a accumulator, edge Value) Value {
	if len(values) < s.Lookback && s.Edge == "SpecifiedValue" {
		return edge
	}
	for _, v := range values[max(0, len(values)-s.Lookback):] {
		a.add(v)
	}
	return a.result()
}
