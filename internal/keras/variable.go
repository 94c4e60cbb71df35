package keras

import (
	"fmt"
	"slices"
	"strings"
)

// variable is an array of a layer, in Keras' axes, and the destination of its numbers.
type variable struct {
	layer   *kerasLayer
	name    string // kernel
	path    string // in a .keras file, below the layer's group
	shape   []int
	learned bool
	// put copies the array, or that of a slot of the optimizer, to the parameters of the network.
	put func(to parameters, x []float32)
	// keep takes an array that belongs to the configuration; then there is no put.
	keep func(x []float32)
}

// parameters returns the numbers of a parameter by its key.
type parameters func(key string) []float32

func (v *variable) String() string {
	return fmt.Sprintf("layer %s: %s", v.layer.name, v.name)
}

// also passes the array to another call of its layer, too.
func (v *variable) also(keep func(x []float32)) {
	first := v.keep
	v.keep = func(x []float32) { first(x); keep(x) }
}

// own declares an array of a layer. Its path is vars/N below prefix, numbered by [builder.number].
func (b *builder) own(l *kerasLayer, prefix, name string, learned bool, shape []int,
	put func(parameters, []float32)) {
	if l.lowered > 0 { // a later call of a layer copies its parameters
		for _, v := range l.vars {
			if v.name == name && strings.HasSuffix(v.path, prefix+"/"+name) && v.put != nil {
				first := v.put
				v.put = func(to parameters, x []float32) { first(to, x); put(to, x) }
				return
			}
		}
		l.refuse("it is called several times, which is not read")
	}
	l.vars = append(l.vars, &variable{layer: l, name: name, path: prefix + "/" + name,
		shape:   slices.Clone(shape),
		learned: learned, put: put})
}

// transposed copies x, of a shape, to a parameter with its axes reordered.
func transposed(key string, shape []int, order ...int) func(parameters, []float32) {
	return func(to parameters, x []float32) { transpose(to(key), x, shape, order) }
}

// plainly copies x to a parameter unchanged.
func plainly(key string) func(parameters, []float32) {
	return func(to parameters, x []float32) { copy(to(key), x) }
}

// transpose writes x, in C order of a shape, with reordered axes: axis i of the result is axis order[i].
func transpose(dst, x []float32, shape, order []int) {
	stride := make([]int, len(shape))
	for i, n := len(shape)-1, 1; i >= 0; i-- {
		stride[i] = n
		n *= shape[i]
	}
	index := make([]int, len(order))
	from := 0
	for i := range dst[:min(len(dst), len(x))] {
		dst[i] = x[from]
		for k := len(order) - 1; k >= 0; k-- {
			from += stride[order[k]]
			if index[k]++; index[k] < shape[order[k]] {
				break
			}
			from -= index[k] * stride[order[k]]
			index[k] = 0
		}
	}
}

// blocks copies the columns of x [rows, n·size], in blocks of size, to the rows of a parameter [n·size, rows]. Block k
// of the parameter is block order[k] of x.
func blocks(key string, rows, size int, order ...int) func(parameters, []float32) {
	return func(to parameters, x []float32) {
		dst, n := to(key), len(order)*size
		if len(dst) < rows*n || len(x) < rows*n {
			return
		}
		for k, of := range order {
			for c := range size {
				for r := range rows {
					dst[(k*size+c)*rows+r] = x[r*n+of*size+c]
				}
			}
		}
	}
}
