package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/tensor"
)

// entry is a tensor in a file.
type entry struct {
	name       string
	dtype      string
	shape      tensor.Shape
	begin, end int64 // bytes, from the start of the data
}

// file is a file whose header has been read.
type file struct {
	r       io.ReaderAt
	data    int64 // where the data begins
	entries []entry
	// metadata is "__metadata__" of the header.
	metadata map[string]string
}

// maxHeader is the maximum length of a header, as in all readers of the format.
const maxHeader = 100_000_000

// sizes are the sizes in bytes of elements, for the types that are read. A file may have others.
var sizes = map[string]int64{"F64": 8, "F32": 4, "F16": 2, "BF16": 2}

// otherBits are the sizes in bits of elements of the types that are not read.
var otherBits = map[string]int64{"BOOL": 8, "U8": 8, "I8": 8, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "I16": 16,
	"U16": 16,
	"I32": 32, "U32": 32, "I64": 64, "U64": 64, "C64": 64, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6}

// failed returns an error at a byte of the file.
func failed(at int64, format string, a ...any) error {
	return &dl4j.FormatError{Offset: at, Err: fmt.Errorf(format, a...)}
}

// open reads and checks the header.
func open(r io.ReaderAt, size int64) (*file, error) {
	var head [8]byte
	if size < 8 {
		return nil, failed(0, "the file has %d bytes: a safetensors file begins with the length of its header, 8 bytes", size)
	}
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, failed(0, "the length of the header cannot be read: %w", err)
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n > maxHeader || int64(n) > size-8 {
		return nil, failed(0, "the header should have %d bytes: the file has %d, and a header at most %d", n, size, maxHeader)
	}
	text := make([]byte, n)
	if _, err := r.ReadAt(text, 8); err != nil && n > 0 {
		return nil, failed(8, "the header cannot be read: %w", err)
	}
	f := &file{r: r, data: 8 + int64(n)}
	if err := f.parse(text); err != nil {
		return nil, err
	}
	return f, f.check(size - f.data)
}

// parse reads the header's JSON.
func (f *file) parse(text []byte) error {
	if !utf8.Valid(text) {
		return failed(8, "the header is not UTF-8")
	}
	if len(text) == 0 || text[0] != '{' {
		return failed(8, "the header does not begin with {")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	wrong := func(err error) error { return failed(8+d.InputOffset(), "the header is not as it should be: %w", err) }
	if _, err := d.Token(); err != nil {
		return wrong(err)
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return wrong(err)
		}
		name, _ := key.(string)
		if seen[name] {
			return wrong(fmt.Errorf("the name %q is there twice", name))
		}
		seen[name] = true
		if name == "__metadata__" {
			if err := d.Decode(&f.metadata); err != nil {
				return wrong(fmt.Errorf("__metadata__ is not an object of texts: %w", err))
			}
			continue
		}
		var e struct {
			Dtype   *string
			Shape   []uint64
			Offsets []uint64 `json:"data_offsets"`
		}
		if err := d.Decode(&e); err != nil {
			return wrong(fmt.Errorf("tensor %q: %w", name, err))
		}
		if e.Dtype == nil || e.Shape == nil || len(e.Offsets) != 2 {
			return wrong(fmt.Errorf("tensor %q has no dtype, no shape, or no two data_offsets", name))
		}
		one := entry{name: name, dtype: *e.Dtype}
		for _, x := range slices.Concat(e.Shape, e.Offsets) {
			if x > math.MaxInt64/16 {
				return wrong(fmt.Errorf("tensor %q has the number %d, larger than any file", name, x))
			}
		}
		for _, x := range e.Shape {
			one.shape = append(one.shape, int(x))
		}
		one.begin, one.end = int64(e.Offsets[0]), int64(e.Offsets[1])
		f.entries = append(f.entries, one)
	}
	if _, err := d.Token(); err != nil {
		return wrong(err)
	}
	if rest := text[d.InputOffset():]; len(bytes.Trim(rest, " \t\r\n")) > 0 {
		return wrong(errors.New("something stands behind the JSON"))
	}
	return nil
}

