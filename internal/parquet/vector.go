package parquet

import (
	"fmt"

	"github.com/dl4go/dl4go/pipeline"
)

// vector is Spark ML's vector: dense, or sparse with its size and indices.
func (c *columnReader) vector(row int) (*pipeline.Array, error) {
	kind, size, indices, numbers := &c.leaves[0], &c.leaves[1], &c.leaves[2], &c.leaves[3]
	i := kind.pos.at(row)
	if i < 0 {
		return nil, nil
	}
	v, err := numbers.list(row)
	if err != nil {
		return nil, err
	}
	dense := numbers.numbers(v)
	if kind.values.i32[i] == 1 {
		return &pipeline.Array{Shape: []int{len(dense)}, Data: dense}, nil
	}
	at, err := indices.list(row)
	if err != nil {
		return nil, err
	}
	n := size.pos.at(row)
	if n < 0 || kind.values.i32[i] != 0 || at.last-at.entry != len(dense) {
		return nil, fmt.Errorf("the vector is neither dense nor sparse, as Spark's are")
	}
	extent := int(size.values.i32[n])
	if extent < 0 || extent > maxList {
		return nil, fmt.Errorf("the vector has the size %d; at most %d are read", extent, maxList)
	}
	all := make([]float64, extent)
	for k, index := range indices.numbers(at) {
		if index >= 0 && index < float64(extent) {
			all[int(index)] = dense[k]
			continue
		}
		return nil, fmt.Errorf("the vector has the index %v, and its size is %d", index, extent)
	}
	return &pipeline.Array{Shape: []int{extent}, Data: all}, nil
}

// size is the number of numbers in the array of a row, or 0 if it is null. It is some number if the array is damaged.
func (c *columnReader) size(row int) int {
	last := &c.leaves[len(c.leaves)-1]
	entries := int(last.from[row+1] - last.from[row])
	if c.form != vector {
		return entries
	}
	kind, size := &c.leaves[0], &c.leaves[1]
	i, n := kind.pos.at(row), size.pos.at(row)
	if i < 0 || n < 0 || kind.values.i32[i] == 1 {
		return entries
	}
	return min(max(int(size.values.i32[n]), 0), maxList)
}
