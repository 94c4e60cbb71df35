package sim

import (
	"encoding/binary"

	"github.com/dl4go/dl4go/internal/coordination"
)

// release is the sum of the toy updates of a release: multiples of the quantum, how many updates they are, and the sum
// of the hashes of their identities.
type release struct {
	sum   vector
	count uint64
	print uint64
}

// take adds an update.
func (r *release) take(e *coordination.Entry) error {
	v, err := decode(e.Payload)
	if err != nil {
		return err
	}
	r.sum.add(v, 1)
	r.count++
	r.print += identity(e)
	return nil
}

func (r *release) bytes() []byte {
	var b []byte
	for _, v := range r.sum {
		b = binary.AppendVarint(b, v)
	}
	b = binary.AppendUvarint(b, r.count)
	return binary.LittleEndian.AppendUint64(b, r.print)
}

// readRelease reads the bytes of a release. Padding follows them.
func readRelease(b []byte) (r release, err error) {
	for i := range r.sum {
		v, n := binary.Varint(b)
		if n <= 0 {
			return r, errToy
		}
		r.sum[i], b = v, b[n:]
	}
	count, n := binary.Uvarint(b)
	if n <= 0 || len(b) < n+8 {
		return r, errToy
	}
	r.count, r.print = count, binary.LittleEndian.Uint64(b[n:])
	return r, nil
}

// applyRelease subtracts a release from the parameters.
func (m *model) applyRelease(r release) {
	m.params.add(r.sum, -quantum)
	m.count += r.count
	m.print += r.print
}
