package eval

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// fixed prints x with digits after the point as Java's %.4f does: the shortest decimal form of x, rounded half up. Go
// rounds the exact binary value to even: 1/32 with four digits is 0.0312, but 0.0313 in Java.
func fixed(x float64, digits int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return strings.TrimPrefix(strconv.FormatFloat(x, 'f', -1, 64), "+")
	}
	s := strconv.FormatFloat(math.Abs(x), 'f', -1, 64)
	whole, fraction, _ := strings.Cut(s, ".")
	up := len(fraction) > digits && fraction[digits] >= '5'
	fraction = (fraction + strings.Repeat("0", digits))[:digits]
	number := []byte(whole + fraction)
	for i := len(number) - 1; up; i-- {
		if i < 0 {
			number = append([]byte{'1'}, number...)
			break
		}
		if number[i]++; number[i] > '9' {
			number[i] = '0'
			continue
		}
		up = false
	}
	out := string(number[:len(number)-digits])
	if digits > 0 {
		out += "." + string(number[len(number)-digits:])
	}
	if math.Signbit(x) {
		out = "-" + out
	}
	return out
}

// decimal prints x as Java's DecimalFormat("0.0000") does: the exact binary value, rounded to even.
func decimal(x float64) string {
	if math.IsNaN(x) {
		return "NaN"
	}
	return strconv.FormatFloat(x, 'f', 4, 64)
}

// labelWidth returns the width of the column of names in the tables of outputs.
func labelWidth(labels []string) int {
	width := 15
	for _, s := range labels {
		width = max(width, len([]rune(s)))
	}
	return width + 5
}

// outputName returns an output's name, or its number.
func outputName(labels []string, i int) string {
	if i < len(labels) {
		return labels[i]
	}
	return strconv.Itoa(i)
}

// thresholdNote ends the tables of figures counted at steps.
func thresholdNote(steps int) string {
	if steps <= 0 {
		return ""
	}
	return fmt.Sprintf("\n[Note: Thresholded AUC/AUPRC calculation used with %d steps); accuracy may reduced compared "+
		"to exact mode]", steps)
}
