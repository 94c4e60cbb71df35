package onnx

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dl4go/dl4go/internal/onnxfile"
)

// foldArray computes an operator on arrays of numbers, such as weights. Each result counts before its memory is taken.
func foldArray(r *reader, n *onnxfile.Node, in []*constant) (*constant, error) {
	switch n.Op {
	case "Concat":
		return foldConcat(r, n, in)
	case "Add", "Sub", "Mul", "Div", "Pow":
		return foldBinary(r, n.Op, in)
	}
	x, dims, err := r.folds.array(in[0])
	if err != nil {
		return nil, err
	}
	switch n.Op {
	case "Expand":
		return foldExpand(r, in, x, dims)
	case "Transpose":
		perm, err := permutation(n, len(dims))
		if err != nil {
			return nil, err
		}
		strides := stridesOf(dims)
		counts, steps := make([]int, len(dims)), make([]int, len(dims))
		for i, p := range perm {
			counts[i], steps[i] = dims[p], strides[p]
		}
		return r.folds.strided(x, 0, counts, steps)
	case "Reshape", "Unsqueeze", "Squeeze", "Flatten":
		extents, err := reshaped(r, n, in, wide(dims))
		if err != nil {
			return nil, err
		}
		out := &constant{floats: x, dims: narrowed(extents)}
		if total, ok := elements(out.dims, len(x)); !ok || total != len(x) {
			return nil, fmt.Errorf("%v cannot have the shape %v", dims, extents)
		}
		return out, nil
	case "Slice":
		from, counts, step, err := ranges(r, n, wide(dims))
		if err != nil {
			return nil, err
		}
		strides, base := stridesOf(dims), 0
		for i := range dims {
			base += int(from[i]) * strides[i]
			strides[i] *= int(step[i])
		}
		return r.folds.strided(x, base, narrowed(counts), strides)
	case "Gather":
		return foldGather(r, n, in, x, dims)
	case "Neg", "Sqrt", "Reciprocal", "Exp", "Abs":
		return foldUnary(r, n.Op, x, dims)
	}
	return nil, errors.New("the operator is not computed for them; let the exporter fold constants")
}

// folds makes the arrays of computed constants.
type folds struct {
	left int // how many more elements may be computed
}

// array returns a constant's elements and dimensions, in slices that the caller must not change. A tensor is decoded
// once.
func (f *folds) array(c *constant) ([]float32, []int, error) {
	if c == nil {
		return nil, nil, errors.New("an operand is missing")
	}
	if c.fill {
		if _, err := f.room(narrowed(c.extents)); err != nil {
			return nil, nil, err
		}
	}
	if c.fill || c.floats == nil && c.tensor == nil {
		return c.numbers()
	}
	if c.floats == nil {
		if _, err := f.room(narrowed(c.tensor.Dims)); err != nil {
			return nil, nil, err
		}
		x, dims, err := c.numbers()
		if err != nil {
			return nil, nil, err
		}
		c.floats, c.dims = x, dims
	}
	return c.floats, c.dims, nil
}

// room counts the elements of an array that is going to be computed.
func (f *folds) room(dims []int) (n int, err error) {
	n, ok := elements(dims, f.left)
	if !ok {
		return 0, errors.New("the computed constants would be several times as large as the file")
	}
	f.left -= n
	return n, nil
}

// stridesOf returns the distance of neighbours along each dimension of an array in C order.
func stridesOf(dims []int) []int {
	out, size := make([]int, len(dims)), 1
	for i := len(dims) - 1; i >= 0; i-- {
		out[i] = size
		size *= dims[i]
	}
	return out
}

// strided copies the elements base + Σ index·step of x, with counts indices along each dimension.
func (f *folds) strided(x []float32, base int, counts, steps []int) (*constant, error) {
	total, err := f.room(counts)
	if err != nil {
		return nil, err
	}
	out := &constant{floats: make([]float32, total), dims: counts}
	index := make([]int, len(counts))
	for i := range out.floats {
		out.floats[i] = x[base]
		for k := len(counts) - 1; k >= 0; k-- {
			if index[k]++; index[k] < counts[k] {
				base += steps[k]
				break
			}
			base -= (counts[k] - 1) * steps[k]
			index[k] = 0
		}
	}
	return out, nil
}

// foldExpand repeats an array to a larger shape. One number stays one number.
func foldExpand(r *reader, in []*constant, x []float32, dims []int) (*constant, error) {
	if len(in) < 2 || in[1] == nil {
		return nil, errors.New("the shape is missing")
	}
	to, err := in[1].ints()
	if err != nil {
		return nil, err
	}
	extents, err := broadcast(wide(dims), to)
	if err != nil {
		return nil, err
	}
	if uniform(x) {
		return filledWith(x[0], extents)
	}
	counts := narrowed(extents)
	return r.folds.strided(x, 0, counts, spread(dims, counts))
}

// spread returns the strides of an array that is broadcast to counts.
func spread(dims, counts []int) []int {
	steps, strides := make([]int, len(counts)), stridesOf(dims)
	for i, d := range dims {
		if d != 1 {
			steps[len(counts)-len(dims)+i] = strides[i]
		}
	}
	return steps
}

