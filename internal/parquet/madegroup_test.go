package parquet

import (
	"bytes"
	"hash/crc32"
	"math/rand/v2"

	"github.com/andybalholm/brotli"
	"github.com/pierrec/lz4/v4"
)

// group writes a row group, and returns its metadata.
func (m *maker) group(rows int) *thriftNode {
	at := m.file.Len()
	vectors := m.vectors(rows)
	chunks := nodeList(1, thriftStruct)
	for _, l := range m.leaves {
		l.reps, l.defs, l.starts, l.plain = nil, nil, nil, nil
		if of, ok := vectors[l.path[0]]; ok {
			l.ofVectors(of)
		} else {
			nulls, few := []float64{0, 0.1, 0.9, 1}[m.r.IntN(4)], m.r.IntN(3) > 0
			for range rows {
				l.starts = append(l.starts, len(l.defs))
				l.entries(m.r, 0, 0, 0, 0, nulls, few)
			}
		}
		chunks.parts = append(chunks.parts, m.chunk(l))
	}
	return nodeStruct(0, chunks, nodeInt(2, thriftI64, int64(m.file.Len()-at)), nodeInt(3, thriftI64, int64(rows)))
}

// entries adds the entries of a row for the path from its k-th field on.
func (l *madeLeaf) entries(r *rand.Rand, k int, rep, def, deep uint32, nulls float64, few bool) {
	if k == len(l.path) {
		l.entry(rep, def)
		l.value(r, few)
		return
	}
	switch l.path[k].repetition {
	case fieldRequired:
		l.entries(r, k+1, rep, def, deep, nulls, few)
	case fieldOptional:
		if r.Float64() < nulls {
			l.entry(rep, def)
			return
		}
		l.entries(r, k+1, rep, def+1, deep, nulls, few)
	default:
		n := 2
		if k == len(l.path)-1 || l.path[0].repetition == fieldRepeated || len(l.path) < 5 {
			n = r.IntN(4) // lists in lists have one length
		}
		if n == 0 {
			l.entry(rep, def)
		}
		for i := range n {
			if i > 0 {
				rep = deep + 1
			}
			l.entries(r, k+1, rep, def+1, deep+1, 0, few)
		}
	}
}

func (l *madeLeaf) entry(rep, def uint32) {
	l.reps, l.defs = append(l.reps, rep), append(l.defs, def)
}

// madeVector is one of Spark's, or null if it has no numbers.
type madeVector struct {
	numbers, indices []int
	sparse           bool
	size             int
}

// vectors makes the values of the columns of vectors.
func (m *maker) vectors(rows int) map[*madeNode][]madeVector {
	all := map[*madeNode][]madeVector{}
	for _, l := range m.leaves {
		top := l.path[0]
		if top.fields == nil || top.length == 0 || all[top] != nil {
			continue
		}
		for range rows {
			v := madeVector{sparse: m.r.IntN(2) == 0, size: 20}
			if top.repetition == fieldRequired || m.r.IntN(5) > 0 {
				for i := range 1 + m.r.IntN(4) {
					v.numbers, v.indices = append(v.numbers, m.r.IntN(100)), append(v.indices, 3*i)
				}
			}
			all[top] = append(all[top], v)
		}
	}
	return all
}

// ofVectors makes the entries of one of the leaves of vectors: type, size, indices and values.
func (l *madeLeaf) ofVectors(all []madeVector) {
	top := uint32(l.maxDef)
	outer := uint32(l.path[0].repetition) // the level of a vector that is there
	add := func(rep uint32, n int) {
		l.entry(rep, top)
		if l.physical == physicalDouble {
			l.plain = append(l.plain, le.AppendUint64(nil, uint64(n)<<52))
		} else {
			l.plain = append(l.plain, le.AppendUint32(nil, uint32(n)))
		}
	}
	for _, v := range all {
		l.starts = append(l.starts, len(l.defs))
		list, there := []int{1}, true
		switch name := l.path[1].name; {
		case name == "type" && v.sparse:
			list = []int{0}
		case name == "size":
			list, there = []int{v.size}, v.sparse
		case name == "indices":
			list, there = v.indices, v.sparse
		case name == "values":
			list = v.numbers
		}
		switch {
		case v.numbers == nil:
			l.entry(0, 0)
		case !there:
			l.entry(0, outer)
		default:
			for i, n := range list {
				add(min(uint32(i), 1), n)
			}
		}
	}
}

