package program_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/gradcheck"
	"github.com/dl4go/dl4go/internal/naive"
	. "github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// checks records which operations had their gradients checked.
type checks struct {
	*testing.T
	ops  map[string]bool
	seed uint64
}

// check compares the gradients of f at operands with differences.
func (c *checks) check(name string, f func(b *Builder, x []*Value) *Value, operands ...gradcheck.Tensor) {
	c.Helper()
	p, err := gradcheck.Function(f, operands...)
	if err != nil {
		c.Errorf("%s: %v", name, err)
		return
	}
	for _, n := range p.Nodes {
		c.ops[n.Op.Name()] = true
	}
}

// op checks an operation of one result.
func (c *checks) op(op Op, operands ...gradcheck.Tensor) {
	c.Helper()
	name := fmt.Sprintf("%s%+v", op.Name(), op)
	for _, t := range operands {
		name += t.Shape.String()
	}
	c.check(name, func(b *Builder, x []*Value) *Value { return b.Apply(op, x...) }, operands...)
}

func (c *checks) uniform(lo, hi float64, shape ...int) gradcheck.Tensor {
	c.seed++
	return gradcheck.Uniform(c.seed, lo, hi, shape...)
}

func (c *checks) distinct(shape ...int) gradcheck.Tensor {
	c.seed++
	return gradcheck.Distinct(c.seed, shape...)
}

// Every operation of the naive executor must be in a program whose gradients were compared.
func TestGradients(t *testing.T) {
	c := &checks{T: t, ops: map[string]bool{}}
	for _, family := range []func(*checks){
		unaryGradients, binaryGradients, selectGradients, matMulGradients, convGradients, poolGradients,
		batchNormGradients, reduceGradients, shapeGradients, controlGradients, formulaGradients, scanGradients,
	} {
		family(c)
	}
	for _, op := range naive.Ops() {
		if !c.ops[op] {
			t.Errorf("no gradient check has %s", op)
		}
	}
}

func unaryGradients(c *checks) {
	for _, kind := range UnaryKinds() {
		lo, hi := -3.0, 3.0
		if slices.Contains([]UnaryKind{Sqrt, Log, Log1p, Reciprocal}, kind) {
			lo = 0.2
		}
		c.op(Unary{kind}, c.uniform(lo, hi, 3, 5))
		c.op(Unary{kind}, c.uniform(lo, hi))
	}
	c.op(Unary{Reciprocal}, c.uniform(-3, -0.2, 4))
	c.op(Unary{Softplus}, gradcheck.Tensor{Shape: tensor.Shape{4}, Data: []float64{-40, 40, -800, 800}})
	c.op(Unary{Sigmoid}, gradcheck.Tensor{Shape: tensor.Shape{4}, Data: []float64{-40, 40, -800, 800}})
}

// suffixes returns every shape that broadcasts to [2, 3, 4]: each of its last dimensions, or 1 instead.
func suffixes() (out []tensor.Shape) {
	full := tensor.Shape{2, 3, 4}
	for rank := range 4 {
		for ones := range 1 << rank {
			s := full[3-rank:].Clone()
			for i := range s {
				if ones>>i&1 == 1 {
					s[i] = 1
				}
			}
			out = append(out, s)
		}
	}
	return out
}

func binaryGradients(c *checks) {
	for _, kind := range BinaryKinds() {
		for _, x := range suffixes() {
			for _, z := range suffixes() {
				a, b := c.uniform(0.5, 2, x...), c.uniform(0.5, 2, z...)
				if kind == Maximum || kind == Minimum || kind == Greater || kind == GreaterEqual {
					a = c.distinct(x...) // never equal to an element of b, nor near one
					b = c.distinct(z...)
					for i := range b.Data {
						b.Data[i] += 0.01
					}
				}
				c.op(Binary{kind}, a, b)
			}
		}
	}
}

func selectGradients(c *checks) {
	for _, cond := range suffixes() {
		for _, x := range []tensor.Shape{{}, {4}, {3, 1}, {2, 3, 4}} {
			for _, z := range []tensor.Shape{{}, {1, 4}, {2, 1, 1}, {2, 3, 4}} {
				f := func(b *Builder, v []*Value) *Value {
					return b.Select(b.Binary(Greater, v[0], b.Scalar(0.1)), v[1], v[2])
				}
				c.check(fmt.Sprintf("select %v %v %v", cond, x, z), f, c.distinct(cond...), c.uniform(-1, 1, x...),
					c.uniform(-1, 1, z...))
			}
		}
	}
}

