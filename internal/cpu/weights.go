package cpu

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/program"
)

// PackedWeights keeps parameters in the form in which kernels read them fastest: matrices of products and filters of
// convolutions. It is for predictions, whose parameters don't change: programs of any batch size, of any number of
// Executors with the same Kernels, share it. With it, convolutions normalise their results themselves where a
// normalisation with fixed statistics follows. The results then differ from those without PackedWeights by roundings,
// but not from batch to batch. Other results have the same bits.
type PackedWeights struct {
	mu     sync.Mutex
	left   int64 // bytes
	packed map[weightKey]*packedWeight
	params atomic.Pointer[float32] // the first of the vector
}

// NewPackedWeights returns an empty store. Once it holds most bytes, programs read further parameters as they are, but
// for those on whose form roundings depend.
func NewPackedWeights(most int64) *PackedWeights {
	return &PackedWeights{left: most, packed: map[weightKey]*packedWeight{}}
}

// Memory returns the bytes of the packed parameters.
func (w *PackedWeights) Memory() (bytes int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for k := range w.packed {
		bytes += 4 * int64(k.size)
	}
	return bytes
}

// weightKey is a part of the vector Params in one form.
type weightKey struct {
	at, rows, cols int
	transposed     bool
	size           int // of the form
	mean           int // of convolutions that normalise their results: 1 + the place of the means; or 0
}

type packedWeight struct {
	mu   sync.Mutex
	data atomic.Pointer[[]float32] // nil until the first run
}

// claim returns the place of a packed parameter. It returns nil if there is no room, unless the parameter must be
// packed.
func (w *PackedWeights) claim(k weightKey, must bool) *packedWeight {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.packed[k]
	if bytes := 4 * int64(k.size); p == nil && (must || bytes <= w.left) {
		w.left -= bytes
		p = &packedWeight{}
		w.packed[k] = p
	}
	return p
}

// get returns the packed elements, which the first call packs.
func (p *packedWeight) get(size int, pack func(dst []float32)) []float32 {
	if d := p.data.Load(); d != nil {
		return *d
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.data.Load() == nil {
		d := grown(nil, size)
		pack(d)
		p.data.Store(&d)
	}
	return *p.data.Load()
}

var errOtherParameters = errors.New("cpu: the packed weights are those of another vector of parameters; " +
	"make new PackedWeights for each network")

// bind refuses another vector than that of the first run.
func (w *PackedWeights) bind(params []float32) error {
	if len(params) == 0 || w.params.Load() == &params[0] || w.params.CompareAndSwap(nil, &params[0]) ||
		w.params.Load() == &params[0] {
		return nil
	}
	return errOtherParameters
}

// parameters finds operands that are parts of Params in programs with PackedWeights.
type parameters struct {
	weights *PackedWeights // nil: parameters may change from run to run
	variant kernel.Variant
	factors factors
	inputs  map[*program.Value]int // offsets of inputs of a loop's body that are parts of Params
}

// offset returns the place of an operand in Params.
func (p *parameters) offset(o operand) (at int, ok bool) {
	switch {
	case p.weights == nil || o.from == nil:
	case o.from.Kind == program.FromVector:
		return o.from.Offset + o.off, o.from.Vector == program.Params
	case o.from.Kind == program.FromInput:
		at, ok = p.inputs[o.from]
		return at + o.off, ok
	}
	return 0, false
}

// claim returns the place of an operand in packed form, of size elements, or nil if the operand is read as it is.
func (p *parameters) claim(o operand, transposed bool, size int) *packedWeight {
	at, ok := p.offset(o)
	if !ok || size == 0 {
		return nil
	}
	k := weightKey{at: at, rows: o.shape[0], cols: o.shape[1:].Size(), transposed: transposed, size: size}
	return p.weights.claim(k, false)
}

// claimFilters returns the place of a convolution's filters in packed form, of size elements. mean is the operand of
// the means where the convolution normalises its result. The result is nil if there is no room, unless they must be
// packed.
func (p *parameters) claimFilters(filters operand, mean *operand, size int, must bool) *packedWeight {
	k := weightKey{rows: filters.shape[0], cols: filters.shape[1:].Size(), size: size}
	k.at, _ = p.offset(filters)
	if mean != nil {
		k.mean, _ = p.offset(*mean)
		k.mean++
	}
	return p.weights.claim(k, must)
}

// claimMatrix is claim for the second factor of a product. Products of pairs pack it themselves.
func (p *parameters) claimMatrix(o operand, s gemm.Shape) *packedWeight {
	if p.factors == inPairs {
		return nil
	}
	return p.claim(o, s.TransB, p.packedSize(s))
}

func (p *parameters) packedSize(s gemm.Shape) int {
	if p.factors == inTiles {
		return gemm.AMXPackedSize(s)
	}
	return gemm.PackedSize(p.variant, s)
}

// packMatrix packs the second factor of a product.
func (p *parameters) packMatrix(s gemm.Shape, dst, b []float32) {
	if p.factors == inTiles {
		gemm.AMXPack(p.variant, s, dst, b)
	} else {
		gemm.Pack(p.variant, s, dst, b)
	}
}

// ofBody returns the parameters of the body of a loop with these operands.
func (p *parameters) ofBody(op program.Scan, in []operand) parameters {
	body := parameters{weights: p.weights, variant: p.variant, factors: p.factors, inputs: map[*program.Value]int{}}
	for i := range op.Invariants {
		if at, ok := p.offset(in[i]); ok {
			body.inputs[op.Body.Inputs[i]] = at
		}
	}
	return body
}

// CompilePacked is [Executor.Compile] for a program whose runs all bind the same vector Params, which never changes.
// Packed weights are made in the first run. A run with another vector is an error.
func (e *Executor) CompilePacked(p *program.Program, w *PackedWeights) (program.Executable, error) {
	for _, s := range p.Stores {
		if s.Vector == program.Params {
			w = nil
		}
	}
	x, err := e.compile(p, w)
	if err != nil {
		return nil, err
	}
	return x, nil
}