// broadcast returns the shape of two arrays together. An unknown extent beside 1 stays unknown.
func broadcast(a, b []int64) ([]int64, error) {
	out := make([]int64, max(len(a), len(b)))
	for i := range out {
		x, y := int64(1), int64(1)
		if k := i - (len(out) - len(a)); k >= 0 {
			x = a[k]
		}
		if k := i - (len(out) - len(b)); k >= 0 {
			y = b[k]
		}
		switch {
		case x == y || y == 1:
			out[i] = x
		case x == 1:
			out[i] = y
		case x == unknown || y == unknown:
			out[i] = max(x, y)
		default:
			return nil, fmt.Errorf("%v and %v do not fit together", a, b)
		}
	}
	return out, nil
}

func foldGather(r *reader, n *onnxfile.Node, in []*constant, x []float32, dims []int) (*constant, error) {
	at, index, err := gathered(n, in, len(dims))
	if err != nil {
		return nil, err
	}
	before, _ := elements(dims[:at], len(x))
	after, _ := elements(dims[at+1:], len(x))
	shape := slices.Concat(dims[:at], narrowed(in[1].shape()), dims[at+1:])
	total, err := r.folds.room(shape)
	if err != nil {
		return nil, err
	}
	places := make([]int, len(index))
	for i, k := range index {
		if places[i], err = axisIndex(k, dims[at]); err != nil {
			return nil, err
		}
	}
	out := &constant{floats: make([]float32, 0, total), dims: shape}
	for i := range before {
		for _, k := range places {
			out.floats = append(out.floats, x[(i*dims[at]+k)*after:][:after]...)
		}
	}
	return out, nil
}

// gathered returns the axis and the indices of a Gather.
func gathered(n *onnxfile.Node, in []*constant, rank int) (at int, index []int64, err error) {
	if len(in) < 2 || in[1] == nil {
		return 0, nil, errors.New("the index is missing")
	}
	if index, err = in[1].ints(); err != nil || len(index) > maxFolded || slices.Contains(index, unknown) {
		return 0, nil, errors.New("the index should be whole numbers")
	}
	at, err = axisIndex(attributeInt(n, "axis", 0), rank)
	return at, index, err
}

func foldConcat(r *reader, n *onnxfile.Node, in []*constant) (*constant, error) {
	_, first, err := r.folds.array(in[0])
	if err != nil {
		return nil, err
	}
	at, err := axisIndex(attributeInt(n, "axis", 0), len(first))
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(first)
	shape[at] = 0
	for _, c := range in {
		_, dims, err := r.folds.array(c)
		if err != nil {
			return nil, err
		}
		if len(dims) != len(shape) || !slices.Equal(dims[:at], shape[:at]) || !slices.Equal(dims[at+1:], shape[at+1:]) {
			return nil, fmt.Errorf("%v and %v are joined along the axis %d", first, dims, at)
		}
		shape[at] += dims[at]
	}
	total, err := r.folds.room(shape)
	if err != nil {
		return nil, err
	}
	outer, _ := elements(shape[:at], total)
	out := &constant{floats: make([]float32, 0, total), dims: shape}
	for i := range outer {
		for _, c := range in {
			x, _, err := r.folds.array(c)
			if err != nil {
				return nil, err
			}
			part := len(x) / outer
			out.floats = append(out.floats, x[i*part:(i+1)*part]...)
		}
	}
	return out, nil
}

func foldBinary(r *reader, op string, in []*constant) (*constant, error) {
	if len(in) < 2 {
		return nil, errors.New("an operand is missing")
	}
	x, a, err := r.folds.array(in[0])
	if err != nil {
		return nil, err
	}
	y, b, err := r.folds.array(in[1])
	if err != nil {
		return nil, err
	}
	extents, err := broadcast(wide(a), wide(b))
	if err != nil {
		return nil, err
	}
	counts := narrowed(extents)
	left, err := r.folds.strided(x, 0, counts, spread(a, counts))
	if err != nil {
		return nil, err
	}
	right, err := r.folds.strided(y, 0, counts, spread(b, counts))
	if err != nil {
		return nil, err
	}
	for i, v := range right.floats {
		left.floats[i] = computed(op, left.floats[i], v)
	}
	return left, nil
}

func computed(op string, x, y float32) float32 {
	switch op {
	case "Add":
		return x + y
	case "Sub":
		return x - y
	case "Mul":
		return x * y
	case "Div":
		return x / y
	}
	return float32(math.Pow(float64(x), float64(y)))
}

func foldUnary(r *reader, op string, x []float32, dims []int) (*constant, error) {
	if _, err := r.folds.room(dims); err != nil {
		return nil, err
	}
	f := map[string]func(float64) float64{"Neg": func(v float64) float64 { return -v }, "Sqrt": math.Sqrt,
		"Reciprocal": func(v float64) float64 { return 1 / v }, "Exp": math.Exp, "Abs": math.Abs}[op]
	out := &constant{floats: make([]float32, len(x)), dims: dims}
	for i, v := range x {
		out.floats[i] = float32(f(float64(v)))
	}
	return out, nil
}
