//go:build storage

package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// gate forwards requests to the server. It passes those of borrowers, which have a signature in their URL, to meet
// first.
func gate(t *testing.T, meet func(n int64, w http.ResponseWriter) (through bool)) {
	t.Helper()
	server, err := url.Parse(os.Getenv("AWS_ENDPOINT_URL"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(server)
		r.Out.Host = r.In.Host // it is part of the signature
	}}
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("X-Amz-Signature") && !meet(n.Add(1), w) {
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	t.Setenv("AWS_ENDPOINT_URL", s.URL)
}

// half writes the first half of a response.
type half struct {
	http.ResponseWriter
	left int
}

func (h *half) Write(p []byte) (int, error) {
	n, _ := h.ResponseWriter.Write(p[:min(h.left, len(p))])
	if h.left -= n; n < len(p) {
		panic(http.ErrAbortHandler)
	}
	return n, nil
}

// TestLoan: a borrower reads the whole object, whatever its own credentials and settings are, or gets an error with
// the reason. No error contains the loan.
func TestLoan(t *testing.T) {
	dir := storage.Join(root(t), "loans")
	name := storage.Join(dir, "a b+é%20.bin")
	text := strings.Repeat("0123456789abcdef", 1<<15)
	server := os.Getenv("AWS_ENDPOINT_URL")
	for _, c := range []struct {
		name  string
		meet  func(n int64, w http.ResponseWriter) bool
		alter func(l *storage.Loan)
		want  string // the contents, or part of the error
		lapse bool
	}{
		{name: "as it was", want: text},
		{name: "busy at first", want: text, meet: func(n int64, w http.ResponseWriter) bool {
			if n <= 2 {
				http.Error(w, "", http.StatusServiceUnavailable)
			}
			return n > 2
		}},
		{name: "replaced", want: "was changed after it was listed", lapse: true, meet: func(int64, http.ResponseWriter) bool {
			put(t, name, text+"x")
			return true
		}},
		{name: "replaced by as many bytes", want: "was changed after it was listed", lapse: true,
			meet: func(int64, http.ResponseWriter) bool {
				put(t, name, strings.ToUpper(text))
				return true
			}},
		{name: "removed", want: "was removed after it was listed", lapse: true, meet: func(int64, http.ResponseWriter) bool {
			if err := storage.Remove(context.Background(), name); err != nil {
				t.Error(err)
			}
			return true
		}},
		{name: "busy", want: "answers 503", meet: func(_ int64, w http.ResponseWriter) bool {
			http.Error(w, "", http.StatusServiceUnavailable)
			return false
		}},
		{name: "away", want: "ended the connection",
			meet: func(int64, http.ResponseWriter) bool { panic(http.ErrAbortHandler) }},
		{name: "forged", want: "answers 403", alter: func(l *storage.Loan) { l.Terms += "0" }},
		{name: "over", want: "the time is over", lapse: true, alter: func(l *storage.Loan) {
			l.Terms, l.Until = l.Terms+"0", time.Now().Add(-time.Second)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("AWS_ENDPOINT_URL", server)
			put(t, name, text)
			if c.meet != nil {
				gate(t, c.meet)
			}
			loans, err := storage.Lend(context.Background(), []string{name}, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			borrows, err := own(t).borrower()
			if err != nil {
				t.Fatal(err)
			}
			borrows.wait = func(context.Context, time.Duration) error { return nil }
			defer func() { borrows.wait = nil }()
			l := loans[0]
			if left := time.Until(l.Until); !l.Secret || l.Size != int64(len(text)) || left > time.Hour {
				t.Errorf("%+v, for %v", l, left)
			}
			secret, _ := url.Parse(l.Terms)
			if c.alter != nil {
				c.alter(&l)
			}
			var got string
			f, err := storage.Borrow(context.Background(), l)
			if err == nil {
				defer f.Close()
				var b []byte
				b, err = io.ReadAll(f)
				got = string(b)
			}
			if err != nil {
				got = err.Error()
				t.Log(got)
			}
			if (err == nil) != (c.want == text) || !strings.Contains(got, c.want) ||
				errors.Is(err, storage.ErrLapsed) != c.lapse {
				t.Errorf("%.200s, error %v", got, err)
			}
			if err != nil && (strings.Contains(got, secret.Query().Get("X-Amz-Signature")) || !strings.Contains(got, name) ||
				strings.Contains(got, "\n")) {
				t.Errorf("the error is %s", got)
			}
		})
	}
}

// TestLoanGoesOn: if a connection breaks in the middle of an object, reading continues there.
func TestLoanGoesOn(t *testing.T) {
	name := storage.Join(root(t), "loans/long")
	text := strings.Repeat("0123456789abcdef", 1<<14)
	put(t, name, text)
	var asked atomic.Int64
	server := os.Getenv("AWS_ENDPOINT_URL")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, _ := url.Parse(server)
		proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(u)
			p.Out.Host = p.In.Host
		}}
		if r.URL.Query().Has("X-Amz-Signature") && asked.Add(1) == 1 {
			proxy.ServeHTTP(&half{w, len(text) / 2}, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer s.Close()
	t.Setenv("AWS_ENDPOINT_URL", s.URL)
	loans, err := storage.Lend(context.Background(), []string{name}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	f, err := storage.Borrow(context.Background(), loans[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, err := io.ReadAll(f); err != nil || string(b) != text || asked.Load() != 2 {
		t.Errorf("%d bytes of %d by %d requests, error %v", len(b), len(text), asked.Load(), err)
	}
}

// TestLoansOfMany: many objects of a directory are found in its list, with the same result as single requests.
func TestLoansOfMany(t *testing.T) {
	dir := storage.Join(root(t), "loans/many")
	var names []string
	for i := range lendSingly + 1 {
		names = append(names, storage.Join(dir, fmt.Sprintf("%04d", i)))
		if err := own(t).Put(context.Background(), names[i], bytes.NewReader(make([]byte, i)), int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	loans, err := storage.Lend(context.Background(), names, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	few, err := storage.Lend(context.Background(), names[:3], time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range loans {
		if l.Size != int64(i) || l.URL != names[i] {
			t.Fatalf("loan %d is %+v", i, l)
		}
		if i < 3 && l.Version != few[i].Version {
			t.Errorf("%s has the versions %s and %s", l.URL, l.Version, few[i].Version)
		}
	}
	if b, err := storage.Borrow(context.Background(), loans[0]); err != nil {
		t.Error(err)
	} else if all, err := io.ReadAll(b); err != nil || len(all) != 0 {
		t.Errorf("an empty object has %d bytes, error %v", len(all), err)
	}
	for _, missing := range [][]string{{dir + "/none"}, append(names, dir+"/none")} {
		if _, err := storage.Lend(context.Background(), missing, time.Hour); !errors.Is(err, fs.ErrNotExist) ||
			!strings.Contains(err.Error(), dir+"/none") {
			t.Errorf("lending what is not there: %v", err)
		}
	}
}
