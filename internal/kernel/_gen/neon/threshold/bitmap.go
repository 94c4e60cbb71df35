package main

import "github.com/dl4go/dl4go/internal/kernel/_gen/neon"

// encodeBitmap makes words and changes the elements. A word's elements are only written if one of them changes.
func encodeBitmap(file *neon.File) {
	f := file.Func("encodeBitmapNEON", "func(dst *uint32, x *float32, words int, t, half float32) (result int)", 0,
		"is Set.EncodeBitmap for whole words; half is t/2.")
	dst, x, words, t := f.Param("dst"), f.Param("x"), f.Param("words"), f.Broadcast("t")
	minusHalf, sign, bits, total := f.Broadcast("half"), f.Const(1<<31), weights(f), zero(f)
	f.V2(neon.FNEG, minusHalf, minusHalf)
	f.Branch("CBZ", "done", words)
	f.Label("loop")
	v := load(f, x)
	var lows, highs []neon.V
	for j, e := range v {
		low, high := of2(f, neon.FACGE, e, t), of2(f, neon.FCMGE, minusHalf, e)
		any := of2(f, neon.ORR, low, high)
		step := choose(f, low, choose(f, sign, e, t), minusHalf)
		f.Move(e, choose(f, any, of2(f, neon.FSUB, e, step), e))
		f.V3(neon.SUB, total, total, any)
		lows, highs = append(lows, of2(f, neon.AND, low, bits[j])), append(highs, of2(f, neon.AND, high, bits[j]))
	}
	word, high, w := join(f, lows), join(f, highs), f.Reg()
	f.Shift(neon.SHL, high, high, 16)
	f.V3(neon.ORR, word, word, high)
	f.V2(neon.ADDV, word, word)
	f.Asm("FMOVS", word, w)
	f.Asm("MOVW.P", w, neon.Mem{Base: dst, Disp: 4})
	f.Branch("CBZW", "next", w)
	for j, e := range v {
		f.Store(e, neon.Mem{Base: x, Disp: 16 * j})
	}
	f.Label("next")
	f.Asm("ADD", 64, x, x)
	f.Asm("SUBS", 1, words, words)
	f.Branch("BNE", "loop")
	f.Label("done")
	result(f, total, "result")
}

// encodeScaled makes words and moves the elements that reach t.
func encodeScaled(file *neon.File) {
	f := file.Func("encodeScaledNEON", "func(dst *uint32, x *float32, words int, t, step float32) (result int, largest float32)", 0,
		"is Set.EncodeScaled for whole words.")
	dst, x, words, t, step := f.Param("dst"), f.Param("x"), f.Param("words"), f.Broadcast("t"), f.Broadcast("step")
	minusT, sign, bits, total := f.Vec(), f.Const(1<<31), weights(f), zero(f)
	largest, magnitude := zero(f), f.Vec()
	f.V2(neon.FNEG, minusT, t)
	f.Branch("CBZ", "done", words)
	f.Label("loop")
	v := load(f, x)
	var lows, highs []neon.V
	for j, e := range v {
		f.V2(neon.FABS, magnitude, e)
		f.V3(neon.UMAX, largest, largest, magnitude)
		low, high := of2(f, neon.FACGE, e, t), of2(f, neon.FCMGE, minusT, e)
		f.Move(e, choose(f, low, of2(f, neon.FSUB, e, choose(f, sign, e, step)), e))
		f.V3(neon.SUB, total, total, low)
		lows, highs = append(lows, of2(f, neon.AND, low, bits[j])), append(highs, of2(f, neon.AND, high, bits[j]))
	}
	word, high, w := join(f, lows), join(f, highs), f.Reg()
	f.Shift(neon.SHL, high, high, 16)
	f.V3(neon.ORR, word, word, high)
	f.V2(neon.ADDV, word, word)
	f.Asm("FMOVS", word, w)
	f.Asm("MOVW.P", w, neon.Mem{Base: dst, Disp: 4})
	f.Branch("CBZW", "next", w)
	for j, e := range v {
		f.Store(e, neon.Mem{Base: x, Disp: 16 * j})
	}
	f.Label("next")
	f.Asm("ADD", 64, x, x)
	f.Asm("SUBS", 1, words, words)
	f.Branch("BNE", "loop")
	f.Label("done")
	f.V2(neon.UMAXV, largest, largest)
	f.Asm("FMOVS", largest, f.Result("largest"))
	result(f, total, "result")
}