func matMulGradients(c *checks) {
	for _, size := range [][3]int{{3, 4, 5}, {1, 4, 2}, {3, 1, 2}, {2, 3, 1}} {
		for _, batch := range []tensor.Shape{{}, {1}, {3}} {
			for mode := range 8 {
				op := MatMul{TransA: mode&1 != 0, TransB: mode&2 != 0, OverBatch: mode&4 != 0}
				a, b := tensor.Shape{size[0], size[1]}, tensor.Shape{size[1], size[2]}
				if op.TransA {
					slices.Reverse(a)
				}
				if op.TransB {
					slices.Reverse(b)
				}
				c.op(op, c.uniform(-1, 1, append(batch.Clone(), a...)...), c.uniform(-1, 1, append(batch.Clone(), b...)...))
			}
		}
	}
}

// eachWindow calls f with combinations of kernel, stride, dilation and padding that fit an image of h by w.
func eachWindow(h, w int, f func(kh, kw int, win Window)) {
	for _, k := range [][2]int{{1, 1}, {2, 3}, {3, 2}} {
		for _, stride := range [][2]int{{1, 1}, {2, 1}, {3, 2}} {
			for _, dilation := range [][2]int{{1, 1}, {2, 1}, {1, 2}} {
				for _, pad := range [][4]int{{}, {1, 1, 1, 1}, {0, 1, 1, 0}, {1, 0, 2, 1}, {2, 1, 0, 0}} {
					win := Window{StrideH: stride[0], StrideW: stride[1], DilationH: dilation[0], DilationW: dilation[1],
						PadTop: pad[0], PadLeft: pad[1], PadBottom: pad[2], PadRight: pad[3]}
					if oh, ow := win.Out(h, w, k[0], k[1]); oh > 0 && ow > 0 {
						f(k[0], k[1], win)
					}
				}
			}
		}
	}
}

func convGradients(c *checks) {
	eachWindow(4, 5, func(kh, kw int, win Window) {
		oh, ow := win.Out(4, 5, kh, kw)
		x, w, y := []int{2, 2, 4, 5}, []int{3, 2, kh, kw}, []int{2, 3, oh, ow}
		c.op(Conv2D{win}, c.uniform(-1, 1, x...), c.uniform(-1, 1, w...))
		c.op(Conv2DGradInput{win, 4, 5}, c.uniform(-1, 1, y...), c.uniform(-1, 1, w...))
		c.op(Conv2DGradFilter{win, kh, kw}, c.uniform(-1, 1, x...), c.uniform(-1, 1, y...))
		w, y = []int{2, 3, kh, kw}, []int{2, 6, oh, ow}
		c.op(DepthwiseConv2D{win}, c.uniform(-1, 1, x...), c.uniform(-1, 1, w...))
		c.op(DepthwiseConv2DGradInput{win, 4, 5}, c.uniform(-1, 1, y...), c.uniform(-1, 1, w...))
		c.op(DepthwiseConv2DGradFilter{win, kh, kw}, c.uniform(-1, 1, x...), c.uniform(-1, 1, y...))
	})
}

func poolGradients(c *checks) {
	eachWindow(4, 5, func(kh, kw int, win Window) {
		for _, kind := range []PoolKind{MaxPool, AveragePool} {
			for _, include := range []bool{false, true} {
				c.op(Pool2D{kind, kh, kw, win, include}, c.distinct(2, 2, 4, 5))
			}
		}
	})
}

func batchNormGradients(c *checks) {
	for _, x := range [][]int{{4, 3}, {3, 2, 4}, {2, 3, 2, 3}, {5, 1}} {
		for _, eps := range []float64{1e-5, 0.1} {
			c.op(BatchNorm{eps}, c.uniform(-2, 2, x...), c.uniform(-1, 2, x[1]), c.uniform(-1, 1, x[1]))
		}
	}
}

func reduceGradients(c *checks) {
	for _, kind := range []ReduceKind{Sum, Max} {
		for dims := range 8 {
			var list []int
			for d := range 3 {
				if dims>>d&1 == 1 {
					list = append(list, d)
				}
			}
			for _, keep := range []bool{false, true} {
				c.op(Reduce{Kind: kind, Dims: Dims(list...), Keep: keep, InOrder: keep}, c.distinct(2, 3, 4))
			}
		}
	}
	for dim := range 3 {
		c.op(Softmax{dim}, c.uniform(-3, 3, 2, 3, 4))
	}
	c.op(Softmax{0}, c.uniform(-3, 3, 1))
}

