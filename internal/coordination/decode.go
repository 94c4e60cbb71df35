package coordination

import (
	"encoding/binary"
	"fmt"
	"math"
)

// FormatError says why a frame can't be decoded.
type FormatError struct {
	Offset  int // in the frame, in bytes
	Problem string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("gradient sharing: a message is damaged or foreign: byte %d: %s", e.Offset, e.Problem)
}

// Decode reads a frame of this job. The message's vectors share frame, which must not be changed from now on. Decode
// allocates at most a small multiple of the frame's length. Errors are of type *FormatError.
func Decode(frame []byte, job JobID) (Message, error) {
	if len(frame) < 6 {
		return nil, &FormatError{len(frame), "it ends too early"}
	}
	body := frame[:len(frame)-4]
	if frame[0] != version {
		return nil,
			&FormatError{0,
				fmt.Sprintf("version %d of the protocol, this program speaks version %d: all must run the same program", frame[0],
					version)}
	}
	if binary.LittleEndian.Uint32(frame[len(body):]) != checksum(job, body) {
		return nil, &FormatError{len(body), "the checksum does not fit: it was changed on its way, or belongs to another job"}
	}
	r := reader{b: body, at: 2}
	m := r.message(kind(frame[1]))
	if r.err == nil && r.at != len(body) {
		r.fail("something follows")
	}
	if r.err != nil {
		return nil, r.err
	}
	return m, nil
}

// maxEntries bounds the entries of a Log, which take more memory than bytes.
const maxEntries = 1 << 16

// reader reads fields. After an error it returns zeros.
type reader struct {
	b   []byte
	at  int
	err error
}

func (r *reader) fail(problem string) {
	if r.err == nil {
		r.err = &FormatError{r.at, problem}
	}
	r.at = len(r.b)
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 {
		r.fail("a number is cut or too large")
		return 0
	}
	r.at += n
	return v
}

func (r *reader) uint32() uint32 {
	v := r.uint()
	if v > math.MaxUint32 {
		r.fail("a number is too large")
		return 0
	}
	return uint32(v)
}

func (r *reader) bool() bool {
	v := r.uint()
	if v > 1 {
		r.fail("neither true nor false")
	}
	return v == 1
}

func (r *reader) fixed64() uint64 {
	if len(r.b)-r.at < 8 {
		r.fail("it ends too early")
		return 0
	}
	r.at += 8
	return binary.LittleEndian.Uint64(r.b[r.at-8:])
}

// count reads the length of a list whose elements take at least a byte each.
func (r *reader) count() int {
	n := r.uint()
	if n > uint64(len(r.b)-r.at) {
		r.fail("it ends too early")
		return 0
	}
	return int(n)
}

func (r *reader) bytes() []byte {
	n := r.count()
	r.at += n
	return r.b[r.at-n : r.at : r.at]
}

func (r *reader) optional() []byte {
	if !r.bool() {
		return nil
	}
	return r.bytes()
}

func (r *reader) string() string { return string(r.bytes()) }

func (r *reader) uints() []uint32 {
	v := make([]uint32, r.count())
	for i := range v {
		v[i] = r.uint32()
	}
	return v
}

// message reads a message of a kind.
func (r *reader) message(k kind) Message {
	m := blank(k)
	if m == nil {
		r.at = 1
		r.fail(fmt.Sprintf("there is no message of kind %d", k))
		return nil
	}
	c := coder{r: r}
	c.message(m)
	return m
}
