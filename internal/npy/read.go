package npy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// ReadFile reads an array of booleans, integers or floats of 2, 4 or 8 bytes, in either order and either byte order, as
// float32. A float that float32 has no place for is an error. Errors name the file, which may be a pipe.
func ReadFile(ctx context.Context, path string) (*tensor.Dense, error) {
	f, err := storage.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, size := bufio.NewReaderSize(f, 64<<10), f.Size()
	if b, _ := r.Peek(len(magic)); size == 0 && string(b) == magic { // a pipe, whose size is known at its end
		all, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		r, size = bufio.NewReader(bytes.NewReader(all)), int64(len(all))
	}
	a, err := read(r, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}

var headerParts = regexp.MustCompile(`^\{\s*'descr':\s*'([<>|=])([a-z])(\d+)',\s*'fortran_order':\s*(True|False),\s*'shape':\s*\(([\d, ]*)\),?\s*\}\s*$`)

// read reads a file of so many bytes.
func read(r io.Reader, size int64) (*tensor.Dense, error) {
	start := make([]byte, len(magic)+4)
	if _, err := io.ReadFull(r, start); err != nil || string(start[:len(magic)]) != magic {
		return nil, fmt.Errorf("it is no .npy file")
	}
	length, at := int64(binary.LittleEndian.Uint16(start[len(magic)+2:])), int64(len(start))
	if version := start[len(magic)]; version == 2 || version == 3 {
		more := make([]byte, 2)
		if _, err := io.ReadFull(r, more); err != nil {
			return nil, err
		}
		length |= int64(binary.LittleEndian.Uint16(more)) << 16
		at += 2
	} else if version != 1 {
		return nil, fmt.Errorf("its format has the version %d, not 1 to 3", version)
	}
	if length > size-at || length > 1<<20 {
		return nil, fmt.Errorf("its header of %d bytes is not all there", length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, err
	}
	m := headerParts.FindSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("its header is %q: an array of numbers is expected", bytes.TrimSpace(text))
	}
	decode := elementType(string(m[2]) + string(m[3]))
	if decode == nil {
		return nil, fmt.Errorf("its elements are of type %s%s%s: booleans, integers and floats of 2, 4 or 8 bytes are read", m[1], m[2], m[3])
	}
	shape := tensor.Shape{}
	for s := range strings.SplitSeq(strings.ReplaceAll(string(m[5]), " ", ""), ",") {
		if s == "" {
			continue
		}
		n, err := strconv.Atoi(s)
		if err != nil {
			return nil, fmt.Errorf("its shape (%s) has an extent that is no number of elements", m[5])
		}
		shape = append(shape, n)
	}
	if len(shape) > 1 && shape[0] > 0 && slices.Contains(shape, 0) {
		return nil, fmt.Errorf("it is an array %v, whose rows are empty", shape)
	}
	bytesEach, _ := strconv.Atoi(string(m[3]))
	n, err := shape.CheckedSize(int((size - at - length) / int64(bytesEach)))
	if err != nil || int64(n)*int64(bytesEach) != size-at-length {
		return nil, fmt.Errorf("%d bytes follow its header, which is not what an array %v of elements of %d bytes has", size-at-length, shape, bytesEach)
	}
	a := tensor.New(shape...)
	var order binary.ByteOrder = binary.LittleEndian
	if m[1][0] == '>' {
		order = binary.BigEndian
	}
	b := make([]byte, 8)
	fortran := string(m[4]) == "True"
	for i := range a.Data {
		if _, err := io.ReadFull(r, b[:bytesEach]); err != nil {
			return nil, err
		}
		to := i
		if fortran {
			to = rowMajor(shape, i)
		}
		a.Data[to] = decode(order, b)
		if bytesEach == 8 && math.IsInf(float64(a.Data[to]), 0) && !math.IsInf(math.Float64frombits(order.Uint64(b)), 0) {
			return nil, fmt.Errorf("its element %d is %g, for which float32 has no place", to, math.Float64frombits(order.Uint64(b)))
		}
	}
	return a, nil
}

// rowMajor is the place in C order of the i-th element in Fortran order.
func rowMajor(shape tensor.Shape, i int) int {
	at, stride := 0, shape.Size()
	for _, n := range shape {
		stride /= n
		at += i % n * stride
		i /= n
	}
	return at
}

func elementType(kind string) func(binary.ByteOrder, []byte) float32 {
	return map[string]func(o binary.ByteOrder, b []byte) float32{
		"f2": func(o binary.ByteOrder, b []byte) float32 { return dl4j.FromHalf(o.Uint16(b)) },
		"f4": func(o binary.ByteOrder, b []byte) float32 { return math.Float32frombits(o.Uint32(b)) },
		"f8": func(o binary.ByteOrder, b []byte) float32 { return float32(math.Float64frombits(o.Uint64(b))) },
		"b1": func(_ binary.ByteOrder, b []byte) float32 { return float32(b[0]) },
		"u1": func(_ binary.ByteOrder, b []byte) float32 { return float32(b[0]) },
		"i1": func(_ binary.ByteOrder, b []byte) float32 { return float32(int8(b[0])) },
		"u2": func(o binary.ByteOrder, b []byte) float32 { return float32(o.Uint16(b)) },
		"i2": func(o binary.ByteOrder, b []byte) float32 { return float32(int16(o.Uint16(b))) },
		"u4": func(o binary.ByteOrder, b []byte) float32 { return float32(o.Uint32(b)) },
		"i4": func(o binary.ByteOrder, b []byte) float32 { return float32(int32(o.Uint32(b))) },
		"u8": func(o binary.ByteOrder, b []byte) float32 { return float32(o.Uint64(b)) },
		"i8": func(o binary.ByteOrder, b []byte) float32 { return float32(int64(o.Uint64(b))) },
	}[kind]
}
