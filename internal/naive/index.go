package naive

import "github.com/dl4go/dl4go/tensor"

// strides returns the distance between neighbours along each dimension of a C-order array.
func strides(s tensor.Shape) []int {
	out := make([]int, len(s))
	n := 1
	for i := len(s) - 1; i >= 0; i-- {
		out[i] = n
		n *= s[i]
	}
	return out
}

// index returns, for each element of a C-order array of shape s, offset plus the sum of its coordinates times step.
func index(s tensor.Shape, step []int, offset int) []int {
	out := make([]int, s.Size())
	at := make([]int, len(s))
	for i := range out {
		out[i] = offset
		for d, c := range at {
			out[i] += c * step[d]
		}
		for d := len(s) - 1; d >= 0; d-- {
			if at[d]++; at[d] < s[d] {
				break
			}
			at[d] = 0
		}
	}
	return out
}

// repeated returns, for each element of shape out, the index of the element of shape in that is broadcast to it.
func repeated(out, in tensor.Shape) []int {
	step := make([]int, len(out))
	lead := len(out) - len(in)
	for i, s := range strides(in) {
		if in[i] != 1 {
			step[lead+i] = s
		}
	}
	return index(out, step, 0)
}
