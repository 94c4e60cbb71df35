package s3

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// account starts a server that accepts one access key, and returns a file system for it.
func account(t *testing.T, key string) (*FileSystem, *fakeServer) {
	f := &fakeServer{objects: make(map[string][]byte), parts: make(map[string][]byte)}
	f.fails = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		known := strings.Contains(r.Header.Get("Authorization"), "Credential="+key+"/") ||
			strings.HasPrefix(r.URL.Query().Get("X-Amz-Credential"), key+"/")
		if !known {
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, "<Error><Code>InvalidAccessKeyId</Code></Error>")
		}
		return !known
	}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return New(Options{Endpoint: server.URL, Region: "here", AccessKey: key, SecretKey: "secret of " + key}), f
}

// TestTwoAccounts: one process reads and writes with two accounts at once, while the environment has other settings.
func TestTwoAccounts(t *testing.T) {
	for k, v := range map[string]string{"AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nothing",
		"AWS_PROFILE":      "none",
		"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_REGION": "elsewhere", "AWS_CA_BUNDLE": "/none"} {
		t.Setenv(k, v)
	}
	servers := map[string]*fakeServer{}
	of := "of-" + strings.ToLower(rand.Text()) + "-" // a scheme is registered for the life of the process
	for _, name := range []string{"anna", "bert"} {
		system, server := account(t, name)
		servers[name] = server
		storage.Register(of+name, system)
	}
	var all sync.WaitGroup
	for name := range servers {
		for i := range 20 {
			all.Go(func() {
				if err := useAccount(t, fmt.Sprintf("%s%s://bucket/file-%d", of, name, i), name); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
	}
	all.Wait()
	for name, server := range servers {
		if n := len(server.objects); n != 20 {
			t.Errorf("the server of %s has %d objects", name, n)
		}
	}
}

// useAccount writes, reads, lists and lends a file.
func useAccount(t *testing.T, url, text string) error {
	ctx := t.Context()
	if err := storage.WriteFile(ctx, url,
		func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
		return err
	}
	if b, err := storage.ReadFile(ctx, url); string(b) != text || err != nil {
		return fmt.Errorf("read %q, %w", b, err)
	}
	files, err := storage.List(ctx, url[:strings.LastIndex(url, "/")])
	if err != nil || len(files) == 0 || !strings.HasPrefix(files[0].URL, url[:strings.Index(url, "/")]) {
		return fmt.Errorf("listed %v, %w", files, err)
	}
	loans, err := storage.Lend(ctx, []string{url}, time.Hour)
	if err != nil {
		return err
	}
	in, err := storage.Borrow(ctx, loans[0])
	if err != nil {
		return err
	}
	defer in.Close()
	if b, err := io.ReadAll(in); string(b) != text || err != nil {
		return fmt.Errorf("borrowed %q, %w", b, err)
	}
	return nil
}

// TestAccountErrors: errors of an account name its options, not the environment's variables.
func TestAccountErrors(t *testing.T) {
	_, server := account(t, "anna")
	at := httptest.NewServer(server)
	defer at.Close()
	for name, c := range map[string]struct {
		options Options
		want    string
	}{
		"another's key": {Options{Endpoint: at.URL, AccessKey: "bert", SecretKey: "x"},
			"the credentials of Options.AccessKey are wrong"},
		"no key": {Options{Endpoint: at.URL}, "does not know the access key"},
		"half a key": {Options{Endpoint: at.URL, AccessKey: "anna"},
			"one of Options.AccessKey and Options.SecretKey is set"},
		"endpoint":     {Options{Endpoint: "ftp://x"}, "Options.Endpoint should be http"},
		"nobody there": {Options{Endpoint: "http://127.0.0.1:1", Region: "here"}, "is Options.Endpoint right?"},
	} {
		_, err := New(c.options).Open(t.Context(), "any://bucket/a")
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "AWS_") {
			t.Errorf("%s: %v", name, err)
		}
		if name == "another's key" && !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v is no fs.ErrPermission", name, err)
		}
	}
}