// check checks that the tensors fill the data, one after the other.
func (f *file) check(size int64) error {
	sorted := slices.Clone(f.entries)
	slices.SortStableFunc(sorted, func(a, b entry) int {
		if a.begin != b.begin {
			return int(min(1, max(-1, a.begin-b.begin)))
		}
		return int(min(1, max(-1, a.end-b.end)))
	})
	at := int64(0)
	for _, e := range sorted {
		if e.begin != at || e.end < e.begin {
			return failed(8, "tensor %q has the bytes from %d to %d of the data, and should begin at %d", e.name, e.begin, e.end,
				at)
		}
		at = e.end
		bits, known := otherBits[e.dtype]
		if n, ok := sizes[e.dtype]; ok {
			bits, known = 8*n, true
		}
		if !known {
			return failed(8, "tensor %q has the type %q, which is unknown", e.name, e.dtype)
		}
		elements, err := e.shape.CheckedSize(math.MaxInt64 / 64)
		if err != nil || int64(elements)*bits != 8*(e.end-e.begin) {
			return failed(8, "tensor %q of %s has the shape %v and %d bytes", e.name, e.dtype, e.shape, e.end-e.begin)
		}
	}
	if at != size {
		return failed(f.data, "the data have %d bytes, and the tensors %d", size, at)
	}
	return nil
}

// each reads a tensor's elements in their order, as float32, in parts.
func (f *file) each(e entry, use func(i int, x float32)) error {
	size := sizes[e.dtype]
	if size == 0 {
		return failed(8, "tensor %q has the type %s: a parameter must be F32, F64, F16 or BF16", e.name, e.dtype)
	}
	r := io.NewSectionReader(f.r, f.data+e.begin, e.end-e.begin)
	part := make([]byte, min(e.end-e.begin, 1<<16))
	for i := 0; i < e.shape.Size(); {
		n := min(int64(len(part)), size*int64(e.shape.Size()-i))
		if _, err := io.ReadFull(r, part[:n]); err != nil {
			return failed(f.data+e.begin, "tensor %q: %w", e.name, err)
		}
		for at := int64(0); at < n; at += size {
			use(i, element(e.dtype, part[at:]))
			i++
		}
	}
	return nil
}

func element(dtype string, b []byte) float32 {
	switch dtype {
	case "F64":
		return float32(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	case "F32":
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	case "BF16":
		return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16)
	}
	return dl4j.FromHalf(binary.LittleEndian.Uint16(b))
}

// array is a tensor to write: at returns its elements in C order.
type array struct {
	name  string
	shape tensor.Shape
	at    func(i int) float32
}

// write writes a file of float32. The tensors are in the order of their names.
func write(w io.Writer, metadata map[string]string, arrays []array) error {
	slices.SortFunc(arrays, func(a, b array) int { return strings.Compare(a.name, b.name) })
	type written struct {
		Dtype   string  `json:"dtype"`
		Shape   []int   `json:"shape"`
		Offsets []int64 `json:"data_offsets"`
	}
	var head bytes.Buffer
	put := func(name string, value any) error {
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		head.WriteByte("{,"[min(1, head.Len())])
		head.Write(key)
		head.WriteByte(':')
		head.Write(text)
		return nil
	}
	if err := put("__metadata__", metadata); err != nil {
		return err
	}
	at := int64(0)
	for _, a := range arrays {
		n := 4 * int64(a.shape.Size())
		if err := put(a.name, written{"F32", append([]int{}, a.shape...), []int64{at, at + n}}); err != nil {
			return err
		}
		at += n
	}
	head.WriteByte('}')
	for head.Len()%8 != 0 {
		head.WriteByte(' ')
	}
	if head.Len() > maxHeader {
		return fmt.Errorf("the header would take %d bytes: readers of safetensors take %d", head.Len(), maxHeader)
	}
	if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(head.Len()))); err != nil {
		return err
	}
	if _, err := w.Write(head.Bytes()); err != nil {
		return err
	}
	for _, a := range arrays {
		part := make([]byte, 0, 1<<16)
		for i, n := 0, a.shape.Size(); i < n; i++ {
			part = binary.LittleEndian.AppendUint32(part, math.Float32bits(a.at(i)))
			if len(part) == cap(part) || i == n-1 {
				if _, err := w.Write(part); err != nil {
					return err
				}
				part = part[:0]
			}
		}
	}
	return nil
}
