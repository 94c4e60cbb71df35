package program

import "github.com/dl4go/dl4go/tensor"

// These methods make a layer's code read like its formula.

// Unary applies a function of one element.
func (b *Builder) Unary(kind UnaryKind, x *Value) *Value { return b.Apply(Unary{kind}, x) }

// Binary applies a function of two elements, broadcasting.
func (b *Builder) Binary(kind BinaryKind, x, y *Value) *Value { return b.Apply(Binary{kind}, x, y) }

// Neg is −x.
func (b *Builder) Neg(x *Value) *Value { return b.Unary(Neg, x) }

// Add is x + y.
func (b *Builder) Add(x, y *Value) *Value {
	switch {
	case isFill(x, 0) && broadcastsInto(x, y):
		return y
	case isFill(y, 0) && broadcastsInto(y, x):
		return x
	}
	return b.Binary(Add, x, y)
}

// Sub is x − y.
func (b *Builder) Sub(x, y *Value) *Value { return b.Binary(Sub, x, y) }

// Mul is x · y.
func (b *Builder) Mul(x, y *Value) *Value {
	switch {
	case isFill(x, 1) && broadcastsInto(x, y):
		return y
	case isFill(y, 1) && broadcastsInto(y, x):
		return x
	}
	return b.Binary(Mul, x, y)
}

// Div is x / y.
func (b *Builder) Div(x, y *Value) *Value { return b.Binary(Div, x, y) }

// Max is the larger of x and y.
func (b *Builder) Max(x, y *Value) *Value { return b.Binary(Maximum, x, y) }

// Min is the smaller of x and y.
func (b *Builder) Min(x, y *Value) *Value { return b.Binary(Minimum, x, y) }

// Clip is x held within [lo, hi].
func (b *Builder) Clip(x *Value, lo, hi float64) *Value {
	return b.Min(b.Max(x, b.Scalar(lo)), b.Scalar(hi))
}

// Select is x where cond is not 0, else y.
func (b *Builder) Select(cond, x, y *Value) *Value { return b.Apply(Select{}, cond, x, y) }

// Sum sums along dims and removes them.
func (b *Builder) Sum(x *Value, dims ...int) *Value {
	return b.Apply(Reduce{Kind: Sum, Dims: Dims(dims...)}, x)
}

// SumAll sums all elements to a scalar.
func (b *Builder) SumAll(x *Value) *Value {
	dims := make([]int, len(x.Shape))
	for i := range dims {
		dims[i] = i
	}
	return b.Sum(x, dims...)
}

// Reshape reads x with another shape.
func (b *Builder) Reshape(x *Value, shape ...int) *Value {
	if x.Shape.Equal(shape) {
		return x
	}
	if x.Kind == FromConst && len(x.Const) == 1 && x.Shape.Size() == tensor.Shape(shape).Size() {
		return b.Fill(x.Const[0], shape...)
	}
	return b.Apply(Reshape{dimset(shape)}, x)
}

// BroadcastTo repeats x to a shape.
func (b *Builder) BroadcastTo(x *Value, shape ...int) *Value {
	if x.Shape.Equal(shape) {
		return x
	}
	if x.Kind == FromConst && len(x.Const) == 1 {
		return b.Fill(x.Const[0], shape...)
	}
	return b.Apply(BroadcastTo{dimset(shape)}, x)
}

// Transpose reorders dimensions.
func (b *Builder) Transpose(x *Value, perm ...int) *Value {
	if x.Kind == FromNode && len(perm) == len(x.Shape) {
		if first, ok := x.Node.Op.(Transpose); ok { // two transpositions in a row are one, or none
			both, same := first.Perm.List(), true
			for i, d := range perm {
				if d < 0 || d >= len(perm) {
					return b.Apply(Transpose{dimset(perm)}, x)
				}
				both[i] = first.Perm.List()[d]
				same = same && both[i] == i
			}
			if x = x.Node.In[0]; same {
				return x
			}
			perm = both
		}
	}
	return b.Apply(Transpose{dimset(perm)}, x)
}

// Slice takes [from, to) of a dimension.
func (b *Builder) Slice(x *Value, dim, from, to int) *Value {
	if from == 0 && dim < len(x.Shape) && to == x.Shape[dim] {
		return x
	}
	if x.Kind == FromNode && from < to {
		if p, ok := x.Node.Op.(Pad); ok && p.Dim == dim && from >= p.Before && to <= p.Before+x.Node.In[0].Shape[dim] {
			return b.Slice(x.Node.In[0], dim, from-p.Before, to-p.Before)
		}
	}
	return b.Apply(Slice{dim, from, to}, x)
}

// Split splits a dimension into equal parts.
func (b *Builder) Split(x *Value, dim, parts int) []*Value { return b.ApplyAll(Split{dim, parts}, x) }

// Concat joins along a dimension.
func (b *Builder) Concat(dim int, x ...*Value) *Value { return b.Apply(Concat{dim}, x...) }

// StopGradient is x, but no gradient flows to x.
func (b *Builder) StopGradient(x *Value) *Value { return b.Apply(StopGradient{}, x) }

// WithGradient is y, and sets the gradient of x: see the type [WithGradient].
func (b *Builder) WithGradient(y, x, g *Value) *Value { return b.Apply(WithGradient{}, y, x, g) }

// Random returns uniform random numbers in [0, 1): see the type [Random].
func (b *Builder) Random(stream uint64, shape ...int) *Value {
	return b.Apply(Random{stream, dimset(shape)})
}

func isFill(v *Value, x float64) bool {
	return v.Kind == FromConst && len(v.Const) == 1 && v.Const[0] == x
}

// broadcastsInto reports whether combining x with y gives y's shape.
func broadcastsInto(x, y *Value) bool {
	s, err := Broadcast(x.Shape, y.Shape)
	return err == nil && s.Equal(y.Shape)
}
