package source

import (
	"encoding/base64"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/pipeline"
)

// jsonValue converts a JSON value for a column. wanted means that the column's type is wanted, not found.
func jsonValue(v any, c pipeline.Column, wanted bool) (pipeline.Value, error) {
	switch v := v.(type) {
	case nil:
		return pipeline.Null(), nil
	case bool:
		return pipeline.Boolean(v), nil
	case string:
		return jsonText(v, c)
	case dl4j.Number:
		if wanted && (c.Type() == pipeline.StringType || c.Type() == pipeline.CategoricalType) {
			return pipeline.Text(numberText(string(v), c)), nil
		}
		return jsonNumber(string(v), c), nil
	}
	a, err := arrayOf(v)
	if err != nil {
		return pipeline.Null(), err
	}
	return pipeline.ArrayOf(a), nil
}

// jsonText converts a string by the column's type: to a text, to NaN or an infinity, or, from base64, to bytes.
func jsonText(s string, c pipeline.Column) (pipeline.Value, error) {
	switch c.Type() {
	case pipeline.DoubleType, pipeline.FloatType:
		if x, ok := notFinite(s); ok && c.Type() == pipeline.DoubleType {
			return pipeline.Double(x), nil
		} else if ok {
			return pipeline.Float(float32(x)), nil
		}
	case pipeline.BytesType:
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return pipeline.Null(), errors.New("bytes in base64 should be here")
		}
		return pipeline.Bytes(b), nil
	}
	return pipeline.Text(s), nil
}

// notFinite parses NaN and the infinities, for which JSON has no numbers.
func notFinite(s string) (float64, bool) {
	switch s {
	case "NaN":
		return math.NaN(), true
	case "Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	return 0, false
}

// jsonNumber returns a number in the type of its column. In a column of another type, integers become Longs.
func jsonNumber(s string, c pipeline.Column) pipeline.Value {
	x, _ := strconv.ParseFloat(s, 64) // a number out of range becomes an infinity
	switch c.Type() {
	case pipeline.DoubleType:
		return pipeline.Double(x)
	case pipeline.FloatType:
		y, _ := strconv.ParseFloat(s, 32)
		return pipeline.Float(float32(y))
	}
	n, err := strconv.ParseInt(s, 10, 64)
	switch {
	case err != nil || strings.HasPrefix(s, "-0"):
		return pipeline.Double(x)
	case c.Type() == pipeline.IntegerType && n == int64(int32(n)):
		return pipeline.Integer(int32(n))
	}
	return pipeline.Long(n)
}

// numberText returns a number as Java prints it. An integer that no Long can hold keeps its digits, as it may be an
// identifier.
func numberText(s string, c pipeline.Column) string {
	if _, err := strconv.ParseInt(s, 10, 64); errors.Is(err, strconv.ErrRange) {
		return s
	}
	return jsonNumber(s, c).String()
}

// isArray reports whether an object is an array: {"shape": […], "values": […]}.
func isArray(o dl4j.Object) bool {
	_, shape := o.Get("shape")
	_, values := o.Get("values")
	return len(o) == 2 && shape && values
}

// arrayOf reads an array: an object with its shape, or nested lists of numbers.
func arrayOf(v any) (*pipeline.Array, error) {
	a := &pipeline.Array{}
	switch v := v.(type) {
	case []any:
		for list, ok := v, true; ok; {
			if a.Shape = append(a.Shape, len(list)); len(list) == 0 {
				break
			}
			list, ok = list[0].([]any)
		}
		return a, appendNested(a, v, a.Shape)
	case dl4j.Object:
		if !isArray(v) {
			return nil, errors.New("a value should be here, not an object")
		}
		size, err := readShape(a, v)
		if err != nil {
			return nil, err
		}
		values, _ := v.Get("values")
		list, ok := values.([]any)
		if !ok || len(list) != size {
			return nil, errors.New("the array's values are not as many as its shape says")
		}
		return a, appendNested(a, list, []int{size})
	}
	return nil, errors.New("a value should be here")
}

// readShape reads an array's shape, and returns the number of its values.
func readShape(a *pipeline.Array, o dl4j.Object) (size int, err error) {
	shape, _ := o.Get("shape")
	list, ok := shape.([]any)
	if !ok {
		return 0, errors.New("the array's shape is not a list")
	}
	size = 1
	for _, v := range list {
		text, _ := v.(dl4j.Number)
		n, err := strconv.Atoi(string(text))
		if err != nil || n < 0 || n > 0 && size > math.MaxInt32/n {
			return 0, errors.New("the array's shape has an extent that is none")
		}
		size *= n
		a.Shape = append(a.Shape, n)
	}
	return size, nil
}

// appendNested appends the numbers of lists of this shape.
func appendNested(a *pipeline.Array, list []any, shape []int) error {
	if len(list) != shape[0] {
		return errors.New("the array's rows have different lengths")
	}
	for _, v := range list {
		switch v := v.(type) {
		case []any:
			if len(shape) == 1 {
				return errors.New("the array's rows have different depths")
			}
			if err := appendNested(a, v, shape[1:]); err != nil {
				return err
			}
			continue
		case dl4j.Number:
			if len(shape) == 1 {
				x, _ := strconv.ParseFloat(string(v), 64)
				a.Data = append(a.Data, x)
				continue
			}
		case string:
			if x, ok := notFinite(v); ok && len(shape) == 1 {
				a.Data = append(a.Data, x)
				continue
			}
		}
		return errors.New("the array has values that are not numbers")
	}
	return nil
}
