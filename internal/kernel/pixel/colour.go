package pixel

func blendPortable(dst []uint16, near, far []uint8) {
	near, far = near[:len(dst)], far[:len(dst)]
	for i := range dst {
		dst[i] = 3*uint16(near[i]) + uint16(far[i])
	}
}

func widenPortable(dst []uint8, src []uint16, even, odd uint16) {
	mustMatch(len(dst) == 2*(len(src)-2))
	for i := range len(dst) / 2 {
		s := 3 * src[i+1]
		dst[2*i] = uint8((s + src[i] + even) >> 4)
		dst[2*i+1] = uint8((s + src[i+2] + odd) >> 4)
	}
}

func coloursPortable(dst, y, cb, cr []uint8) {
	n := len(dst) / 3
	y, cb, cr = y[:n], cb[:n], cr[:n]
	for i := range y {
		luma, blue, red := int32(y[i]), int32(cb[i])-128, int32(cr[i])-128
		to := dst[3*i : 3*i+3]
		to[0] = clamp(luma + (91881*red+1<<15)>>16)
		to[1] = clamp(luma + (-22554*blue-46802*red+1<<15)>>16)
		to[2] = clamp(luma + (116130*blue+1<<15)>>16)
	}
}

func clamp(x int32) uint8 {
	if uint32(x) < 256 {
		return uint8(x)
	}
	return uint8(^(x >> 31)) // 0 below, and 255 above
}
