package livepage

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dop251/goja"

	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/stats"
)

func tcp(address string) *net.TCPAddr { return &net.TCPAddr{IP: net.ParseIP(address), Port: 80} }

// trains is a run whose loss is set by the test.
type trains struct {
	record *stats.Recorder
	mu     sync.Mutex
	ended  bool
	rates  []float64
}

func newTrains() *trains { return &trains{record: stats.NewRecorder(time.Now(), stats.Run{}, 0)} }

func (r *trains) Now() stats.Run {
	return stats.Run{Title: "Training of model.zip", Settings: map[string]string{"batch": "16"},
		Series: r.record.Thinned(1_000_000)}
}

func (r *trains) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
}

func (r *trains) LowerLearningRate(by float64) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if by == 0.25 {
		return "", errors.New("the updater has no learning rate")
	}
	r.rates = append(r.rates, by)
	return "after the step under way", nil
}

// listen returns a function that reads a server's events: each one's name and data.
func listen(t *testing.T, s *Server) (next func() (name, data string), end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, "GET", s.base.String()+"events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.guard.watch)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	got, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(got.Body)
	lines.Buffer(nil, 1<<24)
	return func() (name, data string) {
			for lines.Scan() {
				if rest, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
					name = rest
				}
				if rest, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
					return name, rest
				}
			}
			return "", ""
		}, func() {
			cancel()
			got.Body.Close()
		}
}

// TestStream: a browser gets the page's sections when they change, the last state and the end; then no goroutine
// remains.
func TestStream(t *testing.T) {
	before := runtime.NumGoroutine()
	run := newTrains()
	run.record.Add("loss", 1, 0.75)
	s, err := Open(Options{}, Live{run})
	if err != nil {
		t.Fatal(err)
	}
	next, end := listen(t, s)
	_, gone := listen(t, s) // a browser that reads nothing does not delay the server
	until := func(section, want string) {
		t.Helper()
		for name, data := next(); name != ""; name, data = next() {
			var content struct{ ID, HTML string }
			if name == "section" && json.Unmarshal([]byte(data), &content) != nil {
				t.Fatalf("section %s", data)
			}
			if name == want || content.ID == section && strings.Contains(content.HTML, want) {
				return
			}
		}
		t.Fatalf("the stream ended before %s", want)
	}
	until("learning", "<b>0.75</b>")
	run.record.Add("loss", 2, 0.5)
	run.record.Add("speed/partition 0", 2, 17)
	until("learning", "<b>0.5</b>")
	until("workers", "17")
	run.record.Add("loss", 3, 0.25)
	s.farewell = time.Hour // a slow machine sends the last update, too
	s.Close()
	until("learning", "<b>0.25</b>")
	until("", "end")
	end()
	gone()
	s.Close()
	if r, err := http.Get(s.URL()); err == nil { // another server may have the port by now
		if r.Body.Close(); r.StatusCode < 400 {
			t.Error("the server still answers")
		}
	}
	await.Goroutines(t, before)
}

// TestSteering: the control token allows ending the run and lowering its learning rate.
func TestSteering(t *testing.T) {
	run := newTrains()
	s := open(t, Live{run})
	post := func(token, path string) (int, string) {
		w := ask(s, "POST", path, token)
		return w.Code, w.Body.String()
	}
	for _, path := range []string{"/end", "/learning-rate?by=0.5"} {
		if code, _ := post(s.guard.watch, path); code != 403 {
			t.Errorf("%s by a token for watching: %d", path, code)
		}
		if w := ask(s, "GET", path, s.guard.control); w.Code != 405 {
			t.Errorf("GET %s: %d", path, w.Code)
		}
	}
	if run.ended || run.rates != nil {
		t.Fatalf("the run was steered: %v %v", run.ended, run.rates)
	}
	for _, by := range []string{"", "0", "1", "2", "-1", "NaN", "x", "0.25"} {
		if code, _ := post(s.guard.control, "/learning-rate?by="+by); code != 400 {
			t.Errorf("by %s: %d", by, code)
		}
	}
	code, text := post(s.guard.control, "/learning-rate?by=0.5")
	if code != 200 || !strings.Contains(text, "after the step") {
		t.Errorf("%d %s", code, text)
	}
	if code, text := post(s.guard.control, "/end"); code != 200 || !strings.Contains(text, "saves its model") {
		t.Errorf("%d %s", code, text)
	}
	if !run.ended || len(run.rates) != 1 || run.rates[0] != 0.5 {
		t.Errorf("ended %v, rates %v", run.ended, run.rates)
	}
	if page := ask(s, "GET", "/", s.guard.watch).Body.String(); strings.Contains(page, `id="end"`) ||
		strings.Contains(page, s.guard.control) || strings.Contains(page, s.guard.watch) {
		t.Error("the page for watching steers or tells a token")
	}
	if page := ask(s, "GET", "/", s.guard.control).Body.String(); !strings.Contains(page, `id="end"`) ||
		!strings.Contains(page, s.guard.watch) || strings.Contains(page, s.guard.control) {
		t.Error("the page for steering lacks its buttons or tells its token")
	}
}

