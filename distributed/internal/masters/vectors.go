package masters

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"

	"github.com/dl4go/dl4go/tensor"
)

// Workers' data begins with vectors, so that they are aligned and can be used in place. Then come the JSON of
// everything else, and the length of that JSON (uint32, little-endian).

// Seal appends the JSON of v, and its length, to the bytes of vectors.
func Seal(vectors []byte, v any) ([]byte, error) {
	tail, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint32(append(vectors, tail...), uint32(len(tail))), nil
}

// Unseal is the inverse of Seal. The vectors may share b's memory.
func Unseal(b []byte, v any) (vectors []float32, err error) {
	if len(b) < 4 {
		return nil, fmt.Errorf("a worker's state has %d bytes", len(b))
	}
	n := int(binary.LittleEndian.Uint32(b[len(b)-4:]))
	b = b[:len(b)-4]
	if n > len(b) || (len(b)-n)%4 != 0 {
		return nil, fmt.Errorf("a worker's state of %d bytes ends with %d bytes of JSON", len(b), n)
	}
	if err := json.Unmarshal(b[len(b)-n:], v); err != nil {
		return nil, fmt.Errorf("the end of a worker's state: %w", err)
	}
	return tensor.Floats(b[:len(b)-n]), nil
}

// Checksum is a CRC32C of whole numbers, such as the assignment of examples to workers.
type Checksum struct {
	b   []byte
	sum uint32
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Add appends a number.
func (c *Checksum) Add(n uint64) {
	if c.b = binary.LittleEndian.AppendUint64(c.b, n); len(c.b) >= 8<<10 {
		c.flush()
	}
}

func (c *Checksum) flush() { c.sum, c.b = crc32.Update(c.sum, castagnoli, c.b), c.b[:0] }

// Sum returns the checksum of the numbers so far.
func (c *Checksum) Sum() uint32 {
	c.flush()
	return c.sum
}

// ChecksumOf returns the CRC32C of a vector.
func ChecksumOf(x []float32) (sum uint32) {
	const chunk = 2 << 10
	b := make([]byte, 0, 4*chunk)
	for len(x) > 0 {
		n := min(chunk, len(x))
		b = tensor.AppendBytes(b[:0], x[:n])
		sum, x = crc32.Update(sum, castagnoli, b), x[n:]
	}
	return sum
}
