// Package neon writes kernels for arm64 in Go's assembly. Go's assembler has few vector instructions. So all of them
// are written as WORD with their names in a comment. Registers are virtual until a function is finished.
package neon

import (
	"fmt"
	"strings"
)

// V is a vector register of four floats, R a general register.
type (
	V struct{ id int }
	R struct{ id int }
)

// Mem is a place in memory: Disp bytes after Base.
type Mem struct {
	Base R
	Disp int
}

// Func is a function whose instructions are collected.
type Func struct {
	file      *File
	name, doc string
	signature string
	params    map[string]param
	size      int // of parameters and results

	start, body []line // start has the constants
	labels      map[string]int
	loops       [][2]int
	vectors     int // numbers of virtual registers
	generals    int
	unique      int

	constants R
	hoisted   map[uint32]V
	limit     int // of hoisted
}

// line is an instruction or a label. Text has a %s for each register.
type line struct {
	label   string
	text    string
	args    []any    // V or R
	word    uint32   // if the instruction is written as a word
	shifts  []int    // the places of the registers' numbers in it
	comment string   // has a %s for each register too
	spell   []string // how each argument is spelled: "v%d", "F%d", …
}

// Vec returns a fresh vector register.
func (f *Func) Vec() V { f.vectors++; return V{f.vectors} }

// Reg returns a fresh general register.
func (f *Func) Reg() R { f.generals++; return R{f.generals} }

// Asm adds an instruction of Go's assembler. An operand is an R, an int (a constant), a Mem or a string, which is
// written as it is.
func (f *Func) Asm(name string, operands ...any) {
	l := line{}
	var text []string
	reg := func(r R) string {
		l.args, l.spell = append(l.args, r), append(l.spell, "R%d")
		return "%s"
	}
	for _, o := range operands {
		switch o := o.(type) {
		case R:
			text = append(text, reg(o))
		case V:
			l.args, l.spell = append(l.args, o), append(l.spell, "F%d")
			text = append(text, "%s")
		case int:
			text = append(text, fmt.Sprintf("$%d", o))
		case Mem:
			text = append(text, fmt.Sprintf("%d(%s)", o.Disp, reg(o.Base)))
		case string:
			text = append(text, o)
		default:
			panic(fmt.Sprintf("%s: operand %T", name, o))
		}
	}
	l.text = name + " " + strings.Join(text, ", ")
	f.body = append(f.body, l)
}

// words adds an instruction of the given bits. Each argument's number is shifted by its shift.
func (f *Func) words(bits uint32, comment string, shifts []int, spell []string, args ...any) {
	f.body = append(f.body, line{word: bits, comment: comment, shifts: shifts, spell: spell, args: args})
}

// Label marks a place.
func (f *Func) Label(name string) {
	f.labels[name] = len(f.body)
	f.body = append(f.body, line{label: name})
}

// Unique returns a new name for a label.
func (f *Func) Unique(name string) string {
	f.unique++
	return fmt.Sprintf("%s_%d", name, f.unique)
}

// Branch adds a branch: B, BEQ, CBZ, …. The label is the last operand. A label that was marked before begins a loop.
func (f *Func) Branch(name, label string, operands ...any) {
	if at, ok := f.labels[label]; ok {
		f.loops = append(f.loops, [2]int{at, len(f.body)})
	}
	f.Asm(name, append(operands, label)...)
}

// Return ends a path of the function.
func (f *Func) Return() { f.body = append(f.body, line{text: "RET"}) }

// Param loads a parameter of 8 bytes.
func (f *Func) Param(name string) R {
	r := f.Reg()
	f.Asm("MOVD", f.at(name, 8), r)
	return r
}

// Broadcast loads a parameter of 4 bytes into all elements of a vector.
func (f *Func) Broadcast(name string) V {
	v := f.Vec()
	f.Dup(v, f.Param32(name))
	return v
}

// Param32 loads a parameter of 4 bytes.
func (f *Func) Param32(name string) R {
	r := f.Reg()
	f.Asm("MOVWU", f.at(name, 4), r)
	return r
}

func (f *Func) at(name string, size int) string {
	p, ok := f.params[name]
	if !ok || p.size != size {
		panic(f.name + ": no parameter " + name)
	}
	return fmt.Sprintf("%s+%d(FP)", name, p.offset)
}

// Result returns the place of a result.
func (f *Func) Result(name string) string {
	p, ok := f.params[name]
	if !ok {
		panic(f.name + ": no result " + name)
	}
	return fmt.Sprintf("%s+%d(FP)", name, p.offset)
}

// Const returns a vector of equal elements with these bits. The first ones of a function stay in registers.
func (f *Func) Const(bits uint32) V {
	if v, ok := f.hoisted[bits]; ok {
		return v
	}
	if f.constants == (R{}) {
		f.constants = f.Reg()
		body := f.body
		f.body = f.start
		f.Asm("MOVD", "$"+f.file.name+"<>(SB)", f.constants)
		f.start, f.body = f.body, body
	}
	v := f.Vec()
	m := Mem{f.constants, f.file.constant([4]uint32{bits, bits, bits, bits})}
	if len(f.hoisted) >= f.limit {
		f.Load(v, m)
		return v
	}
	body := f.body
	f.body = f.start
	f.Load(v, m)
	f.start, f.body = f.body, body
	f.hoisted[bits] = v
	return v
}

// Words returns a vector with these elements. It is loaded where it is used.
func (f *Func) Words(elements [4]uint32) V {
	f.Const(elements[0]) // for the pointer
	v := f.Vec()
	f.Load(v, Mem{f.constants, f.file.constant(elements)})
	return v
}
