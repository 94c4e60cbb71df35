package livepage

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/stats"
)

// still is a run that does not change.
type still struct{ run stats.Run }

func (s still) Now() stats.Run                            { return s.run }
func (s still) End()                                      {}
func (s still) LowerLearningRate(float64) (string, error) { return "", nil }

func open(t *testing.T, p Pages) *Server {
	t.Helper()
	s, err := Open(Options{}, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// ask sends the server a request with a token and headers in pairs. A header "Host" is the request's host.
func ask(s *Server, method, path, token string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	r.Host = s.base.Host
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// led are the headers of a browser that follows a link from another site's page.
func led(dest string) []string {
	return []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", dest}
}

func TestGuard(t *testing.T) {
	s := open(t, Live{still{stats.Run{Title: "run"}}})
	control, watch := s.guard.control, s.guard.watch
	own := "http://" + s.base.Host
	for name, c := range map[string]struct {
		method, path, token string
		headers             []string
		want                int
	}{
		"no token":                   {"GET", "/", "", nil, 401},
		"a wrong token":              {"GET", "/", control[1:] + control[:1], nil, 401},
		"a token's beginning":        {"GET", "/", control[:10], nil, 401},
		"a wrong one in the URL":     {"GET", "/?token=x", "", nil, 401},
		"a wrong one and a cookie":   {"GET", "/?token=x", "", []string{"Cookie", s.guard.cookie + "=" + control}, 401},
		"the token":                  {"GET", "/", control, nil, 200},
		"a token to watch":           {"GET", "/", watch, nil, 200},
		"the token as a cookie":      {"GET", "/", "", []string{"Cookie", s.guard.cookie + "=" + control}, 200},
		"another server's cookie":    {"GET", "/", "", []string{"Cookie", "dl4go_1=" + control}, 401},
		"the token in the URL":       {"GET", "/?token=" + control, "", nil, 303},
		"it can't lead elsewhere":    {"GET", "//evil.example/?token=" + control, "", nil, 303},
		"another page":               {"GET", "/etc/passwd", control, nil, 404},
		"a foreign name":             {"GET", "/", control, []string{"Host", "evil.example"}, 421},
		"a foreign address":          {"GET", "/", control, []string{"Host", "192.0.2.1:80"}, 421},
		"localhost":                  {"GET", "/", control, []string{"Host", "LOCALHOST:80"}, 200},
		"IPv6":                       {"GET", "/", control, []string{"Host", "[::1]:80"}, 200},
		"another site's script":      {"GET", "/events", control, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"another port's script":      {"GET", "/events", control, []string{"Sec-Fetch-Site", "same-site"}, 403},
		"another site's frame":       {"GET", "/", control, led("iframe"), 403},
		"a link of another site":     {"GET", "/", control, led("document"), 200},
		"another site's form":        {"POST", "/end", control, led("document"), 403},
		"a form of an older browser": {"POST", "/end", control, []string{"Origin", "http://evil.example"}, 403},
		"a form of no site":          {"POST", "/end", control, []string{"Origin", "null"}, 403},
		"the page itself":            {"GET", "/", control, []string{"Origin", own, "Sec-Fetch-Site", "same-origin"}, 200},
		"the page by another scheme": {"GET", "/", control, []string{"Origin", "https://" + s.base.Host}, 403},
	} {
		w := ask(s, c.method, c.path, c.token, c.headers...)
		if w.Code != c.want {
			t.Errorf("%s: %d, want %d", name, w.Code, c.want)
		}
		if to := w.Header().Get("Location"); w.Code == 303 && to != "/" && to != "/evil.example/" {
			t.Errorf("%s leads to %s", name, to)
		}
		if w.Code == 303 && !strings.Contains(w.Header().Get("Set-Cookie"), "HttpOnly; SameSite=Lax") {
			t.Errorf("%s: cookie %s", name, w.Header().Get("Set-Cookie"))
		}
		if w.Header().Get("X-Frame-Options") != "DENY" || w.Header().Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: headers %v", name, w.Header())
		}
	}
}

// TestBrowserVisits: the printed URL opens the page, and a reload needs no token.
func TestBrowserVisits(t *testing.T) {
	s := open(t, Live{still{stats.Run{Title: "run"}}})
	var jar cookies
	client := &http.Client{Jar: &jar}
	for _, u := range []string{s.URL(), s.base.String(), s.WatchURL()} {
		got, err := client.Get(u)
		if err != nil {
			t.Fatal(err)
		}
		got.Body.Close()
		if got.StatusCode != 200 || got.Request.URL.RawQuery != "" {
			t.Errorf("%s: %s at %s", u, got.Status, got.Request.URL)
		}
	}
}

type cookies struct{ all []*http.Cookie }

func (c *cookies) SetCookies(_ *url.URL, set []*http.Cookie) { c.all = set }
func (c *cookies) Cookies(*url.URL) []*http.Cookie           { return c.all }

func TestNames(t *testing.T) {
	for _, c := range []struct {
		names    []string
		address  string
		host     string
		loopback bool
		want     bool
	}{
		{[]string{"train.example"}, "0.0.0.0", "train.example:8443", false, true},
		{[]string{"train.example"}, "0.0.0.0", "Train.Example.", false, true},
		{[]string{"train.example"}, "0.0.0.0", "other.example", false, false},
		{[]string{"*.example"}, "0.0.0.0", "train.example", false, true},
		{[]string{"*.example"}, "0.0.0.0", "a.train.example", false, false},
		{[]string{"*.example"}, "0.0.0.0", "example", false, false},
		{[]string{""}, "0.0.0.0", "", false, false},
		{[]string{"0.0.0.0"}, "0.0.0.0", "192.0.2.1:80", false, true},
		{[]string{"127.0.0.1"}, "127.0.0.1", "127.1.2.3:80", true, true},
	} {
		g := newGuard(c.names, tcp(c.address), true)
		if got := g.serves(c.host); got != c.want || g.loopback != c.loopback {
			t.Errorf("%v at %s: %q is served: %v", c.names, c.address, c.host, got)
		}
	}
}
