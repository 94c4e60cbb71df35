package source

import "bytes"

// UTF16 reports whether a text that begins with head is in UTF-16: by its byte order mark, or by the zero bytes of
// ASCII characters.
func UTF16(head []byte) bool {
	if bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}) {
		return true
	}
	head = head[:min(8, len(head))&^1]
	zeros := [2]int{}
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	n := len(head) / 2
	return n > 1 && (zeros[0] == n && zeros[1] == 0 || zeros[1] == n && zeros[0] == 0)
}
