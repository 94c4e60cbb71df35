package analysis

import (
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unit is what the values of a column have beside their numbers: "$1,200", "12 kg", "3.5%".
type Unit struct {
	Before string `json:"before,omitempty"` // a currency
	After  string `json:"after,omitempty"`
	// Commas is true if thousands are separated by commas.
	Commas bool `json:"commas,omitempty"`
}

// String describes the unit: "in kg".
func (u Unit) String() string {
	var parts []string
	if name := u.Before + u.After; name != "" {
		parts = append(parts, "in "+name)
	}
	if u.Commas {
		parts = append(parts, "with commas")
	}
	return strings.Join(parts, " ")
}

// regex matches the parts of a value that are not its number, in Java's form.
func (u Unit) regex() string {
	var parts []string
	if u.Before != "" {
		parts = append(parts, regexp.QuoteMeta(u.Before)+`\s*`)
	}
	if u.Commas {
		parts = append(parts, ",")
	}
	if u.After != "" {
		parts = append(parts, `\s*`+regexp.QuoteMeta(u.After)+`\s*$`)
	}
	return strings.Join(parts, "|")
}

// currencies may stand before a number. Other words there make a name of it, such as "item 12".
var currencies = []string{"US$", "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "CAD", "AUD", "$", "€", "£", "¥", "₹",
	"₽", "₩", "₺", "₪"}

// longestMeasure bounds the bytes of a number with its unit.
const longestMeasure = 48

// readMeasure reads a number with a unit, or with commas.
func readMeasure(s string) (u Unit, c cell, ok bool) {
	if s = strings.TrimSpace(s); s == "" || len(s) > longestMeasure {
		return u, c, false
	}
	sign, rest := cutSign(s)
	for _, name := range currencies {
		if after, has := strings.CutPrefix(rest, name); has {
			u.Before, rest = name, strings.TrimLeft(after, " \u00a0")
			break
		}
	}
	if sign == "" && u.Before != "" {
		sign, rest = cutSign(rest)
	}
	n := 0
	for n < len(rest) && (rest[n] >= '0' && rest[n] <= '9' || rest[n] == ',' || rest[n] == '.') {
		n++
	}
	digits, after := rest[:n], rest[n:]
	if u.Commas = strings.Contains(digits, ","); u.Commas && !grouped(digits) {
		return u, c, false
	}
	if u.After, ok = unitName(after); !ok || u == (Unit{}) {
		return u, c, false
	}
	c.x, c.integer, c.padded, c.number = readNumber(sign + strings.ReplaceAll(digits, ",", ""))
	return u, c, c.number && !c.padded && !math.IsInf(c.x, 0)
}

func cutSign(s string) (sign, rest string) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[:1], s[1:]
	}
	return "", s
}

// grouped reports whether commas separate thousands: "1,234,567.8".
func grouped(digits string) bool {
	whole, _, _ := strings.Cut(digits, ".")
	groups := strings.Split(whole, ",")
	for i, g := range groups {
		if i > 0 && len(g) != 3 || len(g) < 1 || len(g) > 3 {
			return false
		}
	}
	return !strings.Contains(digits[len(whole):], ",")
}

// unitName returns the unit after a number: one word, which begins with a letter or a sign such as %. A word without a
// space before it has no digits. The unit may be empty.
func unitName(after string) (name string, ok bool) {
	name = strings.TrimLeft(after, " \u00a0")
	first, _ := utf8.DecodeRuneInString(name)
	if name == "" {
		return "", true
	}
	if !unicode.IsLetter(first) && !strings.ContainsRune("%‰°", first) && !unicode.Is(unicode.Sc, first) {
		return "", false
	}
	for _, r := range name {
		switch {
		case unicode.IsLetter(r), unicode.Is(unicode.Sc, r), strings.ContainsRune("%‰°/²³·^.", r):
		case unicode.IsDigit(r) && len(name) < len(after):
		default:
			return "", false
		}
	}
	return name, true
}
