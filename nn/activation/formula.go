package activation

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/program"
)

// Formula is a function of z that is written as calls, such as "mul(z, sigmoid(mul(1.5, z)))". It keeps the activations
// of ONNX models for which there is no class.
//
// The functions are those of [program.UnaryKinds] and [program.BinaryKinds], "erf", and "select", which is its second
// argument where the first one is not 0, and else its third. Arguments are calls, numbers, and z. No text means z.
//
// Deeplearning4j differs: it has no such class.
type Formula struct {
	Text string `dl4j:"formula"`
}

// NewFormula returns the activation, or an error that says what is wrong with the text.
func NewFormula(text string) (Formula, error) {
	_, err := parsed(text)
	return Formula{text}, err
}

// UnmarshalTree reads a formula, and refuses one that is malformed.
func (a *Formula) UnmarshalTree(tree any) error {
	o, _ := tree.(dl4j.Object)
	text := ""
	for _, m := range o {
		value, isText := m.Value.(string)
		switch {
		case m.Name == "@class":
		case m.Name == "formula" && isText:
			text = value
		default:
			return errors.New(`there should be a text "formula" and nothing else`)
		}
	}
	var err error
	*a, err = NewFormula(text)
	return err
}

// MarshalTree writes the formula.
func (a Formula) MarshalTree() (any, error) {
	return dl4j.Object{{Name: "formula", Value: cmp.Or(a.Text, "z")}}, nil
}

// Apply is the formula.
func (a Formula) Apply(b *program.Builder, z *program.Value, _ Env) *program.Value {
	t, err := parsed(a.Text)
	if err != nil {
		panic(&program.ShapeError{Op: "formula", Reason: err.Error()})
	}
	return t.emit(b, z)
}

// The limits of formulas.
const (
	LongestFormula = 4096 // characters
	deepestFormula = 256  // calls within each other
)

// call is a part of a formula: a call of a function, a number if the name is empty, or z.
type call struct {
	name   string
	number float64
	args   []call
}

func (c call) emit(b *program.Builder, z *program.Value) *program.Value {
	var x []*program.Value
	for _, a := range c.args {
		x = append(x, a.emit(b, z))
	}
	switch {
	case c.name == "":
		return b.Scalar(c.number)
	case c.name == "z":
		return z
	case c.name == "select":
		return b.Select(x[0], x[1], x[2])
	case c.name == "erf":
		return erf(b, x[0])
	case len(x) == 1:
		return b.Unary(program.UnaryKind(c.name), x[0])
	}
	return b.Binary(program.BinaryKind(c.name), x[0], x[1])
}

// erf is the error function, by formula 7.1.26 of Abramowitz and Stegun, with its exact derivative.
func erf(b *program.Builder, x *program.Value) *program.Value {
	bell := b.Unary(program.Exp, b.Neg(b.Unary(program.Square, x)))
	tail := b.Mul(erfTail(b, b.Unary(program.Abs, x)), bell)
	y := b.Mul(b.Unary(program.Sign, x), b.Sub(b.Scalar(1), tail))
	return b.WithGradient(y, x, b.Mul(bell, b.Scalar(2/math.Sqrt(math.Pi))))
}

// arguments is the number of a function's arguments; 0 if there is no such function.
func arguments(name string) int {
	switch {
	case name == "select":
		return 3
	case name == "erf", slices.Contains(program.UnaryKinds(), program.UnaryKind(name)):
		return 1
	case slices.Contains(program.BinaryKinds(), program.BinaryKind(name)):
		return 2
	}
	return 0
}

// parsed reads a formula.
func parsed(text string) (call, error) {
	if len(text) > LongestFormula {
		return call{}, fmt.Errorf("a formula has %d characters: at most %d are read", len(text), LongestFormula)
	}
	p := formulaReader{text: cmp.Or(text, "z")}
	c, err := p.call(0)
	if p.space(); err == nil && p.text != "" {
		err = fmt.Errorf("%q follows the formula", p.text)
	}
	if err == nil && !p.varies {
		err = errors.New("it does not depend on z")
	}
	if err != nil {
		return call{}, fmt.Errorf("formula %q: %w", shortened(text), err)
	}
	return c, nil
}

// formulaReader reads a formula's text from left to right.
type formulaReader struct {
	text   string // what is left
	varies bool   // z was read
}

func (p *formulaReader) space() { p.text = strings.TrimLeft(p.text, " ") }

// take removes a mark. ok is false if another one is there.
func (p *formulaReader) take(mark string) (ok bool) {
	p.space()
	p.text, ok = strings.CutPrefix(p.text, mark)
	return ok
}

func (p *formulaReader) call(depth int) (c call, err error) {
	if depth > deepestFormula {
		return c, fmt.Errorf("more than %d calls lie within each other", deepestFormula)
	}
	p.space()
	end := strings.IndexAny(p.text, "(), ")
	if end < 0 {
		end = len(p.text)
	}
	word := p.text[:end]
	p.text = p.text[end:]
	if word == "z" {
		p.varies = true
		return call{name: word}, nil
	}
	count := arguments(word)
	if count == 0 {
		if c.number, err = strconv.ParseFloat(word, 64); err != nil || c.number-c.number != 0 {
			return c, fmt.Errorf("%q is neither a function, nor a number, nor z", shortened(word))
		}
		return c, nil
	}
	c.name = word
	for i := range count {
		mark := ","
		if i == 0 {
			mark = "("
		}
		if !p.take(mark) {
			return c, fmt.Errorf("%s takes %d arguments in brackets", word, count)
		}
		a, err := p.call(depth + 1)
		if err != nil {
			return c, err
		}
		c.args = append(c.args, a)
	}
	if !p.take(")") {
		return c, fmt.Errorf("%s takes %d arguments in brackets", word, count)
	}
	return c, nil
}

func shortened(text string) string {
	if len(text) > 60 {
		return text[:60] + "…"
	}
	return text
}
