package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// broadcast returns a vector of the 16-bit parameter.
func broadcast(name string) reg.VecVirtual {
	c, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	v := YMM()
	VPBROADCASTW(c.Addr, v)
	return v
}

func blend() {
	TEXT("blendAVX2", NOSPLIT, "func(dst *uint16, near, far *uint8, groups int)")
	Doc("blendAVX2 is Set.Blend for groups of 16 samples.")
	Pragma("noescape")
	dst, near, far, n := param("dst"), param("near"), param("far"), param("groups")
	repeat(n, func() {
		v, w := YMM(), YMM()
		VPMOVZXBW(Mem{Base: near}, v)
		VPMOVZXBW(Mem{Base: far}, w)
		VPADDW(v, w, w)
		VPADDW(v, v, v)
		VPADDW(v, w, w)
		VMOVDQU(w, Mem{Base: dst})
		ADDQ(U8(16), near)
		ADDQ(U8(16), far)
		ADDQ(U8(32), dst)
	})
}

func widen() {
	TEXT("widenAVX2", NOSPLIT, "func(dst *uint8, src *uint16, groups int, even, odd uint16)")
	Doc("widenAVX2 is Set.Widen for groups of 16 of src.")
	Pragma("noescape")
	dst, src, n := param("dst"), param("src"), param("groups")
	even, odd := broadcast("even"), broadcast("odd")
	repeat(n, func() {
		v, w, x := YMM(), YMM(), YMM()
		VMOVDQU(Mem{Base: src, Disp: 2}, v)
		VPADDW(v, v, w)
		VPADDW(v, w, w)
		VPADDW(Mem{Base: src, Disp: 4}, w, x)
		VPADDW(Mem{Base: src}, w, w)
		VPADDW(even, w, w)
		VPADDW(odd, x, x)
		VPSRLW(U8(4), w, w)
		VPSRLW(U8(4), x, x)
		VPSLLW(U8(8), x, x)
		VPOR(x, w, w)
		VMOVDQU(w, Mem{Base: dst})
		ADDQ(U8(32), src)
		ADDQ(U8(32), dst)
	})
}

// interleave returns the masks that put channel c's bytes of 16 pixels into part i of 48 bytes.
func interleave() (masks [3][3]Mem) {
	names := [3][3]string{{"red0", "red1", "red2"}, {"green0", "green1", "green2"}, {"blue0", "blue1", "blue2"}}
	for c := range 3 {
		for i := range 3 {
			masks[c][i] = GLOBL(names[c][i], RODATA|NOPTR)
			for j := range 16 {
				at := 16*i + j
				from := uint8(0x80)
				if at%3 == c {
					from = uint8(at / 3)
				}
				DATA(j, U8(from))
			}
		}
	}
	return masks
}

// colours computes in 16 bits: it multiplies by the fraction of a constant and adds the whole multiples.
func colours() {
	middle := words("chromaMiddle", 128)
	one := words("one", 1)
	redByRed, blueByBlue := words("redByRed", 91881-65536), words("blueByBlue", 116130-2*65536)
	green := words("green", -22554, 65536-46802)
	round := doublewords("roundGreen", 1<<15)
	masks := interleave()
	TEXT("coloursAVX2", NOSPLIT, "func(dst, y, cb, cr *uint8, groups int)")
	Doc("coloursAVX2 is Set.Colours for groups of 16 pixels.")
	Pragma("noescape")
	dst, y, cb, cr, n := param("dst"), param("y"), param("cb"), param("cr"), param("groups")
	fraction := func(twice reg.VecVirtual, by Mem) reg.VecVirtual { // rounded
		v := YMM()
		VPMULHW(by, twice, v)
		VPADDW(one, v, v)
		VPSRAW(U8(1), v, v)
		return v
	}
	repeat(n, func() {
		luma, blue, red := YMM(), YMM(), YMM()
		VPMOVZXBW(Mem{Base: y}, luma)
		VPMOVZXBW(Mem{Base: cb}, blue)
		VPMOVZXBW(Mem{Base: cr}, red)
		VPSUBW(middle, blue, blue)
		VPSUBW(middle, red, red)
		low, high := YMM(), YMM()
		VPUNPCKLWD(red, blue, low)
		VPUNPCKHWD(red, blue, high)
		for _, v := range []reg.VecVirtual{low, high} {
			VPMADDWD(green, v, v)
			VPADDD(round, v, v)
			VPSRAD(U8(16), v, v)
		}
		g := YMM()
		VPACKSSDW(high, low, g)
		VPSUBW(red, g, g)
		VPADDW(luma, g, g)
		twice := YMM()
		VPADDW(red, red, twice)
		r := fraction(twice, redByRed)
		VPADDW(red, r, r)
		VPADDW(luma, r, r)
		VPADDW(blue, blue, twice)
		b := fraction(twice, blueByBlue)
		VPADDW(twice, b, b)
		VPADDW(luma, b, b)
		var channels [3]reg.VecVirtual
		for c, v := range []reg.VecVirtual{r, g, b} {
			upper := XMM()
			VEXTRACTI128(U8(1), v, upper)
			VPACKUSWB(upper, v.AsX(), upper)
			channels[c] = upper
		}
		for i := range 3 {
			all, part := XMM(), XMM()
			VPSHUFB(masks[0][i], channels[0], all)
			for c := 1; c < 3; c++ {
				VPSHUFB(masks[c][i], channels[c], part)
				VPOR(part, all, all)
			}
			VMOVDQU(all, Mem{Base: dst, Disp: 16 * i})
		}
		ADDQ(U8(16), y)
		ADDQ(U8(16), cb)
		ADDQ(U8(16), cr)
		ADDQ(U8(48), dst)
	})
}
