package dl4j

import (
	"encoding/binary"
	"math"
)

// Bytes of Java's object serialisation.
const (
	tcNull      = 0x70
	tcReference = 0x71
	tcClassDesc = 0x72
	tcObject    = 0x73
	tcString    = 0x74
	tcArray     = 0x75
	tcBlockData = 0x77
	tcEndBlock  = 0x78
	tcLongStr   = 0x7c

	firstHandle = 0x7e0000
)

// arraysListHeader is the output of ObjectOutputStream for an Arrays.asList of Strings up to their count: the stream's
// header, the classes Arrays$ArrayList (one field, the array a) and String[].
var arraysListHeader = []byte("\xac\xed\x00\x05sr\x00\x1ajava.util.Arrays$ArrayList" +
	"\xd9\xa4<\xbe\xcd\x88\x06\xd2\x02\x00\x01" +
	"[\x00\x01at\x00\x13[Ljava/lang/Object;xpur\x00\x13[Ljava.lang.String;\xad\xd2V\xe7\xe9\x1d{G\x02\x00\x00xp")

// StringList writes a list in the form of Java's ObjectOutputStream for an Arrays.asList of Strings, with its own
// stream header. A repeated string is written as a reference to the first, as if both were the same String object.
func (w *Writer) StringList(list []string) {
	w.Write(arraysListHeader)
	w.Int32(int32(len(list)))
	for _, s := range list {
		b := appendModifiedUTF8(nil, s)
		if len(b) > math.MaxUint16 {
			w.Uint8(tcLongStr)
			w.Int64(int64(len(b)))
		} else {
			w.Uint8(tcString)
			w.Uint16(uint16(len(b)))
		}
		w.Write(b)
	}
}

// StringList reads a Java-serialised list of Strings: an Arrays.asList, ArrayList or List.of. Other lists are an error.
// A null is read as "".
func (r *Reader) StringList() ([]string, error) {
	j := javaReader{Reader: r}
	magic, err := r.Int32()
	if err != nil {
		return nil, err
	}
	if uint32(magic) != 0xaced0005 {
		return nil, formatErrorf(r.offset-4, "not a Java-serialised list: it starts with %08x", uint32(magic))
	}
	return j.list()
}

// javaReader reads the part of Java's serialisation that lists of strings need.
type javaReader struct {
	*Reader
	handles []any // the objects that can be referred to: a javaClass, a string, or nil for others
}

type javaClass struct {
	name   string
	fields []javaField
}

type javaField struct {
	kind byte
	name string
}

func (j *javaReader) define(x any) { j.handles = append(j.handles, x) }

func (j *javaReader) reference() (any, error) {
	n, err := j.Int32()
	if err != nil {
		return nil, err
	}
	i := int(n) - firstHandle
	if i < 0 || i >= len(j.handles) {
		return nil, formatErrorf(j.offset-4, "a reference to an object that is not there")
	}
	return j.handles[i], nil
}

func (j *javaReader) expect(mark byte, what string) error {
	c, err := j.Uint8()
	if err == nil && c != mark {
		err = formatErrorf(j.offset-1, "%s should be here, not the mark %#x", what, c)
	}
	return err
}

func (j *javaReader) list() ([]string, error) {
	start := j.offset
	if err := j.expect(tcObject, "a Java-serialised list"); err != nil {
		return nil, err
	}
	class, err := j.classDesc()
	if err != nil {
		return nil, err
	}
	j.define(nil)
	name := ""
	if class != nil {
		name = class.name
	}
	switch {
	case name == "java.util.Arrays$ArrayList" && len(class.fields) == 1 && class.fields[0] == javaField{'[', "a"}:
		return j.stringArray()
	case name == "java.util.ArrayList" && len(class.fields) == 1 && class.fields[0] == javaField{'I', "size"}:
		return j.arrayList()
	case name == "java.util.CollSer" && len(class.fields) == 1 && class.fields[0] == javaField{'I', "tag"}:
		return j.listOf()
	}
	return nil, formatErrorf(start, "a Java-serialised object of class %q: only lists of strings can be read",
		shorten(name))
}

func (j *javaReader) stringArray() ([]string, error) {
	start := j.offset
	if err := j.expect(tcArray, "an array of strings"); err != nil {
		return nil, err
	}
	class, err := j.classDesc()
	if err != nil {
		return nil, err
	}
	j.define(nil)
	if class == nil || class.name != "[Ljava.lang.String;" && class.name != "[Ljava.lang.Object;" &&
		class.name != "[Ljava.io.Serializable;" {
		return nil, formatErrorf(start, "an array of strings should be here, not another one")
	}
	n, err := j.Int32()
	if err != nil {
		return nil, err
	}
	return j.elements(n)
}

