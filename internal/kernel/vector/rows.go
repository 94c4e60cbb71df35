package vector

// SumChannels adds the sums of each channel of a [batch, len(dst), size] to dst: dst[c] += Σ a[n, c, i], the bias
// gradient of a convolution. It sums each run of size elements by Sum, and adds these sums in the order of n.
func (s *Set) SumChannels(dst, a []float32, size int) {
	mustMatchRows(len(dst)*size, len(a))
	for len(a) > 0 {
		for c := range dst {
			dst[c] += s.Sum(a[:size])
			a = a[size:]
		}
	}
}
