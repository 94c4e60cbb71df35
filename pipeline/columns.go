package pipeline

import (
	"fmt"
	"slices"
)

// RenameColumns renames columns; the values do not change (column.RenameColumnsTransform).
type RenameColumns struct {
	OldNames []string `dl4j:"oldNames"`
	NewNames []string `dl4j:"newNames"`
}

// KeepColumns removes all other columns (column.RemoveAllColumnsExceptForTransform). The columns keep the schema's
// order.
type KeepColumns struct {
	Columns []string `dl4j:"columnsToKeep"`
}

// RemoveColumns removes columns (column.RemoveColumnsTransform).
type RemoveColumns struct {
	Columns []string `dl4j:"columnsToRemove"`
}

// ReorderColumns moves columns to the front, in this order (column.ReorderColumnsTransform). The others follow in
// their old order.
type ReorderColumns struct {
	Columns []string `dl4j:"newOrder"`
}

func init() {
	const pkg = "org.datavec.api.transform.transform.column."
	RegisterTransform(pkg+"RenameColumnsTransform", func() Transform { return RenameColumns{} })
	RegisterTransform(pkg+"RemoveAllColumnsExceptForTransform", func() Transform { return KeepColumns{} })
	RegisterTransform(pkg+"RemoveColumnsTransform", func() Transform { return RemoveColumns{} })
	RegisterTransform(pkg+"ReorderColumnsTransform", func() Transform { return ReorderColumns{} })
}

// Bind checks the names.
func (s RenameColumns) Bind(in *Schema) (Bound, error) {
	if len(s.OldNames) != len(s.NewNames) {
		return Bound{}, fmt.Errorf("there are %d old names and %d new ones: give as many", len(s.OldNames), len(s.NewNames))
	}
	at, err := in.findAll(s.OldNames)
	if err != nil {
		return Bound{}, err
	}
	columns := slices.Clone(in.Columns)
	for i, k := range at {
		columns[k] = columns[k].Renamed(s.NewNames[i])
	}
	return Bound{Out: in.With(columns)}, nil
}

// Bind checks the names.
func (s KeepColumns) Bind(in *Schema) (Bound, error) {
	keep := make([]bool, len(in.Columns))
	at, err := in.findAll(s.Columns)
	for _, k := range at {
		keep[k] = true
	}
	return bindKeep(in, keep), err
}

// Bind checks the names.
func (s RemoveColumns) Bind(in *Schema) (Bound, error) {
	keep := slices.Repeat([]bool{true}, len(in.Columns))
	at, err := in.findAll(s.Columns)
	for _, k := range at {
		keep[k] = false
	}
	return bindKeep(in, keep), err
}

func bindKeep(in *Schema, keep []bool) Bound {
	var columns []Column
	var from []int
	for i, c := range in.Columns {
		if keep[i] {
			columns = append(columns, c)
			from = append(from, i)
		}
	}
	return Bound{in.With(columns), &pick{from: from, forward: true}}
}

// Bind checks the names, and converts the new order to swaps.
func (s ReorderColumns) Bind(in *Schema) (Bound, error) {
	order, err := in.findAll(s.Columns)
	if err != nil {
		return Bound{}, err
	}
	named := make([]bool, len(in.Columns))
	for _, k := range order {
		if named[k] {
			return Bound{}, fmt.Errorf("the column %q stands twice in the new order", in.Columns[k].Title())
		}
		named[k] = true
	}
	for k := range in.Columns {
		if !named[k] {
			order = append(order, k)
		}
	}
	columns := make([]Column, len(order))
	for i, k := range order {
		columns[i] = in.Columns[k]
	}
	swaps := swapsOf(order)
	return Bound{in.With(columns), &pick{from: order, forward: len(swaps) == 0, swaps: swaps}}, nil
}

// swapsOf returns swaps after which place i has the former element order[i].
func swapsOf(order []int) (swaps [][2]int) {
	now := make([]int, len(order))   // the element at each place
	where := make([]int, len(order)) // the place of each element
	for i := range order {
		now[i], where[i] = i, i
	}
	for i, want := range order {
		if j := where[want]; j != i {
			swaps = append(swaps, [2]int{i, j})
			now[i], now[j] = now[j], now[i]
			where[now[i]], where[now[j]] = i, j
		}
	}
	return swaps
}
