// Package instant orders numbers and dates that are given as texts.
package instant

import (
	"cmp"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"time"
)

// layouts are the unambiguous layouts of dates.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
	"2006/01/02", "2006-01", "02.01.2006"}

// Instant is a number or a date. Instants of the same kind are ordered.
type Instant struct {
	// Date reports that it is a date, not a number.
	Date  bool
	whole int64
	rest  float64
}

// Parse reads a number, or a date such as 2006-01-31. Dates without a zone are in UTC.
func Parse(text string) (Instant, bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Instant{whole: n}, true
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && x == x {
		return ofNumber(x), true
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return Instant{true, t.Unix(), float64(t.Nanosecond())}, true
		}
	}
	return Instant{}, false
}

func ofNumber(x float64) Instant {
	switch floor := math.Floor(x); {
	case floor >= 1<<63:
		return Instant{whole: math.MaxInt64, rest: x}
	case floor < -1<<63:
		return Instant{whole: math.MinInt64, rest: x}
	default:
		return Instant{whole: int64(floor), rest: x - floor}
	}
}

// Key returns bytes that are ordered as the instants of a kind.
func (i Instant) Key() (key [16]byte) {
	binary.BigEndian.PutUint64(key[:], uint64(i.whole)^1<<63)
	rest := math.Float64bits(i.rest)
	if rest>>63 == 1 {
		rest = ^rest
	} else {
		rest |= 1 << 63
	}
	binary.BigEndian.PutUint64(key[8:], rest)
	return key
}

// Compare is negative if i comes before o.
func (i Instant) Compare(o Instant) int {
	return cmp.Or(cmp.Compare(i.whole, o.whole), cmp.Compare(i.rest, o.rest))
}
