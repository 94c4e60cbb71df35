package conv

func gatherPortable(dst []float32, dstRow int, src []float32, offsets []int32, n int) {
	for k, off := range offsets {
		copy(dst[k*dstRow:k*dstRow+n], src[off:])
	}
}

// term is one summand of collect: src[at+i] for i in [shift, shift+width).
type term struct{ at, shift int32 }

func collectPortable(dst []float32, dstChannel int, src []float32, srcChannel, channels int,
	terms []term, n, width int) {
	for c := range channels {
		d := dst[c*dstChannel:][:n]
		clear(d)
		for _, t := range terms {
			first, last := int(t.shift), min(n, int(t.shift)+width)
			for i, v := range src[c*srcChannel+int(t.at)+first:][:max(0, last-first)] {
				d[first+i] += v
			}
		}
	}
}
