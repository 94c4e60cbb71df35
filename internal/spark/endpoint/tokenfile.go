package endpoint

import (
	"os"
	"sync"
	"time"
)

// tokenFile is a file with a token. Another program replaces the token before it expires.
type tokenFile struct {
	path string

	mu    sync.Mutex
	token string
	at    time.Time // modification time of the file when it was read
}

// now returns the token in the file, or the last one if the file can't be read.
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
