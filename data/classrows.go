package data

import (
	"encoding/binary"

	"github.com/dl4go/dl4go/tensor"
)

// ClassRows is [ExampleRows] with shorter rows for examples of classes: the label takes four bytes. It returns nil if
// the labels are not one-hot, or if the examples have keys.
func ClassRows(m *MultiDataSet) [][]byte {
	classes := m.oneHot()
	if classes == nil || m.Meta != nil {
		return nil
	}
	n := m.Examples()
	var arrays []*tensor.Dense
	for _, list := range m.lists() {
		for _, a := range list {
			if a != nil && a.Rows() != n {
				return nil
			}
			arrays = append(arrays, a)
		}
	}
	first := ClassRow(m.Slice(0, 1), classes[0])
	spans := Elements(first)
	block := make([]byte, 0, n*len(first))
	rows := make([][]byte, n)
	for i := range rows {
		from := len(block)
		block = append(block, first...)
		row := block[from:len(block):len(block)]
		rest := spans
		for _, a := range arrays {
			switch {
			case a == nil || len(a.Data) == 0:
				continue
			case a == m.Labels[0]:
				binary.LittleEndian.PutUint32(row[rest[0].From:], uint32(classes[i]))
			default:
				width := len(a.Data) / n
				appendFloats(row[rest[0].From:rest[0].From], a.Data[i*width:(i+1)*width])
			}
			rest = rest[1:]
		}
		rows[i] = row
	}
	return rows
}

// oneHot returns the class of each example, or nil if the labels are anything else.
func (m *MultiDataSet) oneHot() []int {
	if len(m.Labels) != 1 || m.Labels[0] == nil || len(m.Labels[0].Shape) != 2 || m.Labels[0].Shape[1] < 2 ||
		m.Labels[0].Shape[1] > maxCompactClasses {
		return nil
	}
	y := m.Labels[0]
	classes := make([]int, 0, y.Rows())
	for i := range y.Rows() {
		class := -1
		for k, v := range y.Data[i*y.Shape[1] : (i+1)*y.Shape[1]] {
			switch {
			case v == 0:
			case v == 1 && class < 0:
				class = k
			default:
				return nil
			}
		}
		if class < 0 {
			return nil
		}
		classes = append(classes, class)
	}
	return classes
}

// ClassRow returns the row of m, which is one example, with the given class as its label. The number of classes is that
// of the columns of m's label array; the elements of that array have no effect.
func ClassRow(m *MultiDataSet, class int) []byte {
	b := []byte{rowMagic, rowCompact}
	list := func(l []*tensor.Dense) {
		if l == nil {
			b = append(b, rowNil)
			return
		}
		b = appendCount(b, len(l))
		for _, a := range l {
			b = appendRowArray(append(b, compactFloats), a)
		}
	}
	list(m.Features)
	b = append(b, 1, compactClass)
	b = binary.LittleEndian.AppendUint32(b, uint32(m.Labels[0].Shape[1]))
	b = binary.LittleEndian.AppendUint32(b, uint32(class))
	list(m.FeatureMasks)
	list(m.LabelMasks)
	if m.Weights == nil {
		list(nil)
	} else {
		list([]*tensor.Dense{m.Weights})
	}
	return appendStrings(appendStrings(b, m.Meta), m.LabelNames)
}