// chunk writes the pages of a leaf, and returns its metadata.
func (m *maker) chunk(l *madeLeaf) *thriftNode {
	r, at := m.r, m.file.Len()
	known, data := map[string]uint32{}, at
	if r.IntN(2) == 0 && l.physical != physicalBoolean && len(l.plain) > 0 {
		var dictionary []byte
		for _, b := range l.plain[:max(1, len(l.plain)*(1+r.IntN(3))/3)] {
			if _, twice := known[string(b)]; !twice {
				known[string(b)] = uint32(len(known))
				dictionary = append(dictionary, b...)
			}
		}
		m.file.Write(l.madePage(r, pageDictionary, len(known), encodingPlain, nil, nil, 0, dictionary))
		data = m.file.Len()
	}
	for row, value := 0, 0; row < len(l.starts); {
		end := min(row+1+r.IntN(40), len(l.starts))
		from, to := l.starts[row], len(l.defs)
		if end < len(l.starts) {
			to = l.starts[end]
		}
		present := 0
		for _, d := range l.defs[from:to] {
			if d == uint32(l.maxDef) {
				present++
			}
		}
		encoding, body := l.encode(r, l.plain[value:value+present], known)
		kind := []int{pageData, pageDataV2}[r.IntN(2)]
		m.file.Write(l.madePage(r, kind, to-from, encoding, l.reps[from:to], l.defs[from:to], end-row, body))
		row, value = end, value+present
	}
	meta := nodeStruct(3, nodeInt(1, thriftI32, int64(l.physical)),
		nodeList(2, thriftI32, nodeInt(0, thriftI32, encodingPlain), nodeInt(0, thriftI32, encodingRLE)),
		nodeList(3, thriftBinary), nodeInt(4, thriftI32, int64(l.codec)), nodeInt(5, thriftI64, int64(len(l.defs))),
		nodeInt(6, thriftI64, int64(m.file.Len()-at)), nodeInt(7, thriftI64, int64(m.file.Len()-at)),
		nodeInt(9, thriftI64, int64(data)))
	for _, n := range l.path {
		meta.field(3).parts = append(meta.field(3).parts, nodeText(0, n.name))
	}
	if data > at {
		meta.parts = append(meta.parts, nodeInt(11, thriftI64, int64(at)))
	}
	if r.IntN(2) == 0 && l.maxRep == 0 {
		meta.parts = append(meta.parts, l.statistics(r))
	}
	chunk := nodeStruct(0, nodeInt(2, thriftI64, int64(data)), meta)
	if r.IntN(3) == 0 { // a Bloom filter and indexes, which are not read
		meta.parts = append(meta.parts, nodeInt(14, thriftI64, 4), nodeInt(15, thriftI32, 32))
		chunk.parts = append(chunk.parts, nodeInt(4, thriftI64, 4), nodeInt(5, thriftI32, 8))
	}
	return chunk
}

// statistics tells how many values are null, and bounds in the older fields, in the newer ones, or not at all.
func (l *madeLeaf) statistics(r *rand.Rand) *thriftNode {
	s := nodeStruct(12)
	low, high := []byte{}, []byte{}
	if len(l.plain) > 0 {
		low, high = l.plain[0], l.plain[len(l.plain)-1]
		if l.physical == physicalBytes {
			low, high = low[4:], high[4:]
		}
	}
	which := r.IntN(4)
	if which == 1 || which == 3 {
		s.parts = append(s.parts, nodeText(1, string(high)), nodeText(2, string(low)))
	}
	s.parts = append(s.parts, nodeInt(3, thriftI64, int64(len(l.defs)-len(l.plain))))
	if which >= 2 {
		s.parts = append(s.parts, nodeText(5, string(high)), nodeText(6, string(low)))
	}
	return s
}