func shapeGradients(c *checks) {
	c.op(Reshape{"4,6"}, c.uniform(-1, 1, 2, 3, 4))
	c.op(Reshape{"24"}, c.uniform(-1, 1, 2, 3, 4))
	c.op(Reshape{""}, c.uniform(-1, 1, 1, 1))
	for _, s := range suffixes() {
		c.op(BroadcastTo{"2,3,4"}, c.uniform(-1, 1, s...))
	}
	index := func(b *Builder) *Value { return b.Const([]float64{3, 0, 3, 1}, 4) }
	c.check("lookup", func(b *Builder, x []*Value) *Value {
		return b.Unary(Square, b.Apply(Lookup{}, x[0], index(b)))
	}, c.uniform(-1, 1, 3, 5))
	c.check("lookup-grad", func(b *Builder, x []*Value) *Value {
		return b.Unary(Square, b.Apply(LookupGrad{Columns: 5}, x[0], index(b)))
	}, c.uniform(-1, 1, 4, 3))
	c.check("set-columns", func(b *Builder, x []*Value) *Value {
		return b.Unary(Square, b.Apply(SetColumns{}, x[0], b.Const([]float64{3, 0, 4}, 3), x[1]))
	}, c.uniform(-1, 1, 2, 5), c.uniform(-1, 1, 3, 2))
	for _, dim := range []int{1, 2} {
		masked := tensor.Shape{3, 4, 4}
		c.op(Reverse{dim}, c.uniform(-1, 1, 2, 3, 5))
		c.check(fmt.Sprintf("reverse %d, masked", dim), func(b *Builder, x []*Value) *Value {
			mask := b.Const([]float64{1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0.5, 1}, 3, 4)
			return b.Unary(Square, b.Apply(Reverse{dim}, x[0], mask))
		}, c.uniform(-1, 1, masked...))
	}
	for _, perm := range []DimSet{"0,1,2", "0,2,1", "1,0,2", "1,2,0", "2,0,1", "2,1,0"} {
		c.op(Transpose{perm}, c.uniform(-1, 1, 2, 3, 4))
	}
	for dim := range 3 {
		c.op(Slice{dim, 0, 1}, c.uniform(-1, 1, 2, 3, 4))
		c.op(Slice{dim, 1, 2}, c.uniform(-1, 1, 2, 3, 4))
		c.op(Slice{dim, 1, 1}, c.uniform(-1, 1, 2, 3, 4))
		c.op(Pad{dim, 1, 2}, c.uniform(-1, 1, 2, 3, 4))
		c.op(Pad{dim, 0, 1}, c.uniform(-1, 1, 2, 3, 4))
		other := []int{2, 3, 4}
		other[dim] = 5
		c.op(Concat{dim}, c.uniform(-1, 1, 2, 3, 4), c.uniform(-1, 1, other...), c.uniform(-1, 1, 2, 3, 4))
	}
}

func controlGradients(c *checks) {
	c.check("stop-gradient beside a path that counts", func(b *Builder, x []*Value) *Value {
		same := b.Sub(b.StopGradient(x[0]), b.StopGradient(x[0])) // 0, whatever x is
		return b.Add(b.Unary(Square, x[0]), same)
	}, c.uniform(-1, 1, 3))
	c.check("with-gradient that tells the truth, scalar", func(b *Builder, x []*Value) *Value {
		score := b.SumAll(b.Unary(Exp, x[0]))
		return b.Unary(Square, b.WithGradient(score, x[0], b.Unary(Exp, x[0])))
	}, c.uniform(-1, 1, 3, 2))
	c.check("with-gradient that tells the truth, of x's shape", func(b *Builder, x []*Value) *Value {
		return b.Unary(Square, b.WithGradient(b.Unary(Exp, x[0]), x[0], b.Unary(Exp, x[0])))
	}, c.uniform(-1, 1, 3, 2))
	c.check("random factors", func(b *Builder, x []*Value) *Value {
		return b.Mul(x[0], b.Random(7, 3, 2))
	}, c.uniform(-1, 1, 3, 2))
}

func formulaGradients(c *checks) {
	c.check("clip", func(b *Builder, x []*Value) *Value { return b.Clip(x[0], -0.5, 0.5) }, c.distinct(20))
	c.check("a value used by several operations", func(b *Builder, x []*Value) *Value {
		t := b.Unary(Tanh, x[0])
		y := b.Mul(b.Add(t, x[0]), b.Sum(b.Mul(t, t), 1, 0))
		return b.Div(y, b.Add(b.Unary(Exp, t), b.Scalar(1)))
	}, c.uniform(-1, 1, 3, 2))
	c.check("dense layer, softmax and cross-entropy", func(b *Builder, x []*Value) *Value {
		y := b.Apply(Softmax{1}, b.Add(b.Apply(MatMul{}, x[0], x[1]), x[2]))
		return b.Neg(b.SumAll(b.Mul(x[3], b.Unary(Log, y))))
	}, c.uniform(-1, 1, 4, 3), c.uniform(-1, 1, 3, 5), c.uniform(-1, 1, 1, 5), c.uniform(0, 1, 4, 5))
}
