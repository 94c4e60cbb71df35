package pipeline

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/decimal"
)

// ValueError means that a value cannot be converted to the kind that a step needs.
type ValueError struct {
	Value Value
	Want  string // "a number"
}

func (e *ValueError) Error() string {
	if e.Value.IsNull() {
		return "there is no value where " + e.Want + " is needed"
	}
	return fmt.Sprintf("%.60q is not %s", e.Value.String(), e.Want)
}

// Double converts a value to a number like Java. Text may have spaces around it, an exponent, "NaN" and "Infinity",
// and hexadecimal digits after 0x. Null, the empty text and arrays are errors.
func (v Value) Double() (float64, error) {
	switch v.kind {
	case DoubleKind, FloatKind:
		return v.real(), nil
	case IntegerKind, LongKind, BooleanKind:
		return float64(v.integer()), nil
	case TextKind:
		if x, ok := parseDouble(v.text); ok {
			return x, nil
		}
		if n, ok := parseHex(v.text, 64); ok {
			return float64(n), nil
		}
	}
	return 0, &ValueError{v, "a number"}
}

// Float is Double rounded to 32 bits; text is rounded once. Hexadecimal digits have to fit 32 bits, as in DataVec.
func (v Value) Float() (float32, error) {
	if v.kind == TextKind {
		if s, ok := javaNumber(v.text); ok {
			if x, err := strconv.ParseFloat(s, 32); err == nil || math.IsInf(x, 0) {
				return float32(x), nil
			}
		}
		if n, ok := parseHex(v.text, 32); ok {
			return float32(n), nil
		}
		return 0, &ValueError{v, "a number"}
	}
	x, err := v.Double()
	return float32(x), err
}

// Long converts a value to a 64-bit integer. Numbers are truncated towards zero, NaN becomes 0, and numbers that are
// too large become the largest one. Text has to be an integer, with nothing around it.
func (v Value) Long() (int64, error) {
	switch v.kind {
	case DoubleKind, FloatKind:
		return saturate(v.real(), math.MinInt64, math.MaxInt64), nil
	case IntegerKind, LongKind, BooleanKind:
		return v.integer(), nil
	case TextKind:
		if n, ok := parseInteger(v.text, 64); ok {
			return n, nil
		}
		if n, ok := parseHex(v.text, 64); ok {
			return n, nil
		}
	}
	return 0, &ValueError{v, "an integer of 64 bits"}
}

// Integer converts a value to a 32-bit integer, like Long. It keeps the low 32 bits of a Long, like Java.
func (v Value) Integer() (int32, error) {
	switch v.kind {
	case DoubleKind, FloatKind:
		return int32(saturate(v.real(), math.MinInt32, math.MaxInt32)), nil
	case IntegerKind, LongKind, BooleanKind:
		return int32(v.integer()), nil
	case TextKind:
		if n, ok := parseInteger(v.text, 32); ok {
			return int32(n), nil
		}
		if n, ok := parseHex(v.text, 32); ok {
			return int32(n), nil
		}
	}
	return 0, &ValueError{v, "an integer of 32 bits"}
}

// saturate truncates a number towards zero, within limits.
func saturate(x float64, low, high int64) int64 {
	switch {
	case math.IsNaN(x):
		return 0
	case x <= float64(low):
		return low
	case x >= float64(high):
		return high
	}
	return int64(x)
}

// parseInteger reads an integer like Java's parseLong and parseInt: a sign and decimal digits of any script.
func parseInteger(s string, bits int) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, bits)
	if err == nil {
		return n, true
	}
	if isASCII(s) {
		return 0, false
	}
	if s, ok := plainDigits(s); ok {
		n, err = strconv.ParseInt(s, 10, bits)
		return n, err == nil
	}
	return 0, false
}

// parseHex reads hexadecimal digits after a lower-case 0x, like Java's Long.decode.
func parseHex(s string, bits int) (int64, bool) {
	digits, ok := strings.CutPrefix(s, "0x")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 16, bits)
	return n, err == nil && digits[0] != '-' && digits[0] != '+'
}

// plainDigits replaces the digits of other scripts by 0 to 9.
func plainDigits(s string) (string, bool) {
	var b strings.Builder
	for i, r := range s {
		switch {
		case i == 0 && (r == '+' || r == '-'), r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.Is(unicode.Nd, r):
			b.WriteByte('0' + digit(r))
		default:
			return "", false
		}
	}
	return b.String(), true
}

// digit returns the value of a decimal digit of any script. In Unicode, digits are runs of ten, in order.
func digit(r rune) byte {
	n := byte(0)
	for r--; n < 9 && unicode.Is(unicode.Nd, r); r-- {
		n++
	}
	return n
}

// parseDouble reads a number like Java's Double.parseDouble.
func parseDouble(s string) (float64, bool) {
	if x, ok := decimal.Parse(s); ok {
		return x, true
	}
	s, ok := javaNumber(s)
	if !ok {
		return 0, false
	}
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil || math.IsInf(x, 0)
}

// javaNumber strips the characters that Java allows around a number. It refuses numbers that only Go can read, and
// what begins with 0x: to DataVec that is an integer.
func javaNumber(s string) (string, bool) {
	if strings.HasPrefix(s, "0x") {
		return "", false
	}
	for s != "" && s[0] <= ' ' {
		s = s[1:]
	}
	for s != "" && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	unsigned := s
	if s != "" && (s[0] == '-' || s[0] == '+') {
		unsigned = s[1:]
	}
	switch unsigned {
	case "NaN": // Java ignores its sign
		return unsigned, true
	case "Infinity":
		return s, true
	case "":
		return "", false
	}
	if c := unsigned[0]; c != '.' && (c < '0' || c > '9') || strings.Contains(s, "_") {
		return "", false
	}
	hex := strings.HasPrefix(unsigned, "0x") || strings.HasPrefix(unsigned, "0X")
	if hex && !strings.ContainsAny(unsigned, "pP") {
		return "", false
	}
	if last := s[len(s)-1] | 0x20; last == 'd' || last == 'f' {
		s = s[:len(s)-1]
	}
	return s, s != ""
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// String formats the array's shape and numbers.
func (a *Array) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v", a.Shape)
	for _, x := range a.Data {
		b.WriteByte(' ')
		b.WriteString(dl4j.FormatDouble(x))
	}
	return b.String()
}
