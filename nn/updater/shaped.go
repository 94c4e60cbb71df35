package updater

import (
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Shaped is an updater that treats matrices otherwise than vectors, such as one that averages over rows and columns. A
// network updates each of its parameters alone, by the updater that For returns. The methods of the Shaped itself are
// those for a vector.
type Shaped interface {
	Updater
	// For returns the updater of a parameter. It has the same scalars.
	For(p Parameter) Updater
}

// Sized is an updater of [Shaped.For] whose state arrays are not as long as its parameter. Emit gets and returns them
// flat.
type Sized interface {
	Updater
	// StateSize returns the length of state array i.
	StateSize(i int) int
}

// Parameter is what a [Shaped] updater knows of a parameter.
type Parameter struct {
	Name string // in its layer, such as "W"
	// Shape has the extents of the elements in the flat vector, in C order.
	Shape tensor.Shape
	// Rows and Columns are the dimensions of Shape that make matrices: for weights, those of the inputs and of the
	// outputs. They are equal for biases, scales and other vectors.
	Rows, Columns int
	// Table is true if a layer looks up rows, as an embedding does.
	Table bool
}

// IsMatrix reports whether the parameter is a matrix, or several along the other dimensions.
func (p Parameter) IsMatrix() bool { return p.Rows != p.Columns }

// Equal compares all members.
func (p Parameter) Equal(q Parameter) bool {
	return p.Name == q.Name && p.Shape.Equal(q.Shape) && p.Rows == q.Rows && p.Columns == q.Columns && p.Table == q.Table
}

// meanOf returns the mean of x along some dimensions, which stay with extent 1.
func meanOf(b *program.Builder, x *program.Value, dims ...int) *program.Value {
	n := 1
	for _, d := range dims {
		n *= x.Shape[d]
	}
	return b.Mul(b.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(dims...), Keep: true}, x),
		b.Scalar(1/float64(n)))
}

// rootMeanSquare returns the root of the mean square of all elements of x, a scalar.
func rootMeanSquare(b *program.Builder, x *program.Value) *program.Value {
	return b.Unary(program.Sqrt, b.Mul(b.SumAll(b.Unary(program.Square, x)), b.Scalar(1/float64(x.Shape.Size()))))
}