const hostile = `</script><script>alert(1)</script><img src=x onerror="alert('2')">`

// TestHostileNames: names are shown as text, wherever they are.
func TestHostileNames(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	run := stats.Run{Title: hostile, Settings: map[string]string{hostile: hostile},
		Events: []stats.Event{{Phase: stats.WorkerFit, Worker: hostile, Start: at, Duration: 1, Examples: 1}}}
	for _, name := range []string{"ratio/", "dead/", "updates/", "activations/", "", "speed/", "memory/"} {
		run.Series = append(run.Series, stats.Series{Name: name + hostile + "/x", Iterations: []int{1, 2},
			Since: []time.Duration{1, 2}, Values: []float64{0.9, 0.9}})
	}
	run.Series[4].Name = hostile
	s := open(t, Live{still{run}})
	page := ask(s, "GET", "/", s.guard.control).Body.String()
	if strings.Contains(page, "<script>alert") || strings.Contains(page, "<img") || strings.Contains(page, "onerror=\"") {
		t.Error("a name is HTML in the page")
	}
	if n := strings.Count(page, "&lt;img"); n < 8 {
		t.Errorf("names are in the page %d times", n)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, `<img src=x>&"'.json`)
	if err := run.Export(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	s = open(t, &Archive{Dir: dir})
	for _, path := range []string{"/", "/run?run=%3Cimg+src%3Dx%3E%26%22%27.json"} {
		w := ask(s, "GET", path, s.guard.watch)
		text := w.Body.String()
		if w.Code != 200 || strings.Contains(text, "<script>alert") || strings.Contains(text, "<img") {
			t.Errorf("%s: %d, or a name is HTML", path, w.Code)
		}
	}
}

// TestManyPoints: the page of a run with 1,000 workers and a million points is small.
func TestManyPoints(t *testing.T) {
	run := newTrains()
	for i := range 1000 {
		for w := range 1000 {
			run.record.Add(fmt.Sprintf("speed/partition %d", w), i, float64(i%7))
		}
		run.record.Add("loss", i, 1/float64(i+1))
	}
	s := open(t, Live{run})
	page := ask(s, "GET", "/", s.guard.watch).Body
	if page.Len() > 2e6 || strings.Count(page.String(), `<th scope="row">partition `) != 1000 {
		t.Errorf("the page has %d bytes", page.Len())
	}
}

func TestAddresses(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0"} {
		if _, err := Open(Options{Address: address}, Live{newTrains()}); !errors.Is(err, ErrExposed) {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"127.0.0.1", "127.0.0.1:x", "127.0.0.1:99999", "x y:1"} {
		if _, err := Open(Options{Address: address, Exposed: true}, Live{newTrains()}); err == nil {
			t.Errorf("%s is served", address)
		}
	}
	if _, err := Open(Options{Certificate: "x"}, Live{newTrains()}); err == nil {
		t.Error("a certificate without its key")
	}
	if _, err := Open(Options{Certificate: "x", Key: "y"}, Live{newTrains()}); err == nil {
		t.Error("files that are not there")
	}
	s, err := Open(Options{Address: "localhost:0", Exposed: true}, Live{newTrains()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !strings.HasPrefix(s.URL(), "http://localhost:") {
		t.Error(s.URL())
	}
}

// TestTLS: with a certificate the page is served over TLS, and the cookie is for TLS only.
func TestTLS(t *testing.T) {
	certificate, key, roots := certified(t)
	s, err := Open(Options{Certificate: "file://" + certificate, Key: key}, Live{newTrains()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	defer transport.CloseIdleConnections()
	got, err := transport.RoundTrip(mustRequest(t, s.URL()))
	if err != nil {
		t.Fatal(err)
	}
	got.Body.Close()
	if got.StatusCode != 303 || !strings.Contains(got.Header.Get("Set-Cookie"), "Secure") {
		t.Errorf("%s, cookie %s", got.Status, got.Header.Get("Set-Cookie"))
	}
}

func mustRequest(t *testing.T, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// certified makes a certificate for this machine.
func certified(t *testing.T) (certificate, key string, roots *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificate, key, roots = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), x509.NewCertPool()
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	roots.AppendCertsFromPEM(text)
	for file, content := range map[string][]byte{certificate: text,
		key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key, roots
}

// TestScriptCompiles: the page's script is valid JavaScript.
func TestScriptCompiles(t *testing.T) {
	if _, err := goja.Compile("live.js", liveScript, true); err != nil {
		t.Error(err)
	}
}