// arrayList reads the output of ArrayList.writeObject: the size as a field, a block with the capacity, the elements.
func (j *javaReader) arrayList() ([]string, error) {
	n, err := j.Int32()
	if err != nil {
		return nil, err
	}
	if _, err := j.blockInt(); err != nil {
		return nil, err
	}
	list, err := j.elements(n)
	if err != nil {
		return nil, err
	}
	return list, j.expect(tcEndBlock, "the end of a list")
}

// listOf reads the serialised form of a List.of: 1 for a list as a field, a block with the size, the elements.
func (j *javaReader) listOf() ([]string, error) {
	tag, err := j.Int32()
	if err != nil {
		return nil, err
	}
	if tag&0xff != 1 {
		return nil, formatErrorf(j.offset-4, "a Java collection of kind %d: only lists of strings can be read", tag)
	}
	n, err := j.blockInt()
	if err != nil {
		return nil, err
	}
	list, err := j.elements(n)
	if err != nil {
		return nil, err
	}
	return list, j.expect(tcEndBlock, "the end of a list")
}

// blockInt reads a block with one int.
func (j *javaReader) blockInt() (int32, error) {
	if err := j.expect(tcBlockData, "a list's size"); err != nil {
		return 0, err
	}
	n, err := j.Uint8()
	if err == nil && n != 4 {
		err = formatErrorf(j.offset-1, "a list's size of %d bytes", n)
	}
	if err != nil {
		return 0, err
	}
	return j.Int32()
}

func (j *javaReader) elements(n int32) ([]string, error) {
	if left := j.Remaining(); n < 0 || left >= 0 && int64(n) > left {
		return nil, formatErrorf(j.offset-4, "a list of %d strings, of which %d bytes follow", n, left)
	}
	list := make([]string, 0, min(int(n), 4096))
	for range n {
		s, err := j.element()
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func (j *javaReader) element() (string, error) {
	mark, err := j.Uint8()
	if err != nil {
		return "", err
	}
	var n int64
	switch mark {
	case tcNull:
		return "", nil
	case tcReference:
		x, err := j.reference()
		if err != nil {
			return "", err
		}
		if s, ok := x.(string); ok {
			return s, nil
		}
		return "", formatErrorf(j.offset-5, "a string should be here, not a reference to something else")
	case tcString:
		k, err := j.Uint16()
		if err != nil {
			return "", err
		}
		n = int64(k)
	case tcLongStr:
		if n, err = j.Int64(); err != nil {
			return "", err
		}
		if n < 0 {
			return "", formatErrorf(j.offset-8, "a string of %d bytes", n)
		}
	case tcObject:
		start := j.offset - 1
		class, err := j.classDesc()
		if err != nil {
			return "", err
		}
		name := ""
		if class != nil {
			name = class.name
		}
		return "", formatErrorf(start, "a list with an object of class %q: only lists of strings can be read", shorten(name))
	default:
		return "", formatErrorf(j.offset-1, "a string should be here, not the mark %#x", mark)
	}
	s, err := j.modifiedUTF8(n)
	j.define(s)
	return s, err
}

// classDesc reads a class's description; nil for null.
func (j *javaReader) classDesc() (*javaClass, error) { return j.classDescAt(0) }

func (j *javaReader) classDescAt(depth int) (*javaClass, error) {
	mark, err := j.Uint8()
	if err != nil {
		return nil, err
	}
	switch mark {
	case tcNull:
		return nil, nil
	case tcReference:
		x, err := j.reference()
		if err != nil {
			return nil, err
		}
		if c, ok := x.(*javaClass); ok {
			return c, nil
		}
		return nil, formatErrorf(j.offset-5, "a class should be here, not a reference to something else")
	case tcClassDesc:
	default:
		return nil, formatErrorf(j.offset-1, "a class should be here, not the mark %#x", mark)
	}
	if depth > 8 {
		return nil, j.Errorf("a class with more than 8 ancestors")
	}
	c := &javaClass{}
	if c.name, err = j.UTF(); err != nil {
		return nil, err
	}
	var rest [11]byte // serialVersionUID, flags, count of fields
	if err := j.Full(rest[:]); err != nil {
		return nil, err
	}
	j.define(c)
	for range binary.BigEndian.Uint16(rest[9:]) {
		f := javaField{}
		if f.kind, err = j.Uint8(); err != nil {
			return nil, err
		}
		if f.name, err = j.UTF(); err != nil {
			return nil, err
		}
		if f.kind == 'L' || f.kind == '[' {
			if _, err := j.element(); err != nil { // the field's type
				return nil, err
			}
		}
		c.fields = append(c.fields, f)
	}
	if err := j.expect(tcEndBlock, "the end of a class"); err != nil {
		return nil, err
	}
	_, err = j.classDescAt(depth + 1) // the super class; lists have no fields of it
	return c, err
}
