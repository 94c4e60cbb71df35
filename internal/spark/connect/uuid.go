package connect

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// newUUID returns a random UUID, for sessions and operations.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0F | 0x40
	b[8] = b[8]&0x3F | 0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

func isUUID(s string) bool {
	parts := strings.Split(s, "-")
	if len(parts) != 5 {
		return false
	}
	for i, n := range []int{8, 4, 4, 4, 12} {
		if _, err := hex.DecodeString(parts[i]); err != nil || len(parts[i]) != n {
			return false
		}
	}
	return true
}
