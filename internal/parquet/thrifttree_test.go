package parquet

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/dl4go/dl4go/internal/mutate"
)

// thriftNode is any value of Thrift's compact protocol, so that tests can make headers that no writer makes.
type thriftNode struct {
	id    int16 // of a field
	kind  byte
	n     int64  // of integers; 1 and 2 for true and false in a list
	bytes []byte // of binary values, doubles and UUIDs
	of    byte   // the kind of a list's elements
	parts []*thriftNode
}

func nodeInt(id int16, kind byte, n int64) *thriftNode { return &thriftNode{id: id, kind: kind, n: n} }

func nodeText(id int16, text string) *thriftNode {
	return &thriftNode{id: id, kind: thriftBinary, bytes: []byte(text)}
}

func nodeStruct(id int16, fields ...*thriftNode) *thriftNode {
	return &thriftNode{id: id, kind: thriftStruct, parts: fields}
}

func nodeList(id int16, of byte, elements ...*thriftNode) *thriftNode {
	return &thriftNode{id: id, kind: thriftList, of: of, parts: elements}
}

// field returns a field of a struct, or nil.
func (t *thriftNode) field(id int16) *thriftNode {
	for _, p := range t.parts {
		if p.id == id {
			return p
		}
	}
	return nil
}

// set sets an integer of a struct, if the struct has it.
func (t *thriftNode) set(id int16, n int64) {
	if f := t.field(id); f != nil {
		f.n = n
	}
}

// append writes the value without the head of its field.
func (t *thriftNode) append(b []byte) []byte {
	switch t.kind {
	case thriftByte:
		return append(b, byte(t.n))
	case thriftI16, thriftI32, thriftI64:
		return binary.AppendVarint(b, t.n)
	case thriftBinary:
		return append(appendUvarint(b, uint64(len(t.bytes))), t.bytes...)
	case thriftDouble, thriftUUID:
		return append(b, t.bytes...)
	case thriftList, thriftSet:
		if n := len(t.parts); n < 15 {
			b = append(b, byte(n)<<4|t.of)
		} else {
			b = appendUvarint(append(b, 0xf0|t.of), uint64(n))
		}
		for _, p := range t.parts {
			if t.of == thriftTrue || t.of == thriftFalse {
				b = append(b, byte(p.n))
				continue
			}
			b = p.append(b)
		}
	case thriftStruct:
		last := int16(0)
		for _, p := range t.parts {
			if delta := p.id - last; delta > 0 && delta < 16 {
				b = append(b, byte(delta)<<4|p.kind)
			} else {
				b = binary.AppendVarint(append(b, p.kind), int64(p.id))
			}
			last = p.id
			b = p.append(b)
		}
		b = append(b, 0)
	}
	return b
}

// readNode reads a value of a kind. Values that no file of these tests has are not read: ok is false then.
func readNode(c *compact, kind byte) *thriftNode {
	t := &thriftNode{kind: kind}
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftByte:
		t.n = int64(c.byte())
	case thriftI16, thriftI32, thriftI64:
		t.n = c.int()
	case thriftBinary:
		t.bytes = bytes.Clone(c.bytes())
	case thriftDouble, thriftUUID:
		n := map[byte]int{thriftDouble: 8, thriftUUID: 16}[kind]
		from := c.at
		if c.pass(n); !c.bad {
			t.bytes = bytes.Clone(c.b[from:c.at])
		}
	case thriftList, thriftSet:
		if c.at < len(c.b) {
			t.of = c.b[c.at] & 15
		}
		c.list(t.of, func() {
			if t.of == thriftTrue || t.of == thriftFalse {
				t.parts = append(t.parts, &thriftNode{kind: t.of, n: int64(c.byte())})
				return
			}
			t.parts = append(t.parts, readNode(c, t.of))
		})
	case thriftStruct:
		c.fields(func(id int16, kind byte) bool {
			p := readNode(c, kind)
			p.id = id
			t.parts = append(t.parts, p)
			return true
		})
	default:
		c.bad = true
	}
	return t
}

// all returns the value and those in it.
func (t *thriftNode) all() []*thriftNode {
	list := []*thriftNode{t}
	for _, p := range t.parts {
		list = append(list, p.all()...)
	}
	return list
}

func (t *thriftNode) clone() *thriftNode {
	c := *t
	c.bytes, c.parts = bytes.Clone(t.bytes), nil
	for _, p := range t.parts {
		c.parts = append(c.parts, p.clone())
	}
	return &c
}

// damage changes one of the values in t: a number, a text, the elements of a list, or the fields of a struct.
func (t *thriftNode) damage(r *rand.Rand) {
	all := t.all()
	p := all[r.IntN(len(all))]
	if r.IntN(20) == 0 {
		p.kind = byte(r.IntN(14))
	}
	if r.IntN(40) == 0 {
		p.id = int16(r.IntN(20))
	}
	switch p.kind {
	case thriftTrue, thriftFalse:
		p.kind = thriftTrue + thriftFalse - p.kind
	case thriftByte, thriftI16, thriftI32, thriftI64:
		p.n = oddNumber(r, p.n)
	case thriftBinary:
		p.bytes = mutate.Bytes(p.bytes, r.Uint64())
	default:
		p.damageParts(r)
	}
}

func (t *thriftNode) damageParts(r *rand.Rand) {
	if len(t.parts) == 0 {
		return
	}
	i, k := r.IntN(len(t.parts)), r.IntN(len(t.parts))
	switch r.IntN(7) {
	case 0:
		t.parts = slices.Delete(t.parts, i, i+1)
	case 1:
		t.parts = slices.Insert(t.parts, k, t.parts[i].clone())
	case 2:
		t.parts[i], t.parts[k] = t.parts[k], t.parts[i]
	case 3: // the value of another field
		id := t.parts[i].id
		t.parts[i] = t.parts[k].clone()
		t.parts[i].id = id
	case 4:
		t.parts = t.parts[:i]
	case 5:
		for range r.IntN(min(60, 1+20000/len(t.all()))) {
			t.parts = append(t.parts, t.parts[i].clone())
		}
	case 6: // in itself, again and again
		for range r.IntN(40) {
			t.parts[i] = &thriftNode{id: t.parts[i].id, kind: t.parts[i].kind, of: t.parts[i].of,
				n: t.parts[i].n, bytes: t.parts[i].bytes, parts: []*thriftNode{t.parts[i]}}
		}
	}
}

// oddNumber returns a number near n, at a limit, or of any size.
func oddNumber(r *rand.Rand, n int64) int64 {
	switch r.IntN(6) {
	case 0:
		return n + int64(r.IntN(5)) - 2
	case 1:
		return -n
	case 2:
		return n << r.IntN(34)
	case 3:
		return int64(r.IntN(40))
	case 4:
		return 1<<r.IntN(64) - int64(r.IntN(2))
	}
	return int64(r.Uint64()) >> r.IntN(64)
}
