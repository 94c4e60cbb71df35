package endpoint

import (
	"os"
	"sync"
	"time"
)

// tokenFile is a file with a token, which is written again before the token expires.
type tokenFile struct {
	path string

	mu    sync.Mutex
	token string
	at    time.Time // when the file that was read was written
}

// now gives the token that is in the file, or, where that can't be read, the last one.
func (f *tokenFile) now() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := os.Stat(f.path)
	if err != nil || info.ModTime().Equal(f.at) {
		return f.token
	}
	if token, err := token(f.path); err == nil {
		f.token, f.at = token, info.ModTime()
	}
	return f.token
}
