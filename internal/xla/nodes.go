package xla

import (
	"maps"
	"slices"

	"github.com/dl4go/dl4go/program"
)

// translator emits a node, given its operands.
type translator func(e *emitter, n *program.Node, in []val) []val

// translators returns the translators of the operations, by name.
func translators() map[string]translator {
	return map[string]translator{
		"unary":              one(translateUnary),
		"binary":             one(translateBinary),
		"select":             one(translateSelect),
		"matmul":             one(product),
		"conv2d":             one(convolution),
		"conv2d-grad-input":  one(gradInput),
		"conv2d-grad-filter": one(gradFilter),

		"depthwise-conv2d":             one(depthwise),
		"depthwise-conv2d-grad-input":  one(depthwiseGradInput),
		"depthwise-conv2d-grad-filter": one(depthwiseGradFilter),
		"pool2d":                       one(pooled),
		"pool2d-grad":                  one(poolGrad),
		"batchnorm":                    batchNorm,
		"batchnorm-grad":               batchNormGrad,
		"reduce":                       one(translateReduce),
		"softmax":                      one(softmax),
		"reshape":                      one(translateReshape),
		"broadcast":                    one(translateBroadcast),
		"transpose":                    one(translateTranspose),
		"slice":                        one(translateSlice),
		"pad":                          one(translatePad),
		"concat":                       one(translateConcat),
		"lookup":                       one(lookup),
		"lookup-grad":                  one(lookupGrad),
		"set-columns":                  one(setColumns),
		"reverse":                      one(reversed),
		"stop-gradient":                first,
		"with-gradient":                first,
		"random":                       one(uniform),
		"scan":                         scan,
		"split":                        split,
	}
}

// Ops returns the names of the operations that can be translated, sorted.
func Ops() []string { return slices.Sorted(maps.Keys(translators())) }

// one makes a translator of an operation with one result.
func one[O program.Op](f func(e *emitter, o O, n *program.Node, in []val) val) translator {
	return func(e *emitter, n *program.Node, in []val) []val { return []val{f(e, n.Op.(O), n, in)} }
}

func first(_ *emitter, _ *program.Node, in []val) []val { return in[:1] }

// node emits a node of a program.
func (e *emitter) node(n *program.Node) {
	translate := translators()[n.Op.Name()]
	if translate == nil {
		panic(&unsupported{n.Op.Name(), "it is not known"})
	}
	in := make([]val, len(n.In))
	for i, v := range n.In {
		in[i] = e.known[v]
	}
	for i, v := range translate(e, n, in) {
		e.known[n.Out[i]] = v
	}
}

func translateUnary(e *emitter, o program.Unary, _ *program.Node, in []val) val {
	return unaryOf(e, o.Kind, in[0])
}

func translateReshape(e *emitter, _ program.Reshape, n *program.Node, in []val) val {
	return e.reshape(in[0], n.Out[0].Shape)
}

func translateBroadcast(e *emitter, _ program.BroadcastTo, n *program.Node, in []val) val {
	return e.repeat(in[0], n.Out[0].Shape)
}

func translateTranspose(e *emitter, o program.Transpose, _ *program.Node, in []val) val {
	return e.transpose(in[0], o.Perm.List())
}

func translateSlice(e *emitter, o program.Slice, _ *program.Node, in []val) val {
	return e.part(in[0], o.Dim, o.From, o.To)
}

func translateConcat(e *emitter, o program.Concat, _ *program.Node, in []val) val {
	return e.concat(o.Dim, in)
}

func translateBinary(e *emitter, o program.Binary, n *program.Node, in []val) val {
	return binaryOf(e, o.Kind, in[0], in[1], n.Out[0].Shape)
}

func translateSelect(e *emitter, _ program.Select, n *program.Node, in []val) val {
	s := n.Out[0].Shape
	return e.choose(e.repeat(notZero(e, in[0]), s), e.repeat(in[1], s), e.repeat(in[2], s))
}

func translateReduce(e *emitter, o program.Reduce, n *program.Node, in []val) val {
	return e.reshape(reduction(e, o, in[0]), n.Out[0].Shape)
}

func translatePad(e *emitter, o program.Pad, _ *program.Node, in []val) val {
	edges := make([]edge, len(in[0].shape))
	edges[o.Dim] = edge{low: o.Before, high: o.After}
	return e.pad(in[0], e.fill(0, nil), edges)
}

func split(e *emitter, n *program.Node, in []val) []val {
	o := n.Op.(program.Split)
	size := in[0].shape[o.Dim] / o.Parts
	out := make([]val, o.Parts)
	for i := range out {
		out[i] = e.part(in[0], o.Dim, i*size, (i+1)*size)
	}
	return out
}
