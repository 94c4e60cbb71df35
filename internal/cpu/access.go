package cpu

import (
	"github.com/dl4go/dl4go/internal/kernel/vector"
	"github.com/dl4go/dl4go/tensor"
)

// access says which element of an operand belongs to element i of the result to which it is broadcast.
type access struct {
	kind accessKind
	// periodic: element (i / repeat) mod period. A row vector has repeat 1; for a column, period is its length; a
	// vector of channels has height·width as repeat.
	repeat, period int
	dims           []dim // strided: innermost first
}

type accessKind int

const (
	dense    accessKind = iota // element i
	uniform                    // the one element
	periodic                   // see above
	strided                    // by dims
)

type dim struct{ extent, stride int }

// accessOf returns the access of a contiguous operand of shape in that is broadcast to shape out.
func accessOf(in, out tensor.Shape) access {
	var dims []dim
	stride := 1
	for i := range out {
		d := dim{extent: out[len(out)-1-i]}
		if i < len(in) {
			if e := in[len(in)-1-i]; e != 1 {
				d.stride = stride
				stride *= e
			}
		}
		if d.extent == 1 {
			continue
		}
		if k := len(dims) - 1; k >= 0 && dims[k].stride*dims[k].extent == d.stride &&
			(dims[k].stride == 0) == (d.stride == 0) {
			dims[k].extent *= d.extent
		} else {
			dims = append(dims, d)
		}
	}
	switch {
	case len(dims) == 0 && in.Size() == 1:
		if out.Size() == 1 {
			return access{kind: dense}
		}
		return access{kind: uniform}
	case len(dims) == 1 && dims[0].stride == 0:
		return access{kind: uniform}
	case len(dims) == 1:
		return access{kind: dense}
	}
	p := access{kind: periodic, repeat: 1, dims: dims}
	if dims[0].stride == 0 {
		p.repeat = dims[0].extent
		dims = dims[1:]
	}
	if len(dims) <= 2 && dims[0].stride == 1 && (len(dims) == 1 || dims[1].stride == 0) {
		p.period = dims[0].extent
		return p
	}
	p.kind = strided
	return p
}

// expand writes the elements of src that belong to elements [first, first+len(dst)) of the result.
func (a *access) expand(k *vector.Set, dst, src []float32, first int) {
	switch a.kind {
	case dense:
		copy(dst, src[first:])
	case uniform:
		k.Fill(dst, src[0])
	case periodic:
		if a.repeat == 1 {
			for at := first % a.period; len(dst) > 0; at = 0 {
				dst = dst[copy(dst, src[at:a.period]):]
			}
			return
		}
		at := first / a.repeat % a.period
		for n := a.repeat - first%a.repeat; len(dst) > 0; n = a.repeat {
			n = min(n, len(dst))
			k.Fill(dst[:n], src[at])
			dst = dst[n:]
			if at++; at == a.period {
				at = 0
			}
		}
	case strided:
		inner := a.dims[0]
		for len(dst) > 0 {
			at, i := 0, first
			for _, d := range a.dims {
				at += i % d.extent * d.stride
				i /= d.extent
			}
			n := min(len(dst), inner.extent-first%inner.extent)
			switch inner.stride {
			case 0:
				k.Fill(dst[:n], src[at])
			case 1:
				copy(dst[:n], src[at:])
			default:
				for i := range n {
					dst[i] = src[at+i*inner.stride]
				}
			}
			dst = dst[n:]
			first += n
		}
	}
}
