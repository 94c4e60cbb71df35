package mesh

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc/mem"

	"github.com/dl4go/dl4go/internal/coordination"
)

// A message's frame (coordination.Encode) goes over a stream in parts. Each part is a gRPC message: 8 bytes with the
// length of the rest of the frame after this part, and then the part.
const (
	partHeader = 8
	partSize   = 128 << 10
)

// part is a part to be sent.
type part struct {
	rest int
	data mem.Buffer
}

// frame assembles received parts.
type frame struct {
	limit   int
	header  [partHeader]byte
	data    []byte
	rest    int
	begun   bool
	scratch []byte // of an earlier message that does not refer to it
	err     error
}

// grows is the largest frame whose memory is allocated at once. A larger frame grows as its parts come.
const grows = 4 << 20

func (f *frame) reset() { f.data, f.rest, f.begun = nil, 0, false }

// add appends a part.
func (f *frame) add(data mem.BufferSlice) error {
	r := data.Reader()
	defer r.Close()
	if _, err := io.ReadFull(r, f.header[:]); err != nil {
		return errors.New("a part of a message is too short")
	}
	rest, size := binary.LittleEndian.Uint64(f.header[:]), r.Remaining()
	switch {
	case f.begun && (rest != uint64(f.rest-size) || size == 0):
		return errors.New("a part of a message does not follow the one before")
	case rest > uint64(f.limit) || int(rest)+size+len(f.data) > f.limit:
		return fmt.Errorf("it announces one that is longer: %w", &lengthError{int(min(rest, 1<<62)) + size, f.limit})
	}
	if !f.begun {
		if total := int(rest) + size; total <= cap(f.scratch) {
			f.data, f.scratch = f.scratch[:0], nil
		} else {
			f.data = make([]byte, 0, min(total, grows))
		}
	}
	f.begun, f.rest = true, int(rest)
	from := len(f.data)
	if need := from + size; need > cap(f.data) {
		f.data = append(make([]byte, 0, min(need+int(rest), max(need, 2*cap(f.data)))), f.data...)
	}
	f.data = f.data[:from+size]
	_, err := io.ReadFull(r, f.data[from:])
	return err
}

// recycle keeps the memory for the next frame, unless the message refers to it.
func (f *frame) recycle(m coordination.Message) {
	switch m.(type) {
	case *coordination.Snapshot, *coordination.Update, *coordination.State, *coordination.Log, *coordination.Part:
	default:
		f.scratch = f.data
	}
	f.data = nil
}

// codec marshals and unmarshals parts for gRPC.
type codec struct{}

func (codec) Name() string { return "dl4go-mesh" }

func (codec) Marshal(v any) (mem.BufferSlice, error) {
	p, ok := v.(*part)
	if !ok {
		return nil, fmt.Errorf("mesh: a %T is not sent", v)
	}
	header := binary.LittleEndian.AppendUint64(nil, uint64(p.rest))
	return mem.BufferSlice{mem.SliceBuffer(header), p.data}, nil
}

func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	f, ok := v.(*frame)
	if !ok {
		return fmt.Errorf("mesh: a %T is not received", v)
	}
	f.err = f.add(data)
	return nil
}
