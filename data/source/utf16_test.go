package source

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestUTF16: the error says that a text is in UTF-16, with or without a byte order mark.
func TestUTF16(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, text := range []string{"\ufeffa,b\n1,2\n", "a,b\n1,2\n", "\ufeff1 1:2\n", "1 1:2\n"} {
			var b []byte
			for _, u := range utf16.Encode([]rune(text)) {
				b = order.AppendUint16(b, u)
			}
			path := write(t, "t", string(b))
			for _, spec := range []string{"csv:" + path, "libsvm:" + path} {
				if _, err := Open(t.Context(), spec); err == nil ||
					!strings.Contains(err.Error(), path+": it is text in UTF-16: save it as UTF-8") {
					t.Errorf("%q: %v", text, err)
				}
			}
		}
	}
	for _, text := range []string{"", "a", "a,b\n1,2\n", "\x00\x00\x00\x00", "é,b\n"} {
		if UTF16([]byte(text)) {
			t.Errorf("%q is taken for UTF-16", text)
		}
	}
}
