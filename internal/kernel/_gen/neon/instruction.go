package neon

import "fmt"

// Op is an instruction with the registers d, n and m, in that order.
type Op struct {
	name  string
	bits  uint32
	shape string // of the registers
}

// Instructions of three vectors. BSL, FMLA and FMLS also read d: BSL takes n where d is set and m elsewhere, FMLA is
// d + n·m, FMLS d - n·m.
var (
	FADD  = Op{"fadd", 0x4e20d400, "4s"}
	FSUB  = Op{"fsub", 0x4ea0d400, "4s"}
	FMUL  = Op{"fmul", 0x6e20dc00, "4s"}
	FDIV  = Op{"fdiv", 0x6e20fc00, "4s"}
	FMLA  = Op{"fmla", 0x4e20cc00, "4s"}
	FMLS  = Op{"fmls", 0x4ea0cc00, "4s"}
	FMAX  = Op{"fmax", 0x4e20f400, "4s"}
	FMIN  = Op{"fmin", 0x4ea0f400, "4s"}
	FCMEQ = Op{"fcmeq", 0x4e20e400, "4s"}
	FCMGE = Op{"fcmge", 0x6e20e400, "4s"}
	FCMGT = Op{"fcmgt", 0x6ea0e400, "4s"}
	FACGE = Op{"facge", 0x6e20ec00, "4s"}
	FADDP = Op{"faddp", 0x6e20d400, "4s"}
	AND   = Op{"and", 0x4e201c00, "16b"}
	BIC   = Op{"bic", 0x4e601c00, "16b"}
	ORR   = Op{"orr", 0x4ea01c00, "16b"}
	ORN   = Op{"orn", 0x4ee01c00, "16b"}
	EOR   = Op{"eor", 0x6e201c00, "16b"}
	BSL   = Op{"bsl", 0x6e601c00, "16b"}
	ADD   = Op{"add", 0x4ea08400, "4s"}
	SUB   = Op{"sub", 0x6ea08400, "4s"}
	MUL   = Op{"mul", 0x4ea09c00, "4s"}
	SMIN  = Op{"smin", 0x4ea06c00, "4s"}
	UMAX  = Op{"umax", 0x6ea06400, "4s"}
	CMGT  = Op{"cmgt", 0x4ea03400, "4s"}
	CMTST = Op{"cmtst", 0x4ea08c00, "4s"}
	TRN1  = Op{"trn1", 0x4e802800, "4s"}
	TRN2  = Op{"trn2", 0x4e806800, "4s"}
	UZP1  = Op{"uzp1", 0x4e801800, "4s"}
	UZP2  = Op{"uzp2", 0x4e805800, "4s"}
	ZIP1  = Op{"zip1", 0x4e803800, "4s"}
	ZIP2  = Op{"zip2", 0x4e807800, "4s"}
	TRN1D = Op{"trn1", 0x4ec02800, "2d"}
	TRN2D = Op{"trn2", 0x4ec06800, "2d"}
)

// V3 adds an instruction of three vectors.
func (f *Func) V3(op Op, d, n, m V) {
	s := "." + op.shape
	f.words(op.bits, op.name+" %s"+s+", %s"+s+", %s"+s, []int{0, 5, 16}, []string{"v%d", "v%d", "v%d"}, d, n, m)
}

// Op2 is an instruction with the registers d and n.
type Op2 struct {
	name   string
	bits   uint32
	to, of string // the registers' shapes; or the name of d's first element
}

