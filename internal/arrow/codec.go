package arrow

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// The codecs of buffers.
const (
	codecLZ4  = 0 // frames
	codecZstd = 1
)

// inflated bounds the size that a compressed batch may claim: 256 MiB, and a thousand times the compressed size.
func inflated(compressed int64) int64 { return 256<<20 + 1000*compressed }

// codec holds the decoders, which are reused for all buffers.
type codec struct {
	zstd *zstd.Decoder
	lz4  *lz4.Reader
}

// decompress returns the decompressed bytes of a buffer. The buffer begins with their number, or with -1 if it is not
// compressed.
func (r *batchReader) decompress(b []byte, name string) ([]byte, error) {
	if len(b) < 8 {
		return nil, r.fail("column %s: %d compressed bytes don't say their number", name, len(b))
	}
	size := int64(le.Uint64(b))
	if b = b[8:]; size == -1 {
		return b, nil
	}
	if size < 0 || size > r.inflated {
		return nil, r.fail("column %s: %d bytes claim to be %d when they are decompressed", name, len(b), size)
	}
	r.inflated -= size
	var in io.Reader
	switch r.kind {
	case codecLZ4:
		if r.codec.lz4 == nil {
			r.codec.lz4 = lz4.NewReader(nil)
		}
		r.codec.lz4.Reset(bytes.NewReader(b))
		in = r.codec.lz4
	case codecZstd:
		var err error
		if r.codec.zstd == nil {
			r.codec.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<31))
		}
		if err == nil {
			err = r.codec.zstd.Reset(bytes.NewReader(b))
		}
		if err != nil {
			return nil, r.fail("column %s can't be decompressed: %v", name, err)
		}
		in = r.codec.zstd
	default:
		return nil, r.fail("column %s is compressed with the unknown codec %d; write lz4 or zstd", name, r.kind)
	}
	out, err := readSize(in, size)
	if err == nil && int64(len(out)) != size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, r.fail("column %s can't be decompressed: %v", name, err)
	}
	return out, nil
}

// readSize reads at most size bytes, and allocates memory as they arrive.
func readSize(in io.Reader, size int64) ([]byte, error) {
	out := make([]byte, 0, min(size, 1<<20))
	for int64(len(out)) < size {
		if len(out) == cap(out) {
			grown := make([]byte, len(out), min(4*int64(cap(out)), size))
			copy(grown, out)
			out = grown
		}
		n, err := in.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
