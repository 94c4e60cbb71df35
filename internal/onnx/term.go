package onnx

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// term is a function of one number z, as elementwise nodes compute it. Its functions have the names of
// [activation.Formula]. Terms may share arguments.
type term struct {
	name   string // "" for a number
	number float64
	args   []*term
}

// argument is z itself.
func argument() *term { return &term{name: "z"} }

func numberTerm(x float64) *term { return &term{number: x} }

func called(name string, args ...*term) *term { return &term{name: name, args: args} }

var unaryFunctions = map[program.UnaryKind]func(float64) float64{
	program.Neg: func(x float64) float64 { return -x }, program.Abs: math.Abs,
	program.Sign: func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return x
	},
	program.Sqrt: math.Sqrt, program.Square: func(x float64) float64 { return x * x },
	program.Reciprocal: func(x float64) float64 { return 1 / x }, program.Exp: math.Exp, program.Log: math.Log,
	program.Expm1: math.Expm1, program.Log1p: math.Log1p, program.Tanh: math.Tanh,
	program.Sigmoid:  func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	program.Softplus: func(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) },
	program.Floor:    math.Floor, program.Flush: func(x float64) float64 { return x }, "erf": math.Erf}

var binaryFunctions = map[program.BinaryKind]func(x, y float64) float64{
	program.Add:          func(x, y float64) float64 { return x + y },
	program.Sub:          func(x, y float64) float64 { return x - y },
	program.Mul:          func(x, y float64) float64 { return x * y },
	program.Div:          func(x, y float64) float64 { return x / y },
	program.Maximum:      func(x, y float64) float64 { return max(x, y) },
	program.Minimum:      func(x, y float64) float64 { return min(x, y) },
	program.Pow:          math.Pow,
	program.Greater:      func(x, y float64) float64 { return truth(x > y) },
	program.GreaterEqual: func(x, y float64) float64 { return truth(x >= y) },
	program.Equal:        func(x, y float64) float64 { return truth(x == y) }}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// values computes a term at several points. done holds what is computed already.
func (t *term) values(z []float64, done map[*term][]float64) []float64 {
	if y, ok := done[t]; ok {
		return y
	}
	var in [][]float64
	for _, a := range t.args {
		in = append(in, a.values(z, done))
	}
	y := make([]float64, len(z))
	for i := range y {
		switch {
		case t.name == "":
			y[i] = t.number
		case t.name == "z":
			y[i] = z[i]
		case t.name == "select":
			if y[i] = in[2][i]; in[0][i] != 0 {
				y[i] = in[1][i]
			}
		case len(in) == 1:
			y[i] = unaryFunctions[program.UnaryKind(t.name)](in[0][i])
		default:
			y[i] = binaryFunctions[program.BinaryKind(t.name)](in[0][i], in[1][i])
		}
	}
	done[t] = y
	return y
}

// formula returns the term as an activation.
func (t *term) formula() (activation.Formula, error) {
	var b strings.Builder
	if !t.write(&b) {
		return activation.Formula{}, fmt.Errorf("its formula has more than %d characters", activation.LongestFormula)
	}
	return activation.NewFormula(b.String())
}

// write writes a term as text. It gives up when the text becomes too long, and says so.
func (t *term) write(b *strings.Builder) (whole bool) {
	if b.Len() > activation.LongestFormula {
		return false
	}
	if t.name == "" {
		b.WriteString(strconv.FormatFloat(t.number, 'g', -1, 32))
		return true
	}
	b.WriteString(t.name)
	mark := "("
	for _, a := range t.args {
		if b.WriteString(mark); !a.write(b) {
			return false
		}
		mark = ", "
	}
	if len(t.args) > 0 {
		b.WriteString(")")
	}
	return true
}

// termOf returns an activation of a term.
func termOf(a activation.Activation, of *term) *term {
	b := program.NewBuilder()
	z := b.Input("z", 1)
	return termOfValue(a.Apply(b, z, activation.Env{}), map[*program.Value]*term{z: of})
}

// termOfValue returns a value of a program as a term; nil if it has other operations than terms have.
func termOfValue(v *program.Value, known map[*program.Value]*term) *term {
	if t, ok := known[v]; ok {
		return t
	}
	if v.Kind == program.FromConst && len(v.Const) == 1 {
		return numberTerm(v.Const[0])
	}
	if v.Kind != program.FromNode {
		return nil
	}
	var args []*term
	for _, w := range v.Node.In {
		t := termOfValue(w, known)
		if t == nil {
			return nil
		}
		args = append(args, t)
	}
	var t *term
	switch op := v.Node.Op.(type) {
	case program.Unary:
		t = called(string(op.Kind), args...)
	case program.Binary:
		t = called(string(op.Kind), args...)
	case program.Select:
		t = called("select", args...)
	case program.StopGradient, program.WithGradient:
		t = args[0]
	}
	known[v] = t
	return t
}
