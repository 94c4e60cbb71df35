package results

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dl4go/dl4go/tensor"
)

// keyRule checks that either all examples have a key, or none has; otherwise lines would have different columns.
type keyRule struct {
	n     int
	keyed bool // the first example had a key
}

func (r *keyRule) take(key string) error {
	if r.n == 0 {
		r.keyed = key != ""
	} else if r.keyed != (key != "") {
		return fmt.Errorf("example %d is not like the first one: %s", r.n,
			map[bool]string{true: "it has no key", false: fmt.Sprintf("it has a key, %q", key)}[r.keyed])
	}
	r.n++
	return nil
}

// lineBuffer is the number of bytes of lines that are collected before they are written.
const lineBuffer = 64 << 10

// appendKey appends a key to a line of CSV. A key of several columns is already in the form of CSV.
func appendKey(b []byte, key string, columns int) []byte {
	if columns > 1 || !strings.ContainsAny(key, "\",\r\n") && strings.TrimSpace(key) == key {
		return append(b, key...)
	}
	var line bytes.Buffer
	w := csv.NewWriter(&line)
	w.Write([]string{key})
	w.Flush()
	return append(b, bytes.TrimSuffix(line.Bytes(), []byte("\n"))...)
}

// jsonKey returns a key in JSON, or a list of the columns of a key with several.
func jsonKey(key string, columns int) ([]byte, error) {
	if !utf8.ValidString(key) {
		return nil, fmt.Errorf("the key %q is not a text, which JSON needs: write a .csv file", key)
	}
	if columns < 2 {
		return json.Marshal(key)
	}
	fields, err := csv.NewReader(strings.NewReader(key)).Read()
	if err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// appendJSON appends an array of numbers, nested according to its shape. Numbers that JSON does not have become
// strings.
func appendJSON(b []byte, shape tensor.Shape, x []float32) []byte {
	if len(shape) == 0 {
		v := float64(x[0])
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return strconv.AppendQuote(b, strconv.FormatFloat(v, 'g', -1, 32))
		}
		return strconv.AppendFloat(b, v, 'g', -1, 32)
	}
	b = append(b, '[')
	for i, size := 0, len(x)/max(1, shape[0]); i < shape[0]; i++ {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, shape[1:], x[i*size:(i+1)*size])
	}
	return append(b, ']')
}
