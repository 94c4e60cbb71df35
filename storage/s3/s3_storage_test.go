//go:build storage

package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/storagetest"
	"github.com/dl4go/dl4go/storage"
)

// root is the bucket of tools/s3.sh.
func root(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("DL4GO_S3")
	if dir == "" {
		t.Fatal("there is no DL4GO_S3: ./tools/s3.sh with go test -tags storage")
	}
	return dir
}

func put(t *testing.T, url, text string) {
	t.Helper()
	if err := storage.WriteFile(context.Background(), url,
		func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
		t.Fatal(err)
	}
}

func TestStorage(t *testing.T) {
	storagetest.Run(t, storage.Join(root(t), fmt.Sprintf("suite-%08x", rand.Uint32()))) // unique
}

func TestS3AIsTheSame(t *testing.T) {
	dir := storage.Join(root(t), "hadoop")
	put(t, storage.Join(dir, "x"), "text")
	files, err := storage.List(context.Background(), strings.Replace(dir, "s3://", "s3a://", 1))
	if err != nil || len(files) != 1 || !strings.HasPrefix(files[0].URL, "s3a://") {
		t.Fatalf("%v, %v", files, err)
	}
	if b, err := storage.ReadFile(context.Background(), files[0].URL); string(b) != "text" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

func TestListOfManyPages(t *testing.T) {
	dir := storage.Join(root(t), "pages")
	const n = 1100
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for i := w; i < n; i += 4 {
				if err := own(t).Put(context.Background(), storage.Join(dir, fmt.Sprintf("%04d", i)),
					strings.NewReader("x"), 1); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	files, err := storage.List(context.Background(), dir)
	if err != nil || len(files) != n {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for i, f := range files {
		if want := storage.Join(dir, fmt.Sprintf("%04d", i)); f.URL != want || f.Size != 1 {
			t.Fatalf("file %d is %v", i, f)
		}
	}
}

// TestMistakes: each error is one line that says what to do, and comes soon.
func TestMistakes(t *testing.T) {
	dir := root(t)
	bucket := strings.TrimPrefix(dir, "s3://")
	for _, c := range []struct {
		name string
		env  map[string]string
		url  string
		want []string
		is   error
	}{
		{"unknown key", map[string]string{"AWS_ACCESS_KEY_ID": "nobody"}, dir + "/x",
			[]string{"nobody", "environment"}, fs.ErrPermission},
		{"wrong secret", map[string]string{"AWS_SECRET_ACCESS_KEY": "wrong"}, dir + "/x",
			[]string{"secret", "dl4go"}, fs.ErrPermission},
		{"no credentials", map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "",
			"AWS_EC2_METADATA_DISABLED": "true", "HOME": t.TempDir()},
			dir + "/x", []string{"AWS_ACCESS_KEY_ID", "AWS_PROFILE"}, fs.ErrPermission},
		{"half a key", map[string]string{"AWS_SECRET_ACCESS_KEY": ""}, dir + "/x", []string{"set both"}, nil},
		{"no such profile", map[string]string{"AWS_PROFILE": "nobody"}, dir + "/x", []string{"AWS_PROFILE", "nobody"}, nil},
		{"missing bucket", nil, "s3://there-is-none/x", []string{"there is no bucket there-is-none"}, fs.ErrNotExist},
		{"no bucket's name", nil, "s3://My_Bucket!/x", []string{`"My_Bucket!" is not the name of a bucket`}, nil},
		{"no object's name", nil, dir + "/caf\xe9", []string{"not the name of an object", `\xe9`}, nil},
		{"no bucket", nil, "s3:///x", []string{"s3://BUCKET/KEY"}, nil},
		{"a bucket is no file", nil, "s3://" + bucket, []string{"directory"}, nil},
		{"refused", map[string]string{"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, dir + "/x",
			[]string{"refused", "AWS_ENDPOINT_URL"}, nil},
		{"no name", map[string]string{"AWS_ENDPOINT_URL": "http://there-is-none.invalid:1"}, dir + "/x",
			[]string{"there-is-none.invalid", "AWS_ENDPOINT_URL"}, nil},
		{"no TLS", map[string]string{"AWS_ENDPOINT_URL": strings.Replace(os.Getenv("AWS_ENDPOINT_URL"), "http:", "https:",
			1)}, dir + "/x", []string{"TLS"}, nil},
		{"no URL", map[string]string{"AWS_ENDPOINT_URL": "127.0.0.1:9000"}, dir + "/x", []string{"http://HOST:PORT"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			_, open := storage.Open(context.Background(), c.url)
			for what, err := range map[string]error{"Open": open, "CheckWritable": storage.CheckWritable(context.Background(),
				c.url), "Put": own(t).Put(context.Background(), c.url, strings.NewReader("x"), 1)} {
				if err == nil || strings.Contains(err.Error(), "\n") || c.is != nil && !errors.Is(err, c.is) {
					t.Errorf("%s: %v", what, err)
					continue
				}
				for _, w := range c.want {
					if !strings.Contains(err.Error(), w) {
						t.Errorf("%s: %q says nothing of %q", what, err, w)
					}
				}
			}
			t.Log(open)
		})
	}
}

func TestProfiles(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(
		os.WriteFile(filepath.Join(dir, "config"), fmt.Appendf(nil,
			"[default]\nregion=eu-north-1\n\n[profile work]\nregion = us-east-1\nendpoint_url = %s\n",
			os.Getenv("AWS_ENDPOINT_URL")), 0o600),
		os.WriteFile(filepath.Join(dir, "credentials"),
			[]byte("[default]\naws_access_key_id=x\naws_secret_access_key=y\n[work]\naws_access_key_id = "+
				"dl4go\naws_secret_access_key = a-secret-for-tests\n"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{"AWS_CONFIG_FILE": filepath.Join(dir, "config"),
		"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "credentials"),
		"AWS_ACCESS_KEY_ID":           "", "AWS_SECRET_ACCESS_KEY": "", "AWS_REGION": "", "AWS_ENDPOINT_URL": "",
		"AWS_PROFILE": "work"} {
		t.Setenv(k, v)
	}
	url := storage.Join(root(t), "profile")
	put(t, url, "by profile")
	if b, err := storage.ReadFile(context.Background(), url); string(b) != "by profile" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

func TestAnObjectThatChangesIsNotMixed(t *testing.T) {
	url := storage.Join(root(t), "changing")
	put(t, url, strings.Repeat("a", 1<<20))
	f, err := storage.Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	put(t, url, strings.Repeat("b", 1<<20))
	b, err := io.ReadAll(f)
	if err == nil || !strings.Contains(err.Error(), "changed") || bytes.ContainsRune(b, 'b') {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

// TestReadingTakesFewRequests counts the requests for a file of 32 MiB read in pieces of 4 KB.
func TestReadingTakesFewRequests(t *testing.T) {
	url := storage.Join(root(t), "sequential")
	content := strings.Repeat("0123456789abcdef", 2<<20)
	put(t, url, content)
	var requests atomic.Int64
	through(t, func(r *http.Request) bool { requests.Add(1); return true }, nil)
	f, err := storage.Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, piece := []byte(nil), make([]byte, 4096)
	for {
		n, err := f.Read(piece)
		b = append(b, piece[:n]...)
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if n := requests.Load(); string(b) != content || n > 14 {
		t.Errorf("%d bytes in %d requests", len(b), n)
	}
}

// TestConditionsThatAreNotHeeded: a server that ignores conditions is detected.
func TestConditionsThatAreNotHeeded(t *testing.T) {
	dir := storage.Join(root(t), "conditions")
	through(t, func(r *http.Request) bool { return true }, func(r *http.Response) error {
		if r.StatusCode == http.StatusPreconditionFailed {
			r.StatusCode, r.Body = http.StatusOK, http.NoBody
			r.ContentLength = 0
			r.Header.Del("Content-Length")
		}
		return nil
	})
	err := storage.WriteNew(context.Background(), storage.Join(dir, "x"), []byte("x"))
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "If-None-Match") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

// TestSweep aborts the uploads that a killed process left of files with a prefix in a directory, and no others.
func TestSweep(t *testing.T) {
	dir := storage.Join(root(t), "sweep")
	c, err := own(t).connect()
	if err != nil {
		t.Fatal(err)
	}
	core := minio.Core{Client: c.Client}
	bucket := strings.TrimPrefix(root(t), "s3://")
	for _, key := range []string{"sweep/checkpoint-1", "sweep/checkpoint-1", "sweep/checkpoint-2", "sweep/other",
		"sweep/checkpoint-3/below", "checkpoint-4"} {
		if _, err := core.NewMultipartUpload(t.Context(), bucket, key, minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	put(t, storage.Join(dir, "checkpoint-1"), "stays")
	if err := storage.Sweep(context.Background(), dir, "checkpoint-"); err != nil {
		t.Fatal(err)
	}
	left, err := core.ListMultipartUploads(t.Context(), bucket, "", "", "", "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, u := range left.Uploads {
		keys = append(keys, u.Key)
		core.AbortMultipartUpload(t.Context(), bucket, u.Key, u.UploadID)
	}
	slices.Sort(keys)
	if want := []string{"checkpoint-4", "sweep/checkpoint-3/below", "sweep/other"}; !slices.Equal(keys, want) {
		t.Errorf("left are %v, not %v", keys, want)
	}
	if b, err := storage.ReadFile(context.Background(), storage.Join(dir, "checkpoint-1")); string(b) != "stays" ||
		err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if err := storage.Sweep(context.Background(), storage.Join(root(t), "none"), "checkpoint-"); err != nil {
		t.Error(err)
	}
}

// TestTroubleThatPasses: the server is busy, and connections break in the middle.
func TestTroubleThatPasses(t *testing.T) {
	url := storage.Join(root(t), "trouble")
	text := strings.Repeat("trouble ", 100_000)
	put(t, url, text)
	var n atomic.Int64
	var broken atomic.Int64
	through(t, func(r *http.Request) bool { return n.Add(1)%3 != 0 }, func(r *http.Response) error {
		if r.Request.Method == http.MethodGet && n.Load()%3 == 1 && r.ContentLength > 0 {
			broken.Add(1)
			r.Body = struct {
				io.Reader
				io.Closer
			}{io.LimitReader(r.Body, r.ContentLength/2), r.Body}
		}
		return nil
	})
	if b, err := storage.ReadFile(context.Background(), url); string(b) != text || err != nil {
		t.Errorf("read: %d bytes, %v", len(b), err)
	}
	put(t, url, text+"once more")
	if b, err := storage.ReadFile(context.Background(), url); string(b) != text+"once more" || err != nil {
		t.Errorf("written: %d bytes, %v", len(b), err)
	}
	large := strings.Repeat("0123456789abcdef", 3<<20)
	put(t, url, large)
	if b, err := storage.ReadFile(context.Background(), url); string(b) != large || err != nil {
		t.Errorf("written in parts: %d bytes, %v", len(b), err)
	}
	if broken.Load() == 0 {
		t.Error("no connection broke")
	}
}

// through sends requests through a proxy. It responds SlowDown unless pass allows the request, and may modify
// responses.
func through(t *testing.T, pass func(*http.Request) bool, modify func(*http.Response) error) {
	between(t, func(w http.ResponseWriter, r *http.Request) bool {
		if pass(r) {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, "<Error><Code>SlowDown</Code><Message>later</Message></Error>")
		return true
	}, modify)
}

// between puts a proxy before the server. If answer has responded, the server does not get the request.
func between(t *testing.T, answer func(http.ResponseWriter, *http.Request) bool, modify func(*http.Response) error) {
	to, err := url.Parse(os.Getenv("AWS_ENDPOINT_URL"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:  func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host },
		ErrorLog: log.New(io.Discard, "", 0), ModifyResponse: modify,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answer(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
}

// TestServerKilledWhileItStores: existing objects stay, and a new name has no object, both for a single request and
// for parts.
func TestServerKilledWhileItStores(t *testing.T) {
	for name, size := range map[string]int64{"in one request": 4 << 20, "in parts": 40 << 20} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, "data", "bucket"), 0o777),
				os.Mkdir(filepath.Join(dir, "about"), 0o777)); err != nil {
				t.Fatal(err)
			}
			kill := serve(t, dir)
			put(t, "s3://bucket/old", "what was there")
			hurried(t)
			for _, url := range []string{"s3://bucket/old", "s3://bucket/new"} {
				content := &interrupted{size: size, at: size / 2, do: kill}
				err := own(t).Put(context.Background(), url, content, size)
				if err == nil || strings.Contains(err.Error(), "\n") {
					t.Errorf("the server was killed: %v", err)
				}
				t.Log(err)
				kill = serve(t, dir)
				hurried(t)
			}
			if b, err := storage.ReadFile(context.Background(), "s3://bucket/old"); string(b) != "what was there" || err != nil {
				t.Errorf("what was there is %.20q, %v", b, err)
			}
			files, err := storage.List(context.Background(), "s3://bucket")
			if err != nil || len(files) != 1 {
				t.Errorf("%v, %v", files, err)
			}
			put(t, "s3://bucket/new", "again")
		})
	}
}

// hurried makes this process repeat its requests to the current server without waits.
func hurried(t *testing.T) {
	c, err := own(t).connect()
	if err != nil {
		t.Fatal(err)
	}
	c.wait = func(context.Context, time.Duration) error { return nil }
}

// interrupted is content in whose middle something happens.
type interrupted struct {
	io.Reader // of nothing
	size, at  int64
	do        func()
	once      sync.Once
}

func (c *interrupted) ReadAt(p []byte, off int64) (int, error) {
	if off >= c.at {
		c.once.Do(c.do)
	}
	return len(p), nil
}

// serve starts a separate server, and returns a function that kills it. before is a command that runs it.
func serve(t *testing.T, dir string, before ...string) (kill func()) {
	t.Helper()
	for range 20 {
		// The port is below the range that systems assign by themselves, so that nobody else gets it meanwhile.
		address := fmt.Sprint("127.0.0.1:", 20000+rand.IntN(12000))
		l, err := net.Listen("tcp", address)
		if err != nil {
			continue
		}
		l.Close()
		// Another program may take the port meanwhile. So this server has a page that no other one has.
		health := fmt.Sprintf("/%016x", rand.Uint64())
		command := append(slices.Clone(before), os.Getenv("DL4GO_VERSITYGW"), "--quiet", "--port", address,
			"--health", health, "posix", "--sidecar", filepath.Join(dir, "about"), filepath.Join(dir, "data"))
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY_ID=dl4go", "ROOT_SECRET_ACCESS_KEY=a-secret-for-tests")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running, end := context.WithCancel(context.Background())
		go func() { cmd.Wait(); end() }()
		kill = func() { cmd.Process.Kill(); <-running.Done() }
		t.Cleanup(kill)
		t.Setenv("AWS_ENDPOINT_URL", "http://"+address)
		listens := false
		await.Until(t, "the server to listen, or to end as the port is taken", func() (any, bool) {
			r, err := http.NewRequestWithContext(running, http.MethodGet, "http://"+address+health, nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := http.DefaultClient.Do(r)
			if err == nil {
				answer.Body.Close()
				listens = answer.StatusCode == http.StatusOK
			}
			return err, listens || running.Err() != nil
		})
		if listens {
			return kill
		}
	}
	t.Fatal("no server starts")
	return nil
}
