package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"github.com/dl4go/dl4go/pipeline"
)

// madeColumn is a column of a made file: its pages have random sizes, versions, encodings and gaps.
type madeColumn struct {
	element
	optional bool
	codec    int
	zstd     *zstd.Encoder
	want     []pipeline.Value // of all rows
	plain    [][]byte         // the values of a row group that are not null, as plain values
	null     []bool           // of its rows
}

// madeKinds are the physical types, those of texts and numbers of bytes with what they mean.
var madeKinds = []element{{physical: physicalBoolean}, {physical: physicalInt32}, {physical: physicalInt64},
	{physical: physicalInt96}, {physical: physicalFloat}, {physical: physicalDouble},
	{physical: physicalBytes, logical: logical{kind: logicalString}}, {physical: physicalBytes},
	{physical: physicalFixed, length: 3}, {physical: physicalFixed, length: 16, logical: logical{kind: logicalUUID}}}

// value adds a random value to the group. There are few different ones if few is set.
func (c *madeColumn) value(r *rand.Rand, few bool) pipeline.Value {
	n := r.Uint64()
	if few {
		n = uint64(r.IntN(40))
	}
	var b []byte
	var v pipeline.Value
	switch c.physical {
	case physicalBoolean:
		b, v = []byte{byte(n & 1)}, pipeline.Boolean(n&1 == 1)
	case physicalInt32:
		b, v = le.AppendUint32(nil, uint32(n)), pipeline.Integer(int32(n))
	case physicalInt64:
		b, v = le.AppendUint64(nil, n), pipeline.Long(int64(n))
	case physicalInt96:
		n %= 86_400_000
		b = le.AppendUint32(le.AppendUint64(nil, n*1e6), julianEpoch+uint32(n%100))
		v = pipeline.Long(int64(n%100)*millisADay + int64(n))
	case physicalFloat:
		x := float32(int64(n)) / 3
		b, v = le.AppendUint32(nil, math.Float32bits(x)), pipeline.Float(x)
	case physicalDouble:
		x := float64(int64(n)) / 3
		b, v = le.AppendUint64(nil, math.Float64bits(x)), pipeline.Double(x)
	case physicalBytes:
		text := strings.Repeat("ü", int(n%4)) + fmt.Sprint(n)
		if n%7 == 0 {
			text = ""
		}
		b = append(le.AppendUint32(nil, uint32(len(text))), text...)
		v = pipeline.Bytes([]byte(text))
		if c.logical.kind == logicalString {
			v = pipeline.Text(text)
		}
	default:
		b = make([]byte, c.length)
		be.PutUint16(b, uint16(n))
		v = pipeline.Bytes(b)
		if c.logical.kind == logicalUUID {
			v = pipeline.Text(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
		}
	}
	c.plain = append(c.plain, b)
	return v
}

// group writes the pages of a row group.
func (c *madeColumn) group(r *rand.Rand, file *bytes.Buffer, rows int) chunkMeta {
	c.plain, c.null = nil, nil
	gaps, few := []float64{0, 0.1, 0.95, 1}[r.IntN(4)], r.IntN(3) > 0
	inRuns := r.IntN(2) == 0
	for i := range rows {
		null := c.optional && r.Float64() < gaps
		if inRuns && i%9 > 0 {
			null = c.null[i-1]
		}
		c.null = append(c.null, null)
		v := pipeline.Null()
		if !null {
			v = c.value(r, few)
		}
		c.want = append(c.want, v)
	}
	meta := chunkMeta{physical: c.physical, codec: c.codec, values: int64(rows), data: int64(file.Len())}
	known := map[string]uint32{}
	if r.IntN(4) > 0 { // of booleans, too, which is allowed
		var dictionary []byte
		entries := 0
		for _, b := range c.plain[:len(c.plain)*(1+r.IntN(3))/3] { // pages with later values fall back to other encodings
			if _, twice := known[string(b)]; !twice && c.physical != physicalBoolean {
				known[string(b)] = uint32(entries)
				dictionary = append(dictionary, b...)
				entries++
			}
		}
		if entries > 0 {
			file.Write(c.page(pageDictionary, entries, encodingPlain, nil, dictionary))
			meta.dictionary = meta.data
		}
	}
	for from, value := 0, 0; from < rows; {
		end := min(from+1+r.IntN(1+r.IntN(700)), rows)
		present := 0
		for _, null := range c.null[from:end] {
			if !null {
				present++
			}
		}
		encoding, body := c.encode(r, c.plain[value:value+present], known)
		kind := pageData
		if r.IntN(2) == 0 {
			kind = pageDataV2
		}
		file.Write(c.page(kind, end-from, encoding, c.null[from:end], body))
		from, value = end, value+present
	}
	meta.size = int64(file.Len()) - meta.data
	return meta
}

// encode encodes the values of a page: by the dictionary if it has all of them, and otherwise in some other encoding.
func (c *madeColumn) encode(r *rand.Rand, plain [][]byte, known map[string]uint32) (encoding int, body []byte) {
	indices, all := []uint32{}, len(known) > 0
	for _, b := range plain {
		k, ok := known[string(b)]
		indices, all = append(indices, k), all && ok
	}
	numbers := func(of func([]byte) uint64) (list []uint64) {
		for _, b := range plain {
			list = append(list, of(b))
		}
		return list
	}
	length := func(b []byte) uint64 { return uint64(len(b) - 4) }
	other := r.IntN(3)
	switch joined := bytes.Join(plain, nil); {
	case all:
		return encodingDictionary, packed(indices, len(known))
	case c.physical == physicalBoolean && other == 0:
		var bits []uint32
		for _, b := range plain {
			bits = append(bits, uint32(b[0]))
		}
		runs := packed(bits, 2)[1:]
		return encodingRLE, append(le.AppendUint32(nil, uint32(len(runs))), runs...)
	case c.physical == physicalBoolean:
		bits := make([]byte, (len(plain)+7)/8)
		for i, b := range plain {
			bits[i/8] |= b[0] << (i % 8)
		}
		return encodingPlain, bits
	case c.physical == physicalInt32 && other == 0:
		return encodingDelta, deltaBytes(numbers(func(b []byte) uint64 { return uint64(int32(le.Uint32(b))) }))
	case c.physical == physicalInt64 && other == 0:
		return encodingDelta, deltaBytes(numbers(le.Uint64))
	case c.physical == physicalBytes && other == 0:
		body = deltaBytes(numbers(length))
		for _, b := range plain {
			body = append(body, b[4:]...)
		}
		return encodingDeltaLength, body
	case c.physical == physicalBytes && other == 1:
		var shared, rest []uint64
		last := []byte{}
		for _, b := range plain {
			n := 0
			for text := b[4:]; n < min(len(text), len(last)) && text[n] == last[n]; {
				n++
			}
			last = b[4:]
			shared, rest, body = append(shared, uint64(n)), append(rest, uint64(len(last)-n)), append(body, last[n:]...)
		}
		return encodingDeltaBytes, append(append(deltaBytes(shared), deltaBytes(rest)...), body...)
	case c.physical != physicalBytes && other == 1 && len(plain) > 0:
		size := len(plain[0])
		for k := range size {
			for i := range plain {
				body = append(body, joined[i*size+k])
			}
		}
		return encodingSplit, body
	default:
		return encodingPlain, joined
	}
}

// deltaBytes encodes numbers as DELTA_BINARY_PACKED, with 64 bits for each difference.
func deltaBytes(list []uint64) []byte {
	b := binary.AppendUvarint([]byte{128, 1, 4}, uint64(len(list)))
	if len(list) == 0 {
		return append(b, 0)
	}
	b = binary.AppendVarint(b, int64(list[0]))
	for at := 1; at < len(list); at += 128 {
		b = append(b, 0, 64, 64, 64, 64)
		for i := at; i < at+128 && (i-at)/32*32+at < len(list); i++ {
			if i < len(list) {
				b = le.AppendUint64(b, list[i]-list[i-1])
			} else {
				b = le.AppendUint64(b, 0)
			}
		}
	}
	return b
}

// page returns a page with its header.
func (c *madeColumn) page(kind, values, encoding int, null []bool, body []byte) []byte {
	levels := []byte{}
	if c.optional && kind != pageDictionary {
		for _, n := range null {
			level := byte(1)
			if n {
				level = 0
			}
			levels = append(levels, level)
		}
		levels = appendLevels(nil, levels, 1)
	}
	t := &thriftWriter{}
	var packed []byte
	if kind == pageDataV2 {
		levels = levels[min(4, len(levels)):]
		packed = append(bytes.Clone(levels), c.compressed(body)...)
	} else {
		packed = c.compressed(append(bytes.Clone(levels), body...))
	}
	if kind == pageDictionary {
		return append(dictionaryHeader(values, len(body), packed), packed...)
	}
	t.pageHeader(kind, len(levels)+len(body), packed)
	if kind == pageData {
		t.structure(5)
		t.i32(1, values)
		t.i32(2, encoding)
		t.i32(3, encodingRLE)
		t.i32(4, encodingRLE)
	} else {
		t.structure(8)
		t.i32(1, values)
		t.i32(2, 0)
		t.i32(3, values)
		t.i32(4, encoding)
		t.i32(5, len(levels))
		t.i32(6, 0)
	}
	t.end()
	t.end()
	return append(t.b, packed...)
}

func (c *madeColumn) compressed(b []byte) []byte {
	switch c.codec {
	case codecSnappy:
		return snappy.Encode(nil, b)
	case codecGzip:
		var out bytes.Buffer
		w, _ := gzip.NewWriterLevel(&out, gzip.StatelessCompression)
		w.Write(b)
		w.Close()
		return out.Bytes()
	case codecZstd:
		return c.zstd.EncodeAll(b, nil)
	}
	return otherCodecs(c.codec, b)
}

// makeFile makes a file of some row groups, with a column of each kind.
func makeFile(r *rand.Rand, to *zstd.Encoder) (*File, []*madeColumn) {
	var columns []*madeColumn
	f := &File{path: "x"}
	for i, e := range madeKinds {
		e.repetition, e.name = r.IntN(2), fmt.Sprint("c", i)
		c := &madeColumn{element: e, zstd: to, optional: e.repetition == fieldOptional,
			codec: []int{codecNone, codecSnappy, codecGzip, codecZstd}[r.IntN(4)]}
		columns = append(columns, c)
		f.Columns = append(f.Columns, columnOf(&node{element: e, chunk: i}))
	}
	var file bytes.Buffer
	for range 1 + r.IntN(3) {
		g := rowGroup{rows: int64(1 + r.IntN(1500))}
		for _, c := range columns {
			g.chunks = append(g.chunks, c.group(r, &file, int(g.rows)))
		}
		f.Rows += g.rows
		f.groups = append(f.groups, g)
	}
	f.in = bytes.NewReader(file.Bytes())
	return f, columns
}

// TestPages reads values of all physical types from pages of all encodings and codecs, which end anywhere, and fall
// back from a dictionary to other encodings. Value, Column and Float32s return what was written. Batches that are kept
// do not change when later rows are read.
func TestPages(t *testing.T) {
	to, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 21))
		f, columns := makeFile(r, to)
		for _, batch := range []int{1 + r.IntN(50), 512, 1 << 20} {
			reader, err := f.Reader([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
			if err != nil {
				t.Fatal(err)
			}
			var kept []*pipeline.Batch
			row := 0
			for {
				n, err := reader.Next(batch)
				if err != nil {
					t.Fatalf("seed %d, row %d: %v", seed, row, err)
				}
				if n == 0 {
					break
				}
				b := &pipeline.Batch{}
				b.Reset(len(columns), n)
				for k, c := range columns {
					if seed%2 == 0 { // before the values are asked for in another form
						checkFloat32s(t, reader, k, c.want[row:row+n])
					}
					if err := reader.Column(k, b, k); err != nil {
						t.Fatal(err)
					}
					for i := range n {
						v, err := reader.Value(k, i)
						if want := c.want[row+i]; err != nil || v != want || b.Value(k, i) != want {
							t.Fatalf("seed %d, batches of %d, column %d, row %d: Value gives %v, Column %v, not %v (%v)",
								seed, batch, k, row+i, v, b.Value(k, i), want, err)
						}
					}
					checkFloat32s(t, reader, k, c.want[row:row+n])
				}
				kept = append(kept, &pipeline.Batch{})
				kept[len(kept)-1].Keep(b)
				row += n
			}
			if row != int(f.Rows) {
				t.Fatalf("seed %d: %d of %d rows", seed, row, f.Rows)
			}
			row = 0
			for _, b := range kept {
				for i := range b.Rows() {
					for k, c := range columns {
						if got := b.Value(k, i); got != c.want[row] {
							t.Fatalf("seed %d, column %d, row %d: %v was kept, not %v", seed, k, row, got, c.want[row])
						}
					}
					row++
				}
			}
		}
	}
}

