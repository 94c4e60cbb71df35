package parquet

import (
	"bytes"
	"errors"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

const (
	// maxWindow is the window that any decoder of Zstandard must support. The decoder takes the memory of a window
	// before it reads the first block.
	maxWindow = 8 << 20
	// minWindow is the least window that leaves blocks of any size readable.
	minWindow = 128 << 10
)

var errFrame = errors.New("its frames are damaged")

// narrow limits the windows of Zstandard frames that hold size bytes together. A window is larger than maxWindow only
// if size is. Where it changes a frame, it returns a copy.
func narrow(in []byte, size int) ([]byte, error) {
	copied := false
	for at := 0; at < len(in); {
		var h zstd.Header
		if err := h.Decode(in[at:]); err != nil {
			return nil, err
		}
		if h.Skippable {
			at += h.HeaderSize + int(h.SkippableSize)
			continue
		}
		if h.HasFCS && h.FrameContentSize > uint64(size) {
			return nil, errors.New("a frame claims more bytes than the page")
		}
		if !h.SingleSegment && h.WindowSize > uint64(max(size, maxWindow)) {
			if !copied {
				in, copied = bytes.Clone(in), true
			}
			// The window's logarithm less 10, in the upper 5 bits, after the magic number and the flags.
			in[at+5] = byte(bits.Len(uint(max(size, minWindow)-1))-10) << 3
		}
		n, err := frameBlocks(in[at+h.HeaderSize:])
		if err != nil {
			return nil, err
		}
		at += h.HeaderSize + n
		if h.HasCheckSum {
			at += 4
		}
	}
	return in, nil
}

// frameBlocks is the number of bytes that the blocks of a frame have.
func frameBlocks(b []byte) (int, error) {
	for at := 0; len(b)-at >= 3; {
		head := int(b[at]) | int(b[at+1])<<8 | int(b[at+2])<<16
		size := head >> 3
		if head>>1&3 == 1 { // one byte, repeated
			size = 1
		}
		if at += 3 + size; at > len(b) {
			break
		}
		if head&1 == 1 {
			return at, nil
		}
	}
	return 0, errFrame
}
