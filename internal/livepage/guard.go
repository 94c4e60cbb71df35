package livepage

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
)

// guard admits requests that have a token, name this server, and come from its own pages or from no page.
type guard struct {
	control, watch string // tokens: the first also allows steering
	cookie         string // keeps the token for the next request
	names          []string
	loopback, tls  bool
	next           http.Handler
}

func newGuard(names []string, at *net.TCPAddr, tls bool) *guard {
	g := &guard{control: rand.Text(), watch: rand.Text(), cookie: fmt.Sprintf("dl4go_%d", at.Port), tls: tls,
		loopback: at.IP.IsLoopback()}
	for _, name := range append([]string{"localhost", hostname()}, names...) {
		if name != "" {
			g.names = append(g.names, strings.ToLower(name))
		}
	}
	return g
}

// hostname returns this machine's name, or localhost if it has none.
func hostname() string {
	if name, err := os.Hostname(); err == nil && name != "" {
		return name
	}
	return "localhost"
}

// ServeHTTP checks a request and passes it on.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if !g.serves(r.Host) {
		http.Error(w, "this server has another name; use the URL that dl4go printed", http.StatusMisdirectedRequest)
		return
	}
	if g.foreign(r) {
		http.Error(w, "the request comes from another site", http.StatusForbidden)
		return
	}
	query := r.URL.Query().Get("token")
	allowed := g.may(query)
	if allowed != nothing && r.Method == http.MethodGet {
		g.remember(w, r, query)
		return
	}
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && allowed == nothing {
		allowed = g.may(bearer)
	}
	if c, err := r.Cookie(g.cookie); err == nil && allowed == nothing && query == "" {
		allowed = g.may(c.Value)
	}
	if allowed == nothing {
		h.Set("WWW-Authenticate", `Bearer realm="dl4go"`)
		http.Error(w, "a token is missing or wrong; use the URL that dl4go printed", http.StatusUnauthorized)
		return
	}
	g.next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), rightKey{}, allowed)))
}

// right is what a token allows.
type right int

const (
	nothing right = iota
	watching
	steering
)

type rightKey struct{}

// steers reports whether the request may steer the run.
func steers(r *http.Request) bool { return r.Context().Value(rightKey{}) == steering }

// may compares a token with both tokens of the server, in constant time.
func (g *guard) may(token string) right {
	given := sha256.Sum256([]byte(token))
	control, watch := sha256.Sum256([]byte(g.control)), sha256.Sum256([]byte(g.watch))
	return right(2*subtle.ConstantTimeCompare(given[:], control[:]) + subtle.ConstantTimeCompare(given[:], watch[:]))
}

// remember stores the token in a cookie, and redirects to the same page without the token.
func (g *guard) remember(w http.ResponseWriter, r *http.Request, token string) {
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: token, Path: "/", HttpOnly: true, Secure: g.tls,
		SameSite: http.SameSiteLaxMode})
	rest := r.URL.Query()
	rest.Del("token")
	to := url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, "/"), RawQuery: rest.Encode()}
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
}

// serves reports whether a Host header names this server. A foreign name would be that of a site whose DNS name was
// pointed at this server. An IP address can't be, but a loopback server accepts only loopback addresses.
func (g *guard) serves(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	if ip := net.ParseIP(strings.Trim(host, "[]")); ip != nil {
		return ip.IsLoopback() || !g.loopback
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return slices.ContainsFunc(g.names, func(name string) bool {
		rest, wild := strings.CutPrefix(name, "*")
		_, sub, dotted := strings.Cut(host, ".")
		return host == name || wild && dotted && "."+sub == rest
	})
}

// foreign reports whether a page of another site has sent the request. Such a page may link to this one, but not use
// it.
func (g *guard) foreign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		leads := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
			r.Header.Get("Sec-Fetch-Dest") == "document"
		if !leads {
			return true
		}
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || u.Host != r.Host || (u.Scheme == "https") != g.tls
}
