package conv

func gatherPortable(dst []float32, dstRow int, src []float32, offsets []int32, n int) {
	for k, off := range offsets {
		copy(dst[k*dstRow:k*dstRow+n], src[off:])
	}
}

func scatterAddPortable(dst []float32, offsets []int32, src []float32, srcRow, n int) {
	for k, off := range offsets {
		d := dst[off:][:n]
		for i, v := range src[k*srcRow:][:n] {
			d[i] += v
		}
	}
}
