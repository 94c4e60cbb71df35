package dl4j

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/dl4go/dl4go/tensor"
)

// Writer writes the big-endian primitives of Java's DataInputStream. It keeps the first error, which Err returns.
type Writer struct {
	out io.Writer
	err error
	buf [16 << 10]byte
}

// NewWriter writes to out, which should be buffered if it is a file.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Err returns the first error.
func (w *Writer) Err() error { return w.err }

// Write makes Writer an io.Writer.
func (w *Writer) Write(b []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	var n int
	n, w.err = w.out.Write(b)
	return n, w.err
}

// Uint8 writes a byte.
func (w *Writer) Uint8(b byte) {
	w.buf[0] = b
	w.Write(w.buf[:1])
}

// Bool writes a Java boolean.
func (w *Writer) Bool(b bool) {
	if b {
		w.Uint8(1)
	} else {
		w.Uint8(0)
	}
}

// Uint16 writes two bytes.
func (w *Writer) Uint16(n uint16) {
	binary.BigEndian.PutUint16(w.buf[:], n)
	w.Write(w.buf[:2])
}

// Int32 writes a Java int.
func (w *Writer) Int32(n int32) {
	binary.BigEndian.PutUint32(w.buf[:], uint32(n))
	w.Write(w.buf[:4])
}

// Int64 writes a Java long.
func (w *Writer) Int64(n int64) {
	binary.BigEndian.PutUint64(w.buf[:], uint64(n))
	w.Write(w.buf[:8])
}

// Float64 writes a Java double.
func (w *Writer) Float64(x float64) { w.Int64(int64(math.Float64bits(x))) }

// UTF writes a string in the form of DataOutputStream.writeUTF. It must not be longer than 65,535 bytes.
func (w *Writer) UTF(s string) {
	b := appendModifiedUTF8(nil, s)
	if len(b) > math.MaxUint16 && w.err == nil {
		w.err = fmt.Errorf("a string of %d bytes is too long for the file", len(b))
	}
	w.Uint16(uint16(len(b)))
	w.Write(b)
}

// Array writes a in the form of Nd4j.write, with type FLOAT and the given order. A shape with an extent of 0 is an
// empty array.
func (w *Writer) Array(a *tensor.Dense, order Order) {
	extras := int64(0x2000) // the type FLOAT
	if len(a.Data) == 0 {
		extras |= emptyFlag
	}
	w.shapeInfo(a.Shape, order, extras)
	w.UTF(allocationMode)
	w.Int64(int64(len(a.Data)))
	w.UTF(string(Float))
	data := a.Data
	if order == Fortran {
		data = columnMajor(a)
	}
	for len(data) > 0 && w.err == nil {
		n := min(len(data), len(w.buf)/4)
		for i, v := range data[:n] {
			binary.BigEndian.PutUint32(w.buf[4*i:], math.Float32bits(v))
		}
		w.Write(w.buf[:4*n])
		data = data[n:]
	}
}

// shapeInfo writes the first of an array's two buffers.
func (w *Writer) shapeInfo(shape tensor.Shape, order Order, extras int64) {
	rank := len(shape)
	empty := extras&emptyFlag != 0
	w.UTF(allocationMode)
	w.Int64(int64(2*rank + 4))
	w.UTF("LONG")
	w.Int64(int64(rank))
	for _, d := range shape {
		w.Int64(int64(d))
	}
	vector := rank == 2 && (shape[0] == 1 || shape[1] == 1) // Nd4j sets its strides to 1
	for _, s := range denseStrides(shape, byte(order)) {
		if empty {
			s = 0
		} else if vector {
			s = 1
		}
		w.Int64(s)
	}
	w.Int64(extras)
	if empty {
		w.Int64(0)
	} else {
		w.Int64(1) // element-wise stride of a dense array
	}
	w.Int64(int64(order))
}

// columnMajor returns a's elements in 'f' order.
func columnMajor(a *tensor.Dense) []float32 {
	t := &tensor.Dense{Shape: make(tensor.Shape, len(a.Shape)), Data: a.Data}
	memory := make([]int, len(a.Shape))
	for i, d := range a.Shape {
		t.Shape[len(a.Shape)-1-i] = d
		memory[i] = i
	}
	toRowMajor(t, memory) // a in C order is its transpose in 'f' order
	return t.Data
}

// WriteArray writes a in the form of Nd4j.write, in C order: see [Writer.Array].
func WriteArray(out io.Writer, a *tensor.Dense) error {
	w := NewWriter(out)
	w.Array(a, C)
	return w.Err()
}

// WriteVector writes a flat vector in the form of coefficients.bin and updaterState.bin: rank 1.
func WriteVector(out io.Writer, x []float32) error {
	return WriteArray(out, &tensor.Dense{Shape: tensor.Shape{len(x)}, Data: x})
}
