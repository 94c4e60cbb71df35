package analysis

import (
	"math"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/internal/decimal"
	"github.com/dl4go/dl4go/pipeline"
)

// cell is a value in the form that [Infer] needs.
type cell struct {
	gap     bool
	raw     string // the text of a gap
	text    string
	typed   bool // not a text in the source
	number  bool
	integer bool // written without a fraction
	padded  bool // an integer with leading zeros
	x       float64
	word    int // 1 or 2: the word for false or true in the pair
	pair    int
	array   bool
	of      *pipeline.Array // nil for bytes
}

// truths are pairs of words for false and true.
var truths = [...][2]string{{"false", "true"}, {"no", "yes"}, {"f", "t"}, {"n", "y"}}

func (p *Profiler) read(v pipeline.Value) cell {
	switch v.Kind() {
	case pipeline.NullKind:
		return cell{gap: true}
	case pipeline.TextKind:
		return p.readRaw(v.String())
	case pipeline.ArrayKind, pipeline.BytesKind:
		return cell{array: true, typed: true, of: v.Array()}
	}
	x, err := v.Double()
	if err != nil || math.IsNaN(x) {
		return cell{gap: true, raw: "NaN"}
	}
	c := cell{typed: true, number: true, x: x, text: v.String()}
	switch v.Kind() {
	case pipeline.IntegerKind, pipeline.LongKind:
		c.integer = true
	case pipeline.BooleanKind:
		c.integer, c.pair, c.word = true, 0, 1+int(x)
	}
	return c
}

// readRaw reads a text.
func (p *Profiler) readRaw(raw string) cell {
	text := strings.TrimSpace(raw)
	if (text == "" || p.gapFirst[text[0]]) && p.missing[text] {
		return cell{gap: true, raw: raw}
	}
	return readText(raw, text)
}

func readText(raw, text string) cell {
	c := cell{text: raw}
	c.x, c.integer, c.padded, c.number = readNumber(text)
	if !c.number && text != "" && len(text) <= 5 && strings.IndexByte("ftnyFTNY", text[0]) >= 0 {
		for i, pair := range truths {
			for k, word := range pair {
				if strings.EqualFold(text, word) {
					c.pair, c.word = i, k+1
				}
			}
		}
	}
	return c
}

// readNumber reads a decimal number. Hexadecimal numbers and Java's suffixes do not count as numbers of a table.
func readNumber(s string) (x float64, integer, padded, ok bool) {
	if x, ok = decimal.Parse(s); ok {
		integer = strings.IndexByte(s, '.') < 0 && strings.IndexByte(s, 'e') < 0 && strings.IndexByte(s, 'E') < 0
		digits := s
		if s[0] == '-' || s[0] == '+' {
			digits = s[1:]
		}
		return x, integer, integer && len(digits) > 1 && digits[0] == '0', true
	}
	integer = true
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', (c == '-' || c == '+') && i == 0:
		case c == '.' || c == 'e' || c == 'E' || c == '-' || c == '+':
			integer = false
		default:
			switch strings.TrimLeft(s, "+-") {
			case "Infinity", "inf", "Inf":
				return math.Inf(1 - 2*strings.Count(s[:1], "-")), false, false, true
			}
			return 0, false, false, false
		}
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(x, 0) {
		return 0, false, false, false
	}
	digits := strings.TrimLeft(s, "+-")
	return x, integer, integer && len(digits) > 1 && digits[0] == '0', true
}
