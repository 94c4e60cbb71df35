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

// A token that expires is replaced while a session lives. Workers that run learn the new one from a setting of the
// session, where it is sealed with a key of the heartbeat file; those that start read it in a newer heartbeat file.
const tokenKey = "dl4go.token"

// tokenKey is the key of this engine's tokens, which only heartbeat files have.
func (e *wants) tokenKey() []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sealing == nil {
		e.sealing = make([]byte, worker.SealBytes)
		rand.Read(e.sealing)
	}
	return e.sealing
}

// token is the one that the file has.
func (f heartbeatFile) token() string {
	if len(f.Addresses) == 0 {
		return ""
	}
	return f.Addresses[0].Token
}

// issue makes an artifact of the file, with this token where it has one.
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

// renew adds the token of now to the settings, and gives it, if workers do not have it yet.
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

// send gives workers that start from now on a file with the token.
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

// learn takes a token that the session's setting has, if any.
func (h *heartbeatReader) learn(sealed string) {
	b, err := base64.StdEncoding.DecodeString(sealed)
	if err == nil && len(b) > 0 {
		b, err = worker.Unseal(h.Key, b)
	}
	if err == nil && len(b) > 0 {
		h.setToken(string(b))
	}
}

// reread takes the token of a newer file, where one came since.
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

// now is the token that the reader's requests have.
func (h *heartbeatReader) now() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.token
}