// addBitmap adds the values of words. The elements of an empty word are not touched.
func addBitmap(file *neon.File) {
	f := file.Func("addBitmapNEON", "func(x *float32, src *uint32, words int, t, half float32)", 0,
		"is Set.AddBitmap for whole words; half is t/2.")
	x, src, words, t := f.Param("x"), f.Param("src"), f.Param("words"), f.Broadcast("t")
	minusT, minusHalf, bits := f.Vec(), f.Broadcast("half"), weights(f)
	f.V2(neon.FNEG, minusT, t)
	f.V2(neon.FNEG, minusHalf, minusHalf)
	f.Branch("CBZ", "done", words)
	f.Label("loop")
	w := f.Reg()
	f.Asm("MOVWU.P", neon.Mem{Base: src, Disp: 4}, w)
	f.Branch("CBZW", "next", w)
	word, upper := f.Vec(), f.Vec()
	f.Dup(word, w)
	f.Shift(neon.USHR, upper, word, 16)
	for j, e := range load(f, x) {
		low, high := of2(f, neon.CMTST, word, bits[j]), of2(f, neon.CMTST, upper, bits[j])
		step := choose(f, high, choose(f, low, minusT, minusHalf), t)
		f.Store(choose(f, of2(f, neon.ORR, low, high), of2(f, neon.FADD, e, step), e), neon.Mem{Base: x, Disp: 16 * j})
	}
	f.Label("next")
	f.Asm("ADD", 64, x, x)
	f.Asm("SUBS", 1, words, words)
	f.Branch("BNE", "loop")
	f.Label("done")
	f.Return()
}

// countBitmap counts the values of four words at a time.
func countBitmap(file *neon.File) {
	f := file.Func("countBitmapNEON", "func(words *uint32, groups int) (result int)", 1,
		"counts the values in groups of four words.")
	words, groups, total, low := f.Param("words"), f.Param("groups"), zero(f), f.Const(0xffff)
	f.Branch("CBZ", "done", groups)
	f.Label("loop")
	v, high := f.Vec(), f.Vec()
	f.LoadNext(v, words)
	f.Shift(neon.USHR, high, v, 16)
	f.V3(neon.ORR, v, v, high)
	f.V3(neon.AND, v, v, low)
	f.V2(neon.CNT, v, v)
	f.V2(neon.UADDLP, v, v)
	f.V2(neon.UADALP, total, v)
	f.Asm("SUBS", 1, groups, groups)
	f.Branch("BNE", "loop")
	f.Label("done")
	result(f, total, "result")
}

// countMarks counts the lower bits of four words at a time, and keeps the upper bits that have no lower one.
func countMarks(file *neon.File) {
	f := file.Func("countMarksNEON", "func(words *uint32, groups int) (values int, alone uint64)", 1,
		"is Set.CountMarks for groups of four words. alone has signs without values.")
	words, groups, total, alone, low := f.Param("words"), f.Param("groups"), zero(f), zero(f), f.Const(0xffff)
	f.Branch("CBZ", "done", groups)
	f.Label("loop")
	v, high := f.Vec(), f.Vec()
	f.LoadNext(v, words)
	f.Shift(neon.USHR, high, v, 16)
	f.V3(neon.BIC, high, high, v)
	f.V3(neon.ORR, alone, alone, high)
	f.V3(neon.AND, v, v, low)
	f.V2(neon.CNT, v, v)
	f.V2(neon.UADDLP, v, v)
	f.V2(neon.UADALP, total, v)
	f.Asm("SUBS", 1, groups, groups)
	f.Branch("BNE", "loop")
	f.Label("done")
	any := f.Reg()
	f.V2(neon.UMAXV, alone, alone)
	f.Asm("FMOVS", alone, any)
	f.Asm("MOVWU", any, any)
	f.Asm("MOVD", any, f.Result("alone"))
	result(f, total, "values")
}
