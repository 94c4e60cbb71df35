package source

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data"
)

// memory is a Table of a data set in memory.
type memory struct {
	info Info
	all  *data.MultiDataSet
}

// InMemory returns the examples of a data set as a Table. The table keeps m, which must not change afterwards. Make the
// info with [InfoOf], and add to it what you know, such as the names of columns. The error is that of
// [data.MultiDataSet.Validate], or a *[data.ValueError] for NaN and infinities.
func InMemory(info Info, m *data.MultiDataSet) (Table, error) {
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", info.Name, err)
	}
	if err := m.CheckFinite(); err != nil {
		return nil, fmt.Errorf("%s: %w", info.Name, err)
	}
	info.Examples, info.Weighted = m.Examples(), m.Weights != nil
	return &memory{info, m}, nil
}

func (t *memory) Info() Info   { return t.info }
func (t *memory) Objects() int { return t.info.Examples }

func (t *memory) Object(i int) (*data.MultiDataSet, error) {
	if i < 0 || i >= t.info.Examples {
		return nil, fmt.Errorf("%s has no example %d: there are %d", t.info.Name, i, t.info.Examples)
	}
	return t.Range(i, i+1), nil
}

func (t *memory) Range(from, to int) *data.MultiDataSet { return t.all.Slice(from, to).Clone() }

func (t *memory) Examples(indices []int) *data.MultiDataSet { return t.all.Select(indices) }

// subset is a selection of a Table's examples, in the order of their indices.
type subset struct {
	Table
	info    Info
	indices []int
}

// Subset returns the examples of a table at the given indices, in that order, as a table of this name. It copies none.
func Subset(t Table, name string, indices []int) Table {
	info := t.Info()
	info.Name, info.Examples = name, len(indices)
	return &subset{t, info, slices.Clone(indices)}
}

func (s *subset) Info() Info   { return s.info }
func (s *subset) Objects() int { return len(s.indices) }

func (s *subset) Object(i int) (*data.MultiDataSet, error) {
	if i < 0 || i >= len(s.indices) {
		return nil, fmt.Errorf("%s has no example %d: there are %d", s.info.Name, i, len(s.indices))
	}
	return s.Table.Object(s.indices[i])
}

// ObjectRows returns the row of an example.
func (s *subset) ObjectRows(i int) ([][]byte, error) {
	if i < 0 || i >= len(s.indices) {
		return nil, fmt.Errorf("%s has no example %d: there are %d", s.info.Name, i, len(s.indices))
	}
	return ObjectRows(s.Table, s.indices[i])
}

func (s *subset) Range(from, to int) *data.MultiDataSet {
	return s.Table.Examples(s.indices[from:to])
}

func (s *subset) Examples(indices []int) *data.MultiDataSet {
	of := make([]int, len(indices))
	for i, k := range indices {
		of[i] = s.indices[k]
	}
	return s.Table.Examples(of)
}