// madePage returns a page with its header.
func (l *madeLeaf) madePage(r *rand.Rand, kind, values, encoding int, reps, defs []uint32, rows int,
	body []byte) []byte {
	var levels [2][]byte
	for i, of := range [][]uint32{reps, defs} {
		if max := []int{l.maxRep, l.maxDef}[i]; max > 0 && kind != pageDictionary {
			levels[i] = hybridBytes(r, of, widthOf(max))
			if kind == pageData {
				levels[i] = append(le.AppendUint32(nil, uint32(len(levels[i]))), levels[i]...)
			}
		}
	}
	before := append(bytes.Clone(levels[0]), levels[1]...)
	var packed []byte
	plain := kind == pageDataV2 && r.IntN(4) == 0
	switch {
	case plain:
		packed = append(bytes.Clone(before), body...)
	case kind == pageDataV2:
		packed = append(bytes.Clone(before), l.compressed(body)...)
	default:
		packed = l.compressed(append(bytes.Clone(before), body...))
	}
	number := func(id int16, n int) *thriftNode { return nodeInt(id, thriftI32, int64(n)) }
	head := nodeStruct(0, number(1, kind), number(2, len(before)+len(body)), number(3, len(packed)))
	if r.IntN(2) == 0 {
		head.parts = append(head.parts, number(4, int(int32(crc32.ChecksumIEEE(packed)))))
	}
	switch kind {
	case pageData:
		head.parts = append(head.parts, nodeStruct(5, number(1, values), number(2, encoding), number(3, encodingRLE),
			number(4, encodingRLE)))
	case pageDictionary:
		head.parts = append(head.parts, nodeStruct(7, number(1, values), number(2, encodingPlain)))
	default:
		nulls := 0
		for _, d := range defs {
			if d < uint32(l.maxDef) {
				nulls++
			}
		}
		v2 := nodeStruct(8, number(1, values), number(2, nulls), number(3, rows), number(4, encoding),
			number(5, len(levels[1])), number(6, len(levels[0])))
		if plain {
			v2.parts = append(v2.parts, &thriftNode{id: 7, kind: thriftFalse})
		}
		head.parts = append(head.parts, v2)
	}
	return append(head.append(nil), packed...)
}

// hybridBytes encodes numbers in runs and packed groups.
func hybridBytes(r *rand.Rand, list []uint32, width int) (b []byte) {
	for at := 0; at < len(list); {
		same := 1
		for at+same < len(list) && list[at+same] == list[at] {
			same++
		}
		if same >= 8 || r.IntN(3) == 0 {
			b = appendUvarint(b, uint64(same)<<1)
			for i := range (width + 7) / 8 {
				b = append(b, byte(list[at]>>(8*i)))
			}
			at += same
			continue
		}
		groups := 1 + r.IntN(3)
		b = appendUvarint(b, uint64(groups)<<1|1)
		bits := make([]byte, groups*width)
		for i := range groups * 8 * width {
			if k := at + i/width; k < len(list) && list[k]>>(i%width)&1 == 1 {
				bits[i/8] |= 1 << (i % 8)
			}
		}
		b, at = append(b, bits...), at+groups*8
	}
	return b
}

// otherCodecs compresses with those that only these tests write.
func otherCodecs(codec int, b []byte) []byte {
	switch codec {
	case codecBrotli:
		var out bytes.Buffer
		w := brotli.NewWriter(&out)
		w.Write(b)
		w.Close()
		return out.Bytes()
	case codecLZ4, codecLZ4Raw:
		out := make([]byte, lz4.CompressBlockBound(len(b)))
		var c lz4.Compressor
		n, _ := c.CompressBlock(b, out)
		if out = out[:n]; codec == codecLZ4 {
			out = append(be.AppendUint32(be.AppendUint32(nil, uint32(len(b))), uint32(n)), out...)
		}
		return out
	}
	return b
}
