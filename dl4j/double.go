package dl4j

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// FormatDouble formats x as Java's Double.toString does: 0.01, 1.0E-8, 1.0E10, and NaN, Infinity and -Infinity without
// quotes.
func FormatDouble(x float64) string { return formatJava(x, 64) }

// FormatFloat formats x as Java's Float.toString does.
func FormatFloat(x float32) string { return formatJava(float64(x), 32) }

func formatJava(x float64, bits int) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	return string(appendJava(nil, x, bits))
}

// appendJava prints a finite number.
func appendJava(b []byte, x float64, bits int) []byte {
	begin, format := len(b), byte('f')
	if a := math.Abs(x); a != 0 && (a < 1e-3 || a >= 1e7) {
		format = 'E'
	}
	b = strconv.AppendFloat(b, x, format, -1, bits)
	if format == 'f' {
		if bytes.IndexByte(b[begin:], '.') < 0 {
			b = append(b, ".0"...)
		}
		return b
	}
	// Java has a digit after the point, and neither a plus nor a zero before the exponent's digits.
	mantissa, exponent, _ := strings.Cut(string(b[begin:]), "E")
	if !strings.Contains(mantissa, ".") { // Java takes the closest number of two digits: 4.9E-324
		b = strconv.AppendFloat(b[:begin], x, format, 1, bits)
		mantissa, exponent, _ = strings.Cut(string(b[begin:]), "E")
	}
	b = append(b[:begin], mantissa...)
	n, _ := strconv.Atoi(exponent)
	return strconv.AppendInt(append(b, 'E'), int64(n), 10)
}

// parseDouble reads a number, or one of Java's names for numbers that JSON does not have.
func parseDouble(s string, bits int) (float64, error) {
	switch s {
	case "NaN":
		return math.NaN(), nil
	case "Infinity":
		return math.Inf(1), nil
	case "-Infinity":
		return math.Inf(-1), nil
	}
	return strconv.ParseFloat(s, bits)
}
