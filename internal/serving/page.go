package serving

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"
	"strings"
)

//go:embed page/page.html
var pageText string

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

// page is the page for trying the models. It is the same for all servers and models: its script sends requests to the
// server, with the token that the user enters.
func (s *rest) page(w http.ResponseWriter, _ *http.Request) {
	text := strings.NewReplacer("{{style}}", pageStyle, "{{script}}", pageScript).Replace(pageText)
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; script-src "+hashed(pageScript)+"; style-src "+hashed(pageStyle)+
		"; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-cache")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	_, _ = w.Write([]byte(text)) // the client is gone
}

// hashed allows a script or a style with exactly this text.
func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
