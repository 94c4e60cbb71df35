package parquet

import (
	"bytes"

	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// The compression codecs.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecBrotli = 4
	codecLZ4    = 5 // in Hadoop's frames
	codecZstd   = 6
	codecLZ4Raw = 7
)

// inflated bounds the size that compressed bytes may claim: 16 MiB, and a thousand times the compressed size.
func inflated(compressed int) int { return 16<<20 + 1000*compressed }

// codec decompresses pages. It keeps what its libraries keep between pages.
type codec struct{ zstd *zstd.Decoder }

// decompress returns the bytes of a page; size is their number according to the header. They are in to, if that has
// room.
func (c *codec) decompress(kind int, in, to []byte, size int) (out []byte, err error) {
	if size > inflated(len(in)) {
		return nil, fmt.Errorf("a page of %d bytes claims to have %d when it is decompressed", len(in), size)
	}
	switch kind {
	case codecSnappy:
		var n int
		if n, err = snappy.DecodedLen(in); err == nil && n != size {
			return nil, fmt.Errorf("a page has %d bytes, and its header says %d", n, size)
		}
		if err == nil {
			out, err = snappy.Decode(room(to, size), in)
		}
	case codecZstd:
		if c.zstd == nil {
			c.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<31))
		}
		if err == nil {
			in, err = narrow(in, size)
		}
		if err == nil {
			err = c.zstd.Reset(bytes.NewReader(in))
		}
		if err == nil {
			out, err = readAll(c.zstd, to, size)
		}
	case codecGzip:
		var r io.Reader
		if r, err = gzip.NewReader(bytes.NewReader(in)); err == nil {
			out, err = readAll(r, to, size)
		}
	case codecBrotli:
		out, err = readAll(brotli.NewReader(bytes.NewReader(in)), to, size)
	case codecLZ4Raw:
		out, err = lz4Block(in, to, size)
	case codecLZ4:
		out, err = hadoopLZ4(in, to, size)
	default:
		return nil, fmt.Errorf("a page is compressed with the unknown codec %d: write the file with snappy or zstd", kind)
	}
	if err == nil && len(out) != size {
		err = fmt.Errorf("it has %d bytes, and its header says %d", len(out), size)
	}
	if err != nil {
		return nil, fmt.Errorf("a page can't be decompressed: %w", err)
	}
	return out, nil
}

// room is a slice of size bytes, in to if that is large enough.
func room(to []byte, size int) []byte {
	if cap(to) < size {
		return make([]byte, size)
	}
	return to[:size]
}

// readAll reads size bytes, and takes memory as they come.
func readAll(r io.Reader, to []byte, size int) ([]byte, error) {
	to = to[:0]
	for {
		if len(to) == cap(to) {
			grown := make([]byte, len(to), min(max(64<<10, 4*cap(to)), size+1))
			copy(grown, to)
			to = grown
		}
		n, err := r.Read(to[len(to):cap(to)])
		to = to[:len(to)+n]
		switch {
		case len(to) > size:
			return nil, fmt.Errorf("it has more than the %d bytes that its header says", size)
		case err == io.EOF:
			return to, nil
		case err != nil:
			return nil, err
		}
	}
}

// lz4Block decompresses one block, which has at most 255 times its bytes.
func lz4Block(in, to []byte, size int) ([]byte, error) {
	if size > 255*len(in)+64 {
		return nil, fmt.Errorf("%d bytes can't hold the %d that its header says", len(in), size)
	}
	to = room(to, size)
	if size == 0 {
		return to, nil
	}
	n, err := lz4.UncompressBlock(in, to)
	return to[:max(n, 0)], err
}

// hadoopLZ4 decompresses the format of Hadoop's codec: blocks, each after both of its lengths as big-endian numbers.
// Some writers omit the lengths, and write one block.
func hadoopLZ4(in, to []byte, size int) ([]byte, error) {
	out := room(to, size)[:0]
	rest := in
	for len(rest) >= 8 {
		want, have := int(be.Uint32(rest)), int(be.Uint32(rest[4:]))
		if have > len(rest)-8 || want > size-len(out) {
			return lz4Block(in, to, size)
		}
		block, err := lz4Block(rest[8:8+have], nil, want)
		if err != nil || len(block) != want {
			return lz4Block(in, to, size)
		}
		out, rest = append(out, block...), rest[8+have:]
	}
	if len(rest) > 0 || len(out) != size {
		return lz4Block(in, to, size)
	}
	return out, nil
}
