package vector

// NotFinite returns the index of the first element that is not a finite number, or -1.
func (s *Set) NotFinite(x []float32) int {
	const block = 4096
	for at := 0; at < len(x); at += block {
		part := x[at:min(len(x), at+block)]
		if sum := s.SumAbs(part); sum-sum == 0 { // otherwise the sum may have overflowed
			continue
		}
		for i, v := range part {
			if v-v != 0 {
				return at + i
			}
		}
	}
	return -1
}
