package dl4j

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Reader reads the big-endian primitives of Java's DataOutputStream. It knows its position, for errors, and how many
// bytes can follow, so that callers do not allocate memory for data that is not there. All errors about the bytes are
// *[FormatError]s. Errors of the underlying reader are returned unchanged.
type Reader struct {
	in     io.Reader
	offset int64
	size   int64 // -1 if it is not known
	buf    [16 << 10]byte
}

// NewReader reads from in, which has size bytes. If size is -1, it is not known, and memory is allocated in steps as
// the bytes arrive. in should be buffered if it is a file.
func NewReader(in io.Reader, size int64) *Reader { return &Reader{in: in, size: size} }

// Offset returns the number of bytes read.
func (r *Reader) Offset() int64 { return r.offset }

// Remaining returns the number of bytes that follow, or -1 if that is not known.
func (r *Reader) Remaining() int64 {
	if r.size < 0 {
		return -1
	}
	return r.size - r.offset
}

// Errorf returns a FormatError at the current position.
func (r *Reader) Errorf(format string, args ...any) error {
	return formatErrorf(r.offset, format, args...)
}

// Read makes Reader an io.Reader.
func (r *Reader) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	r.offset += int64(n)
	return n, err
}

// Full reads exactly len(b) bytes into b.
func (r *Reader) Full(b []byte) error {
	n, err := io.ReadFull(r.in, b)
	r.offset += int64(n)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return r.Errorf("the data ends too early: %d more bytes should follow", len(b)-n)
	}
	return err
}

// End returns an error if more bytes follow.
func (r *Reader) End() error {
	switch _, err := io.ReadFull(r.in, r.buf[:1]); err {
	case nil:
		return r.Errorf("more bytes follow where the data should end")
	case io.EOF:
		return nil
	default:
		return err
	}
}

// Uint8 reads a byte.
func (r *Reader) Uint8() (byte, error) {
	err := r.Full(r.buf[:1])
	return r.buf[0], err
}

// Bool reads a Java boolean.
func (r *Reader) Bool() (bool, error) {
	b, err := r.Uint8()
	if err == nil && b > 1 {
		return false, formatErrorf(r.offset-1, "a boolean of value %d", b)
	}
	return b == 1, err
}

// Uint16 reads two bytes.
func (r *Reader) Uint16() (uint16, error) {
	err := r.Full(r.buf[:2])
	return binary.BigEndian.Uint16(r.buf[:2]), err
}

// Int32 reads a Java int.
func (r *Reader) Int32() (int32, error) {
	err := r.Full(r.buf[:4])
	return int32(binary.BigEndian.Uint32(r.buf[:4])), err
}

// Int64 reads a Java long.
func (r *Reader) Int64() (int64, error) {
	err := r.Full(r.buf[:8])
	return int64(binary.BigEndian.Uint64(r.buf[:8])), err
}

// Float64 reads a Java double.
func (r *Reader) Float64() (float64, error) {
	n, err := r.Int64()
	return math.Float64frombits(uint64(n)), err
}

// UTF reads a string in the form of DataOutputStream.writeUTF.
func (r *Reader) UTF() (string, error) {
	n, err := r.Uint16()
	if err != nil {
		return "", err
	}
	return r.modifiedUTF8(int64(n))
}

// shortUTF is UTF for a string of at most limit bytes.
func (r *Reader) shortUTF(limit int) (string, error) {
	n, err := r.Uint16()
	if err == nil && int(n) > limit {
		err = r.Errorf("a string of %d bytes, where at most %d belong", n, limit)
	}
	if err != nil {
		return "", err
	}
	return r.modifiedUTF8(int64(n))
}

// modifiedUTF8 reads n bytes of Java's form of UTF-8.
func (r *Reader) modifiedUTF8(n int64) (string, error) {
	start := r.offset
	b, err := r.bytes(n)
	if err != nil {
		return "", err
	}
	s, err := decodeModifiedUTF8(b)
	if err != nil {
		return "", formatErrorf(start, "%v", err)
	}
	return s, nil
}

// bytes reads n bytes. If it is not known how many follow, it allocates memory as they arrive.
func (r *Reader) bytes(n int64) ([]byte, error) {
	if left := r.Remaining(); left >= 0 && n > left {
		return nil, r.Errorf("%d bytes should follow, and %d do", n, left)
	}
	const step = 64 << 10
	b := make([]byte, min(n, step))
	if err := r.Full(b); err != nil {
		return nil, err
	}
	for int64(len(b)) < n {
		more := min(n-int64(len(b)), int64(len(b)))
		b = append(b, make([]byte, more)...)
		if err := r.Full(b[int64(len(b))-more:]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Expect reads a string as UTF does and fails unless it is the expected one, which identifies the kind of file.
func (r *Reader) Expect(want, kind string) error {
	start := r.offset
	n, err := r.Uint16()
	if err == nil && int(n) == len(want) {
		b := make([]byte, n)
		if err = r.Full(b); err == nil && string(b) == want {
			return nil
		}
	}
	var f *FormatError
	if err == nil || errors.As(err, &f) {
		return &FormatError{Offset: start, Err: fmt.Errorf("not %s: %q should be here", kind, want)}
	}
	return err
}
