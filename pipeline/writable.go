package pipeline

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
)

// writables is the package of DataVec's classes of values.
const writables = "org.datavec.api.writable."

// writableNames are the names of those classes in files, by kind. Arrays have no format there.
var writableNames = map[ValueKind]string{
	NullKind: "NullWritable", TextKind: "Text", IntegerKind: "IntWritable", LongKind: "LongWritable",
	DoubleKind: "DoubleWritable", FloatKind: "FloatWritable", BooleanKind: "BooleanWritable", BytesKind: "BytesWritable",
}

// MarshalTree returns DataVec's format: an object with a class. Arrays have no format.
func (v Value) MarshalTree() (any, error) {
	name, ok := writableNames[v.kind]
	if !ok {
		return nil, fmt.Errorf("an array has no form in a pipeline's file")
	}
	o := dl4j.Object{{Name: "@class", Value: writables + name}}
	set := func(member string, value any) { o = append(o, dl4j.Member{Name: member, Value: value}) }
	switch v.kind {
	case TextKind:
		set("bytes", base64.StdEncoding.EncodeToString([]byte(v.text)))
		set("length", int64(len(v.text)))
	case BytesKind:
		set("content", base64.StdEncoding.EncodeToString([]byte(v.text)))
	case IntegerKind, LongKind:
		set("value", v.integer())
	case DoubleKind:
		set("value", v.real())
	case FloatKind:
		set("value", float32(v.real()))
	case BooleanKind:
		set("value", v.bits != 0)
	}
	return o, nil
}

// UnmarshalTree reads DataVec's format. A missing value is null.
func (v *Value) UnmarshalTree(tree any) error {
	*v = Value{}
	if tree == nil {
		return nil
	}
	o, ok := tree.(dl4j.Object)
	if !ok {
		return fmt.Errorf("a value is an object with the class of its type, like {\"@class\": \"%sIntWritable\"}", writables)
	}
	class, _ := o.Get("@class")
	name, _ := class.(string)
	o = o.Without("@class")
	var err error
	switch strings.TrimPrefix(name, writables) {
	case "NullWritable":
		err = dl4j.FromTree(o, &struct{}{})
	case "Text":
		*v, err = readText(o)
	case "BytesWritable":
		var b []byte
		if b, err = readBase64(o, "content"); err == nil {
			*v = Bytes(b)
		}
	case "IntWritable":
		*v, err = readNumber(o, Integer)
	case "LongWritable":
		*v, err = readNumber(o, Long)
	case "DoubleWritable":
		*v, err = readNumber(o, Double)
	case "FloatWritable":
		*v, err = readNumber(o, Float)
	case "BooleanWritable":
		*v, err = readNumber(o, Boolean)
	default:
		return fmt.Errorf("%.100q is not a class of a value: there are Text, IntWritable, LongWritable, DoubleWritable, "+
			"FloatWritable, BooleanWritable, BytesWritable and NullWritable of %s", name, strings.TrimSuffix(writables, "."))
	}
	return err
}

func readNumber[T any](o dl4j.Object, of func(T) Value) (Value, error) {
	var form struct {
		Value *T `dl4j:"value"`
	}
	if err := dl4j.FromTree(o, &form); err != nil {
		return Value{}, err
	}
	if form.Value == nil {
		return Value{}, fmt.Errorf("the value has no member value")
	}
	return of(*form.Value), nil
}

// readText reads the first bytes of a buffer that may be longer than the text.
func readText(o dl4j.Object) (Value, error) {
	b, err := readBase64(o.Without("length"), "bytes")
	if err != nil {
		return Value{}, err
	}
	length := len(b)
	if n, ok := o.Get("length"); ok {
		if err := dl4j.FromTree(n, &length); err != nil {
			return Value{}, err
		}
	}
	if length < 0 || length > len(b) {
		return Value{}, fmt.Errorf("the text has %d bytes, and %d of them are there", length, len(b))
	}
	return Text(strings.ToValidUTF8(string(b[:length]), "\uFFFD")), nil
}

// readBase64 reads the only member of an object. YAML breaks the text into lines.
func readBase64(o dl4j.Object, member string) ([]byte, error) {
	text, _ := o.Get(member)
	s, ok := text.(string)
	if !ok || len(o) != 1 {
		return nil, fmt.Errorf("the value should have the member %s, and no other", member)
	}
	b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		return nil, fmt.Errorf("the member %s is not in base64: %w", member, err)
	}
	return b, nil
}
