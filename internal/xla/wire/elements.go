package wire

import "unsafe"

// Floats returns a range of the memory as elements.
func (m *Memory) Floats(offset, elements int) ([]float32, error) {
	return elementsOf[float32](m, offset, elements)
}

// Words returns a range of the memory as integers.
func (m *Memory) Words(offset, elements int) ([]uint32, error) {
	return elementsOf[uint32](m, offset, elements)
}

func elementsOf[T float32 | uint32](m *Memory, offset, elements int) ([]T, error) {
	b, err := m.Bytes(offset, 4*elements)
	if err != nil || elements == 0 {
		return nil, err
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), elements), nil
}
