package spark

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"slices"
	"time"

	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

// A token that expires is replaced while a session lives. Running workers get the new one from a setting of the
// session, sealed with a key from the heartbeat file. Later workers read it in a newer heartbeat file.
const tokenKey = "dl4go.token"

// tokenKey returns the key of this engine's tokens, which only heartbeat files have.
func (e *wants) tokenKey() []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sealing == nil {
		e.sealing = make([]byte, worker.SealBytes)
		rand.Read(e.sealing)
	}
	return e.sealing
}

// token returns the token in the file.
func (f heartbeatFile) token() string {
	if len(f.Addresses) == 0 {
		return ""
	}
	return f.Addresses[0].Token
}

// issue makes an artifact of the file, with this token if the file has one.
func (f heartbeatFile) issue(name, token string) (connect.Artifact, heartbeatFile, error) {
	f.Issued, f.Addresses = time.Now().UnixNano(), slices.Clone(f.Addresses)
	for i := range f.Addresses {
		if f.Addresses[i].Token != "" {
			f.Addresses[i].Token = token
		}
	}
	b, err := json.Marshal(f)
	return connect.ArtifactBytes(name, b), f, err
}

// renew adds the current token to the settings if workers do not have it yet, and returns it.
func (l *heartbeat) renew(settings map[string]string) string {
	old := l.file.token()
	if old == "" {
		return ""
	}
	token := l.session.Address().Token
	if token == old {
		return ""
	}
	sealed, err := worker.Seal(l.file.Key, []byte(token))
	if err != nil {
		return ""
	}
	settings[tokenKey] = base64.StdEncoding.EncodeToString(sealed)
	return token
}

// send sends a file with the token, for workers that start from now on.
func (l *heartbeat) send(ctx context.Context, token string) error {
	a, f, err := l.file.issue(connect.AsJar+l.engine.unique(heartbeatWord), token)
	if err != nil {
		return err
	}
	if err := l.session.AddArtifacts(ctx, a); err != nil {
		return err
	}
	l.file = f
	return nil
}

// learn uses the token in the session's setting, if there is one.
func (h *heartbeatReader) learn(sealed string) {
	b, err := base64.StdEncoding.DecodeString(sealed)
	if err == nil && len(b) > 0 {
		b, err = worker.Unseal(h.Key, b)
	}
	if err == nil && len(b) > 0 {
		h.setToken(string(b))
	}
}

// reread uses the token of a newer file, if there is one.
func (h *heartbeatReader) reread() {
	if f, err := readHeartbeat(h.name); err == nil && f.Issued > h.Issued {
		h.Issued = f.Issued
		h.setToken(f.token())
	}
}

func (h *heartbeatReader) setToken(token string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.token = token
}

// now returns the token for the reader's requests.
func (h *heartbeatReader) now() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.token
}
