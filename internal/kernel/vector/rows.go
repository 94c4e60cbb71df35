package vector

// Softmax sets each row of cols elements of dst to e^(x-max) / Σ e^(x-max) of that row of x, with the row's own max and
// sum: x [rows, cols] → dst [rows, cols], which may be x. A row's result does not depend on the other rows. A row with
// NaN or +Inf is NaN.
func (s *Set) Softmax(dst, x []float32, cols int) {
	mustMatch(len(dst), len(x))
	mustMatchRows(cols, len(x))
	for ; len(x) > 0; dst, x = dst[cols:], x[cols:] {
		row := dst[:cols]
		s.SubScalar(row, x[:cols], s.ReduceMax(x[:cols]))
		s.Exp(row, row)
		s.DivScalar(row, row, s.Sum(row))
	}
}

// SumChannels adds the sums of each channel of a [batch, len(dst), size] to dst: dst[c] += Σ a[n, c, i], the bias
// gradient of a convolution. Each run of size elements is summed by Sum, and these sums are added in the order of n.
func (s *Set) SumChannels(dst, a []float32, size int) {
	mustMatchRows(len(dst)*size, len(a))
	for len(a) > 0 {
		for c := range dst {
			dst[c] += s.Sum(a[:size])
			a = a[size:]
		}
	}
}
