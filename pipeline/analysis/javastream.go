package analysis

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Tags that begin a part of a Java object stream.
const (
	tcNull         = 0x70
	tcReference    = 0x71
	tcClassDesc    = 0x72
	tcObject       = 0x73
	tcString       = 0x74
	tcArray        = 0x75
	tcEndBlockData = 0x78

	firstHandle = 0x7e0000
)

// javaReader reads a stream of one object: its fields in its own class and the superclasses. It only follows
// references to classes. References to objects only occur where nothing is read.
type javaReader struct {
	b       []byte
	at      int
	handles []*javaClass // nil for other objects than classes
	depth   int
}

type javaClass struct {
	name   string
	custom bool // an end mark follows its fields
	fields []javaField
	super  *javaClass
}

type javaField struct {
	kind byte
	name string
}

// javaObject holds an object's numbers, and its arrays of doubles, by name.
type javaObject struct {
	class   string
	numbers map[string]float64
	arrays  map[string][]float64
}

var errShort = errors.New("it ends in the middle")

func (r *javaReader) take(n int) ([]byte, error) {
	if n < 0 || n > len(r.b)-r.at {
		return nil, errShort
	}
	r.at += n
	return r.b[r.at-n : r.at], nil
}

func (r *javaReader) number(bytes int) (uint64, error) {
	b, err := r.take(bytes)
	if err != nil {
		return 0, err
	}
	var full [8]byte
	copy(full[8-bytes:], b)
	return binary.BigEndian.Uint64(full[:]), nil
}

func (r *javaReader) text() (string, error) {
	n, err := r.number(2)
	if err != nil {
		return "", err
	}
	b, err := r.take(int(n))
	return string(b), err
}

// stream reads the object.
func (r *javaReader) stream() (*javaObject, error) {
	if head, err := r.number(4); err != nil || head != 0xaced0005 {
		return nil, errors.New("it does not begin like a Java object stream")
	}
	o := &javaObject{numbers: map[string]float64{}, arrays: map[string][]float64{}}
	if tag, err := r.number(1); err != nil || tag != tcObject {
		return nil, errors.New("no object follows")
	}
	return o, r.object(o)
}

// object reads an object after its tag, into o.
func (r *javaReader) object(o *javaObject) error {
	class, err := r.class()
	if err != nil || class == nil {
		return errors.Join(err, errors.New("an object needs a class"))
	}
	r.handles = append(r.handles, nil)
	o.class = class.name
	var chain []*javaClass
	for c := class; c != nil; c = c.super {
		if chain = append(chain, c); len(chain) > 100 {
			return errors.New("a class above itself")
		}
	}
	for i := len(chain) - 1; i >= 0; i-- {
		for _, f := range chain[i].fields {
			if err := r.value(f, o); err != nil {
				return err
			}
		}
		if chain[i].custom {
			if tag, err := r.number(1); err != nil || tag != tcEndBlockData {
				return fmt.Errorf("the class %q has data of its own", chain[i].name)
			}
		}
	}
	return nil
}

// class reads the description of a class, or a reference to one.
func (r *javaReader) class() (*javaClass, error) {
	if r.depth++; r.depth > 100 {
		return nil, errors.New("too many classes")
	}
	tag, err := r.number(1)
	if err != nil {
		return nil, err
	}
	switch tag {
	case tcNull:
		return nil, nil
	case tcReference:
		n, err := r.number(4)
		if n -= firstHandle; err != nil || n >= uint64(len(r.handles)) || r.handles[n] == nil {
			return nil, errors.New("a reference to no class")
		}
		return r.handles[n], nil
	case tcClassDesc:
	default:
		return nil, fmt.Errorf("a class should be here, not %#x", tag)
	}
	name, err := r.text()
	if err != nil {
		return nil, err
	}
	c := &javaClass{name: name}
	r.handles = append(r.handles, c)
	if err := r.fields(c); err != nil {
		return nil, err
	}
	c.super, err = r.class()
	return c, err
}

func (r *javaReader) fields(c *javaClass) error {
	if _, err := r.number(8); err != nil { // serialVersionUID
		return err
	}
	flags, err := r.number(1)
	if err != nil {
		return err
	}
	c.custom = flags&1 != 0
	n, err := r.number(2)
	if err != nil {
		return err
	}
	for range n {
		kind, err := r.number(1)
		if err != nil {
			return err
		}
		name, err := r.text()
		if err != nil {
			return err
		}
		c.fields = append(c.fields, javaField{byte(kind), name})
		if kind == 'L' || kind == '[' {
			if err := r.skipString(); err != nil {
				return err
			}
		}
	}
	if tag, err := r.number(1); err != nil || tag != tcEndBlockData {
		return errors.New("a class with annotations")
	}
	return nil
}

// skipString skips a string, or a reference to one.
func (r *javaReader) skipString() error {
	tag, err := r.number(1)
	switch {
	case err != nil:
		return err
	case tag == tcReference:
		_, err = r.number(4)
		return err
	case tag == tcString:
		r.handles = append(r.handles, nil)
		_, err = r.text()
		return err
	}
	return fmt.Errorf("a string should be here, not %#x", tag)
}

// value reads a field's value into o.
func (r *javaReader) value(f javaField, o *javaObject) error {
	size := map[byte]int{'B': 1, 'Z': 1, 'C': 2, 'S': 2, 'I': 4, 'F': 4, 'J': 8, 'D': 8}[f.kind]
	if size > 0 {
		n, err := r.number(size)
		switch f.kind {
		case 'D':
			o.numbers[f.name] = math.Float64frombits(n)
		case 'I':
			o.numbers[f.name] = float64(int32(n))
		}
		return err
	}
	tag, err := r.number(1)
	if err != nil {
		return err
	}
	switch tag {
	case tcNull:
		return nil
	case tcReference:
		_, err = r.number(4)
		return err
	case tcObject:
		if r.depth++; r.depth > 100 {
			return errors.New("too many objects")
		}
		return r.object(&javaObject{numbers: map[string]float64{}, arrays: map[string][]float64{}})
	case tcArray:
		return r.array(f.name, o)
	}
	return fmt.Errorf("the field %q has a value that begins with %#x", f.name, tag)
}

func (r *javaReader) array(name string, o *javaObject) error {
	class, err := r.class()
	if err != nil || class == nil {
		return errors.Join(err, errors.New("an array needs a class"))
	}
	r.handles = append(r.handles, nil)
	n, err := r.number(4)
	if err != nil {
		return err
	}
	switch class.name {
	case "[I":
		_, err = r.take(4 * int(n))
		return err
	case "[D":
		b, err := r.take(8 * int(n))
		if err != nil {
			return err
		}
		a := make([]float64, n)
		for i := range a {
			a[i] = math.Float64frombits(binary.BigEndian.Uint64(b[8*i:]))
		}
		o.arrays[name] = a
		return nil
	}
	return fmt.Errorf("an array of the class %q", class.name)
}
