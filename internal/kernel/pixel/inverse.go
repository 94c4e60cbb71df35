package pixel

import "encoding/binary"

// The constants of the transform, with 13 fractional bits.
const (
	c0298 = 2446
	c0390 = 3196
	c0541 = 4433
	c0765 = 6270
	c0899 = 7373
	c1175 = 9633
	c1501 = 12299
	c1847 = 15137
	c1961 = 16069
	c2053 = 16819
	c2562 = 20995
	c3072 = 25172
)

func inversePortable(coefs, quant *[64]int16, dst []uint8, stride int) {
	var b [64]int16
	for i := range b {
		b[i] = coefs[i] * quant[i]
	}
	for x := range 8 {
		in := [8]int16{b[x], b[8+x], b[16+x], b[24+x], b[32+x], b[40+x], b[48+x], b[56+x]}
		for y, v := range eight(&in) {
			b[8*y+x] = int16(min(max((v+1<<10)>>11, -1<<15), 1<<15-1))
		}
	}
	for y := range 8 {
		out := eight((*[8]int16)(b[8*y:]))
		to := dst[y*stride:][:8]
		for x, v := range out {
			to[x] = uint8(min(max((v+1<<17)>>18, -128), 127) + 128)
		}
	}
}

// eight transforms 8 numbers, after Loeffler, Ligtenberg and Moschytz, and adds 13 fractional bits.
func eight(in *[8]int16) [8]int32 {
	wide := func(i int) int32 { return int32(in[i]) }
	a := int32(in[0]+in[4]) << 13
	b := int32(in[0]-in[4]) << 13
	c := wide(2)*c0541 + wide(6)*(c0541-c1847)
	d := wide(2)*(c0541+c0765) + wide(6)*c0541
	even := [4]int32{a + d, b + c, b - c, a - d}

	e, f := int32(in[7]+in[3]), int32(in[5]+in[1])
	g := e*(c1175-c1961) + f*c1175
	h := e*c1175 + f*(c1175-c0390)
	odd := [4]int32{
		wide(7)*-c0899 + wide(1)*(c1501-c0899) + h,
		wide(5)*-c2562 + wide(3)*(c3072-c2562) + g,
		wide(5)*(c2053-c2562) + wide(3)*-c2562 + h,
		wide(7)*(c0298-c0899) + wide(1)*-c0899 + g,
	}
	var out [8]int32
	for i := range 4 {
		out[i], out[7-i] = even[i]+odd[i], even[i]-odd[i]
	}
	return out
}

func fill(first int16, dst []uint8, stride int) {
	v := min(max(int32(first)<<2, -1<<15), 1<<15-1)
	p := uint8(min(max((v+1<<4)>>5, -128), 127) + 128)
	for y := range 8 {
		binary.LittleEndian.PutUint64(dst[y*stride:], uint64(p)*0x0101010101010101)
	}
}
