package dl4j

import (
	"math"
	"strconv"
	"strings"
)

// FormatDouble prints x as Java's Double.toString does: 0.01, 1.0E-8, 1.0E10, and NaN, Infinity and -Infinity without
// quotes.
func FormatDouble(x float64) string { return formatJava(x, 64) }

// FormatFloat prints x as Java's Float.toString does.
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
	if a := math.Abs(x); a == 0 || a >= 1e-3 && a < 1e7 {
		s := strconv.FormatFloat(x, 'f', -1, bits)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	s := strconv.FormatFloat(x, 'E', -1, bits)
	mantissa, exponent, _ := strings.Cut(s, "E")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent)
	return mantissa + "E" + strconv.Itoa(n)
}

// parseDouble reads a number or one of Java's names for those that JSON does not have.
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