// Instructions of two vectors.
var (
	FABS   = Op2{"fabs", 0x4ea0f800, ".4s", ".4s"}
	FNEG   = Op2{"fneg", 0x6ea0f800, ".4s", ".4s"}
	FSQRT  = Op2{"fsqrt", 0x6ea1f800, ".4s", ".4s"}
	FRINTN = Op2{"frintn", 0x4e218800, ".4s", ".4s"} // to the nearest whole number
	FRINTM = Op2{"frintm", 0x4e219800, ".4s", ".4s"} // down
	FCVTZS = Op2{"fcvtzs", 0x4ea1b800, ".4s", ".4s"}
	SCVTF  = Op2{"scvtf", 0x4e21d800, ".4s", ".4s"}
	CNT    = Op2{"cnt", 0x4e205800, ".16b", ".16b"}
	UADDLP = Op2{"uaddlp", 0x6e202800, ".8h", ".16b"}
	UADALP = Op2{"uadalp", 0x6e606800, ".4s", ".8h"} // adds to d
	XTN    = Op2{"xtn", 0x0e612800, ".4h", ".4s"}
	XTN2   = Op2{"xtn2", 0x4e612800, ".8h", ".4s"}
	XTNB   = Op2{"xtn", 0x0e212800, ".8b", ".8h"}
	XTN2B  = Op2{"xtn2", 0x4e212800, ".16b", ".8h"}
	ADDV   = Op2{"addv", 0x4eb1b800, "s", ".4s"}
	UADDLV = Op2{"uaddlv", 0x6eb03800, "d", ".4s"}
	UMAXV  = Op2{"umaxv", 0x6eb0a800, "s", ".4s"}
)

// V2 adds an instruction of two vectors.
func (f *Func) V2(op Op2, d, n V) {
	spell := "v%d" + op.to
	if op.to == "s" || op.to == "d" {
		spell = op.to + "%d"
	}
	f.words(op.bits, op.name+" %s, %s"+op.of, []int{0, 5}, []string{spell, "v%d"}, d, n)
}

// Move copies n to d.
func (f *Func) Move(d, n V) { f.V3(ORR, d, n, n) }

// Zero clears d.
func (f *Func) Zero(d V) { f.words(0x4f000400, "movi %s.4s, #0", []int{0}, []string{"v%d"}, d) }

// MulAdd adds n·m[lane] to d, with one rounding.
func (f *Func) MulAdd(d, n, m V, lane int) {
	bits := uint32(0x4f801000 | lane&1<<21 | lane>>1<<11)
	f.words(bits, fmt.Sprintf("fmla %%s.4s, %%s.4s, %%s.s[%d]", lane), []int{0, 5, 16},
		[]string{"v%d", "v%d", "v%d"}, d, n, m)
}

// Dup sets all elements of d to the low half of r.
func (f *Func) Dup(d V, r R) {
	f.words(0x4e040c00, "dup %s.4s, %s", []int{0, 5}, []string{"v%d", "w%d"}, d, r)
}

// Lane sets all elements of d to that element of n.
func (f *Func) Lane(d, n V, lane int) {
	bits := uint32(0x4e000400 | (lane<<3|4)<<16)
	f.words(bits, fmt.Sprintf("dup %%s.4s, %%s.s[%d]", lane), []int{0, 5}, []string{"v%d", "v%d"}, d, n)
}

// Shift names the shifts of whole numbers.
type Shift struct {
	name string
	bits uint32
	left bool
}

// Shifts of the elements: left, right with zeros, right with the sign.
var (
	SHL  = Shift{"shl", 0x4f005400, true}
	USHR = Shift{"ushr", 0x6f000400, false}
	SSHR = Shift{"sshr", 0x4f000400, false}
)

// Shift sets d to n's elements shifted by count bits.
func (f *Func) Shift(s Shift, d, n V, count int) {
	field := 64 - count
	if s.left {
		field = 32 + count
	}
	f.words(s.bits|uint32(field)<<16, fmt.Sprintf("%s %%s.4s, %%s.4s, #%d", s.name, count), []int{0, 5},
		[]string{"v%d", "v%d"}, d, n)
}

// Narrow sets the 16 nibbles of d's low half to those of n's bytes, which are 0 or 255.
func (f *Func) Narrow(d, n V) {
	f.words(0x0f0c8400, "shrn %s.8b, %s.8h, #4", []int{0, 5}, []string{"v%d", "v%d"}, d, n)
}
