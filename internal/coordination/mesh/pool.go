package mesh

import (
	"math/bits"
	"sync"
)

// framePool has buffers for messages to be sent; gRPC returns them when they are written. They are not cleared. Buffers
// of more than 4 MiB, which few messages need, are left to the garbage collector.
type framePool struct {
	classes [poolLast - poolFirst + 1]sync.Pool // by powers of 2
}

const poolFirst, poolLast = 11, 22

var frames framePool

// class returns the exponent of the smallest power of 2 that holds size bytes.
func class(size int) int { return max(poolFirst, bits.Len(uint(size-1))) }

// Get returns a buffer of a size, with any contents.
func (p *framePool) Get(size int) *[]byte {
	c := class(size)
	if c > poolLast {
		b := make([]byte, size)
		return &b
	}
	if b, ok := p.classes[c-poolFirst].Get().(*[]byte); ok {
		*b = (*b)[:size]
		return b
	}
	b := make([]byte, size, 1<<c)
	return &b
}

// Put takes back a buffer of Get.
func (p *framePool) Put(b *[]byte) {
	if c := class(cap(*b)); c <= poolLast && cap(*b) == 1<<c {
		p.classes[c-poolFirst].Put(b)
	}
}