// checkFloat32s compares a column of numbers without nulls with its values.
func checkFloat32s(t *testing.T, r *Reader, column int, want []pipeline.Value) {
	t.Helper()
	if !r.columns[column].Numeric() {
		return
	}
	to := make([]float32, len(want))
	err := r.Float32s(column, 1, to, 1)
	for i, v := range want {
		if v.IsNull() {
			if err == nil {
				t.Fatal("a null is a number")
			}
			return
		}
		if x, _ := v.Double(); err == nil && to[i] != float32(x) {
			t.Fatalf("column %d: %v, not %v", column, to[i], x)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDictionaryBelow: an index beyond the dictionary is an error, also for texts.
func TestDictionaryBelow(t *testing.T) {
	for _, e := range []element{madeKinds[1], madeKinds[6]} {
		c := &madeColumn{element: e, codec: codecNone}
		c.name = "c"
		c.value(rand.New(rand.NewPCG(1, 1)), true)
		var file bytes.Buffer
		meta := chunkMeta{physical: e.physical, values: 1}
		file.Write(c.page(pageDictionary, 1, encodingPlain, nil, c.plain[0]))
		file.Write(c.page(pageData, 1, encodingDictionary, []bool{false}, packed([]uint32{1}, 2)))
		meta.size = int64(file.Len())
		f := &File{path: "x", Rows: 1, in: bytes.NewReader(file.Bytes()),
			Columns: []Column{columnOf(&node{element: c.element})},
			groups:  []rowGroup{{rows: 1, chunks: []chunkMeta{meta}}}}
		r, err := f.Reader([]int{0})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(1); err == nil || err == io.EOF || !strings.Contains(err.Error(), errIndex.Error()) {
			t.Errorf("type %s: %v", physicalNames[e.physical], err)
		}
	}
}
