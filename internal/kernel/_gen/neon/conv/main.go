// Command conv writes the kernels of convolutions for arm64.
package main

import "github.com/dl4go/dl4go/internal/kernel/_gen/neon"

func main() {
	f := neon.New("words")
	gather(f)
	collect(f)
	dot(f, 4)
	window(f, 12)
	f.Generate()
}

// fields loads the fields of a struct of operands.
type fields struct {
	*neon.Func
	d neon.R
}

func (f fields) field(offset int) neon.R {
	r := f.Reg()
	f.Asm("MOVD", neon.Mem{Base: f.d, Disp: offset}, r)
	return r
}

// bytes is a field that counts floats, in bytes.
func (f fields) bytes(offset int) neon.R {
	r := f.field(offset)
	f.Asm("LSL", 2, r, r)
	return r
}

// after returns the place that is a field's number of floats after base.
func (f fields) after(base neon.R, offset int) neon.R {
	r := f.bytes(offset)
	f.Asm("ADD", base, r, r)
	return r
}
