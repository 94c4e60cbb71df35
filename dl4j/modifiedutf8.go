package dl4j

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Java's form of UTF-8 writes NUL in two bytes and characters beyond U+FFFF as two surrogates of three bytes each.

func decodeModifiedUTF8(b []byte) (string, error) {
	var units []uint16
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c < 0x80:
			if units == nil {
				// Nearly all strings are ASCII.
				j := i
				for j < len(b) && b[j] < 0x80 {
					j++
				}
				if j == len(b) {
					return string(b), nil
				}
				units = make([]uint16, 0, len(b))
			}
			units = append(units, uint16(c))
			i++
		case c>>5 == 0b110 && i+1 < len(b) && b[i+1]>>6 == 0b10:
			units = append(units, uint16(c&31)<<6|uint16(b[i+1]&63))
			i += 2
		case c>>4 == 0b1110 && i+2 < len(b) && b[i+1]>>6 == 0b10 && b[i+2]>>6 == 0b10:
			units = append(units, uint16(c&15)<<12|uint16(b[i+1]&63)<<6|uint16(b[i+2]&63))
			i += 3
		default:
			return "", fmt.Errorf("a string that is not in Java's form of UTF-8")
		}
	}
	return string(utf16.Decode(units)), nil
}

func appendModifiedUTF8(b []byte, s string) []byte {
	unit := func(u uint16) {
		switch {
		case u != 0 && u < 0x80:
			b = append(b, byte(u))
		case u < 0x800:
			b = append(b, 0xc0|byte(u>>6), 0x80|byte(u&63))
		default:
			b = append(b, 0xe0|byte(u>>12), 0x80|byte(u>>6&63), 0x80|byte(u&63))
		}
	}
	for _, r := range s {
		if r > utf8.MaxRune || r < 0x10000 {
			unit(uint16(r))
			continue
		}
		high, low := utf16.EncodeRune(r)
		unit(uint16(high))
		unit(uint16(low))
	}
	return b
}
