package hdf5

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Attribute is a named value of a group or an array.
type Attribute struct {
	Name string
	o    *object
	at   int64

	shape []uint64
	typ   datatype
	data  []byte
}

// attributes calls each for every attribute, until it returns true.
func (o *object) attributes(each func(*Attribute) bool) error {
	stop := false
	one := func(c *cursor) error {
		if stop {
			return nil
		}
		a, err := o.attribute(c)
		if err == nil {
			stop = each(a)
		}
		return err
	}
	for _, m := range o.messages {
		if m.kind == attributeMessage {
			c := *m.body
			c.pos = 0
			if err := one(&c); err != nil {
				return o.in(err)
			}
		}
	}
	info := o.find(attributeInfo)
	if info == nil || stop {
		return nil
	}
	info.skip(1)
	if flags := info.u8(); flags&1 != 0 {
		info.skip(2)
	}
	heap, tree := info.address(), info.address()
	if info.err != nil || heap == undefined {
		return o.in(info.err)
	}
	return o.in(o.f.denseRecords(heap, tree, one))
}

// attribute reads an attribute message.
func (o *object) attribute(c *cursor) (*Attribute, error) {
	at := int64(c.at)
	version, flags := c.u8(), c.u8()
	if version < 1 || version > 3 {
		return nil, errorAt(at, "an attribute of version %d: 1 to 3 are known", version)
	}
	if version > 1 && flags&3 != 0 {
		return nil, errorAt(at, "the attribute's type is shared with another object, which is not read")
	}
	nameSize, typeSize, spaceSize := int(c.u16()), int(c.u16()), int(c.u16())
	if version == 3 {
		c.skip(1)
	}
	part := func(n int) *cursor {
		p := &cursor{at: uint64(c.place()), offsets: c.offsets, lengths: c.lengths}
		p.b = c.take(n)
		if version == 1 {
			c.skip((8 - n%8) % 8)
		}
		return p
	}
	name, typ, space := part(nameSize), part(typeSize), part(spaceSize)
	if c.err != nil {
		return nil, c.err
	}
	text, _, _ := bytes.Cut(name.b, []byte{0})
	a := &Attribute{Name: string(text), o: o, at: at}
	var null bool
	var err error
	if a.shape, null, err = readSpace(space); err != nil {
		return nil, err
	}
	a.typ, err = readType(typ)
	if null {
		a.shape, err = []uint64{0}, nil
	}
	if err != nil {
		a.typ.kind = -1 // an attribute of an unsupported type is an error when it is read
		return a, nil
	}
	a.data = c.b[c.pos:]
	return a, nil
}

// Attribute returns an attribute; nil if there is none.
func (o *object) Attribute(name string) (*Attribute, error) {
	var found *Attribute
	err := o.attributes(func(a *Attribute) bool {
		if a.Name == name {
			found = a
		}
		return found != nil
	})
	return found, err
}

// wrong is an error about the attribute.
func (a *Attribute) wrong(format string, args ...any) error {
	return a.o.in(errorAt(a.at, "attribute "+a.Name+": "+format, args...))
}

// Texts returns the values of an attribute of strings. For an empty list of any type it returns none.
func (a *Attribute) Texts() ([]string, error) {
	n, ok := elements(a.shape)
	switch {
	case ok && n == 0:
		return nil, nil
	case a.typ.kind != text && a.typ.kind != fixedText:
		return nil, a.wrong("it holds no texts")
	case !ok || n > uint64(len(a.data)) || n*uint64(a.typ.size) > uint64(len(a.data)):
		return nil, a.wrong("it should have %d texts, and ends too early", n)
	}
	out := make([]string, n)
	for i := range out {
		b := a.data[i*a.typ.size:][:a.typ.size]
		if a.typ.kind == text {
			var err error
			if b, err = a.long(b); err != nil {
				return nil, a.o.in(err)
			}
		} else {
			b = trim(b, a.typ.pad)
		}
		if !utf8.Valid(b) {
			return nil, a.wrong("text %d is not UTF-8", i)
		}
		out[i] = string(b)
	}
	return out, nil
}

// long reads a string in the global heap.
func (a *Attribute) long(b []byte) ([]byte, error) {
	c := &cursor{b: b, at: uint64(a.at), offsets: a.o.f.offsets, lengths: a.o.f.lengths}
	n, address, index := c.u32(), c.address(), c.u32()
	if c.err != nil || n == 0 {
		return nil, c.err
	}
	all, err := a.o.f.heapObject(address, index)
	if err != nil {
		return nil, err
	}
	if uint64(n) > uint64(len(all)) {
		return nil, errorAt(a.at, "attribute %s: a text of %d bytes is %d long in the heap", a.Name, n, len(all))
	}
	if a.o.f.room -= int64(n); a.o.f.room < 0 {
		return nil, errorAt(a.at, "attribute %s: the texts of the file are together larger than the file", a.Name)
	}
	return trim(all[:n], 0), nil
}

// trim removes the padding of a string.
func trim(b []byte, pad byte) []byte {
	if pad == 2 {
		return bytes.TrimRight(b, " ")
	}
	if pad == 1 {
		return bytes.TrimRight(b, "\x00")
	}
	b, _, _ = bytes.Cut(b, []byte{0})
	return b
}

// Text returns the value of an attribute that is one string.
func (a *Attribute) Text() (string, error) {
	all, err := a.Texts()
	if err == nil && len(all) != 1 {
		err = a.wrong("it has %d texts, not one", len(all))
	}
	return strings.Join(all, ""), err
}
