package datacheck

import (
	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/storage"
)

// sample returns about most examples, nil if there are none to be had. Unless they are even, they are all examples of
// some files, so they say little about what the other files have.
func sample(s source.Source, most int, elsewhere Elsewhere) (m *data.MultiDataSet, even bool) {
	n := s.Objects()
	if n == 0 {
		return nil, false
	}
	if files, ok := s.(source.Files); ok && !storage.IsURL(files.Paths()[0]) {
		return sampleFiles(files, most)
	}
	if !source.Single(s) {
		if elsewhere == nil {
			return nil, false
		}
		return elsewhere(s, most), true
	}
	indices := make([]int, min(n, most))
	for i := range indices {
		indices[i] = i * n / len(indices)
	}
	if t, ok := s.(source.Table); ok {
		return t.Examples(indices), true
	}
	m, err := s.(source.Picker).Pick(indices)
	if err != nil { // training reports it
		return nil, false
	}
	return m, true
}

// sampleFiles returns the examples of evenly spaced files. They are even if there are no other files.
func sampleFiles(s source.Files, most int) (m *data.MultiDataSet, even bool) {
	n := s.Objects()
	each := max(1, s.Info().Examples/n)
	read := min(n, max(1, most/each))
	var all []*data.MultiDataSet
	for i := range read {
		m, err := s.Object(i * n / read)
		if err != nil { // training reports it
			return nil, false
		}
		all = append(all, m)
	}
	m, err := data.Merge(all)
	if err != nil || m.Examples() == 0 {
		return nil, false
	}
	return m, read == n
}
