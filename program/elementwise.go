package program

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/tensor"
)

// UnaryKind is a function of one element.
type UnaryKind string

// The functions of one element. Sign is -1, 0 or 1, and NaN for NaN; Sigmoid is 1/(1+e^-x); Softplus is log(1+e^x).
// Flush is x, but 0 for denormals, |x| below 2⁻¹²⁶, on which processors are slow.
const (
	Neg        UnaryKind = "neg"
	Abs        UnaryKind = "abs"
	Sign       UnaryKind = "sign"
	Sqrt       UnaryKind = "sqrt"
	Square     UnaryKind = "square"
	Reciprocal UnaryKind = "reciprocal"
	Exp        UnaryKind = "exp"
	Log        UnaryKind = "log"
	Expm1      UnaryKind = "expm1"
	Log1p      UnaryKind = "log1p"
	Tanh       UnaryKind = "tanh"
	Sigmoid    UnaryKind = "sigmoid"
	Softplus   UnaryKind = "softplus"
	Floor      UnaryKind = "floor"
	Flush      UnaryKind = "flush"
)

// UnaryKinds lists the functions of one element.
func UnaryKinds() []UnaryKind {
	return []UnaryKind{Neg, Abs, Sign, Sqrt, Square, Reciprocal, Exp, Log, Expm1, Log1p, Tanh, Sigmoid,
		Softplus, Floor, Flush}
}

// Unary applies Kind to each element: y = f(x).
type Unary struct{ Kind UnaryKind }

// Name is "unary".
func (o Unary) Name() string { return "unary" }

// Infer keeps the shape.
func (o Unary) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 1 {
		return nil, fmt.Errorf("takes one operand")
	}
	if !slices.Contains(UnaryKinds(), o.Kind) {
		return nil, fmt.Errorf("there is no function %q", o.Kind)
	}
	return in, nil
}

// Grad is dy · f'(x), written with y if that is cheaper.
func (o Unary) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	x, y, dy := n.In[0], n.Out[0], dout[0]
	one := b.Scalar(1)
	var d *Value
	switch o.Kind {
	case Neg:
		return []*Value{b.Neg(dy)}
	case Flush:
		return []*Value{dy}
	case Abs:
		d = b.Unary(Sign, x)
	case Sign, Floor:
		return []*Value{nil}
	case Sqrt:
		return []*Value{b.Div(b.Mul(dy, b.Scalar(0.5)), y)}
	case Square:
		d = b.Mul(x, b.Scalar(2))
	case Reciprocal:
		d = b.Neg(b.Unary(Square, y))
	case Exp:
		d = y
	case Log:
		return []*Value{b.Div(dy, x)}
	case Expm1:
		d = b.Add(y, one)
	case Log1p:
		return []*Value{b.Div(dy, b.Add(x, one))}
	case Tanh:
		d = b.Sub(one, b.Unary(Square, y))
	case Sigmoid:
		d = b.Mul(y, b.Sub(one, y))
	case Softplus:
		d = b.Unary(Sigmoid, x)
	}
	return []*Value{b.Mul(dy, d)}
}

// BinaryKind is a function of two elements.
type BinaryKind string

// The functions of two elements. Maximum and Minimum return NaN if an operand is NaN; comparisons return 1 or 0.
const (
	Add          BinaryKind = "add"
	Sub          BinaryKind = "sub"
	Mul          BinaryKind = "mul"
	Div          BinaryKind = "div"
	Maximum      BinaryKind = "max"
	Minimum      BinaryKind = "min"
	Pow          BinaryKind = "pow"
	Greater      BinaryKind = "greater"
	GreaterEqual BinaryKind = "greaterequal"
	Equal        BinaryKind = "equal"
)

// BinaryKinds lists the functions of two elements.
func BinaryKinds() []BinaryKind {
	return []BinaryKind{Add, Sub, Mul, Div, Maximum, Minimum, Pow, Greater, GreaterEqual, Equal}
}

// Binary applies Kind element by element. It broadcasts like NumPy: shapes are aligned at the last dimension, and an
// extent of 1 is repeated.
type Binary struct{ Kind BinaryKind }

// Name is "binary".
func (o Binary) Name() string { return "binary" }

// Infer returns the broadcast shape.
func (o Binary) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 2 {
		return nil, fmt.Errorf("takes two operands")
	}
	if !slices.Contains(BinaryKinds(), o.Kind) {
		return nil, fmt.Errorf("there is no function %q", o.Kind)
	}
	s, err := Broadcast(in[0], in[1])
	return []tensor.Shape{s}, err
}

// Broadcast returns the common shape to which both shapes are repeated, as [Binary] does. It fails if there is none.
func Broadcast(x, y tensor.Shape) (tensor.Shape, error) {
	if len(x) < len(y) {
		x, y = y, x
	}
	out := x.Clone()
	lead := len(x) - len(y)
	for i, d := range y {
		switch {
		case out[lead+i] == d || d == 1:
		case out[lead+i] == 1:
			out[lead+i] = d
		default:
			return nil, fmt.Errorf("shapes %v and %v do not broadcast", x, y)
		}
	}
	return out, nil
}

// Grad sends the gradient to both operands, summed over repeated elements. If Maximum's or Minimum's operands are
// equal, the second one gets it, so that the gradient of max(x, 0) at 0 is 0, as in Deeplearning4j's ReLU.
func (o Binary) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	x, z, y, dy := n.In[0], n.In[1], n.Out[0], dout[0]
	var dx, dz *Value
	switch o.Kind {
	case Add:
		dx, dz = dy, dy
	case Sub:
		dx, dz = dy, b.Neg(dy)
	case Mul:
		dx, dz = b.Mul(dy, z), b.Mul(dy, x)
	case Div:
		dx = b.Div(dy, z)
		dz = b.Neg(b.Mul(dx, y))
	case Maximum:
		m := b.Binary(Greater, x, z)
		dx, dz = b.Mul(dy, m), b.Mul(dy, b.Sub(b.Scalar(1), m))
	case Minimum:
		m := b.Binary(Greater, z, x)
		dx, dz = b.Mul(dy, m), b.Mul(dy, b.Sub(b.Scalar(1), m))
	case Pow:
		dx = b.Mul(dy, b.Mul(z, b.Binary(Pow, x, b.Sub(z, b.Scalar(1)))))
		dz = b.Mul(dy, b.Mul(y, b.Unary(Log, x)))
	default:
		return []*Value{nil, nil}
	}
	return []*Value{b.sumTo(dx, x.Shape), b.sumTo(dz, z.Shape)}
}

// Select returns x where cond is not 0 and z elsewhere. The three broadcast like Binary's operands.
type Select struct{}

// Name is "select".
func (Select) Name() string { return "select" }

// Infer returns the broadcast shape.
func (Select) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 3 {
		return nil, fmt.Errorf("takes three operands")
	}
	s, err := Broadcast(in[0], in[1])
	if err == nil {
		s, err = Broadcast(s, in[2])
	}
	return []tensor.Shape{s}, err
}

// Grad sends the gradient to the selected operand; none flows to cond.
func (Select) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	zero := b.Scalar(0)
	return []*Value{nil,
		b.sumTo(b.Apply(Select{}, n.In[0], dout[0], zero), n.In[1].Shape),
		b.sumTo(b.Apply(Select{}, n.In[0], zero, dout[0]), n.In[2].Shape)}
}
