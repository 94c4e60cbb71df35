package s3

import (
	"bufio"
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/dl4go/dl4go/storage"
)

// fakeServer is an S3 server in this process, whose failures the test controls.
type fakeServer struct {
	mu      sync.Mutex
	objects map[string][]byte
	parts   map[string][]byte // of the only upload
	begun   int               // number of uploads begun
	fails   func(n int, w http.ResponseWriter, r *http.Request) (failed bool)
	n       int             // number of requests
	lose    string          // the response to the next request with this method and this text in its query is lost
	waits   []time.Duration // between attempts
}

// own returns the file system of s3:// URLs.
func own(t *testing.T) *FileSystem {
	f, ok := storage.Lookup("s3")
	if !ok {
		t.Fatal("s3:// is not registered")
	}
	return f.(*FileSystem)
}

// startFake starts a server, and makes this process and its workers use it, without waits.
func startFake(t *testing.T) *fakeServer {
	f := &fakeServer{objects: make(map[string][]byte), parts: make(map[string][]byte)}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.ask(t, server.URL)
	return f
}

// ask makes this process use a server.
func (f *fakeServer) ask(t *testing.T, url string) *client {
	for k, v := range map[string]string{"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_ENDPOINT_URL":    url,
		"AWS_ENDPOINT_URL_S3": "", "AWS_REGION": "here", "AWS_PROFILE": "", "AWS_CA_BUNDLE": ""} {
		t.Setenv(k, v)
	}
	c, err := own(t).connect()
	if err != nil {
		t.Fatal(err)
	}
	b, err := own(t).borrower()
	if err != nil {
		t.Fatal(err)
	}
	wait := func(_ context.Context, d time.Duration) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.waits = append(f.waits, d)
		return nil
	}
	c.wait, b.wait = wait, wait
	unit := minio.DefaultRetryUnit // minio-go waits this long even after its only attempt
	minio.DefaultRetryUnit = 0
	t.Cleanup(func() { b.wait, minio.DefaultRetryUnit = nil, unit })
	return c
}

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil && strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		body, err = chunks(body)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	if f.fails != nil && f.fails(f.n, w, r) {
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := httptest.NewRecorder()
	f.serve(answer, r, body)
	if f.lose != "" && f.lose == r.Method+" "+strings.Split(r.URL.RawQuery, "=")[0] {
		f.lose = ""
		panic(http.ErrAbortHandler)
	}
	for k, v := range answer.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(answer.Code)
	if r.Method != http.MethodHead {
		w.Write(answer.Body.Bytes())
	}
}

func (f *fakeServer) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	fail := func(status int, code string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, "<Error><Code>%s</Code></Error>", code)
	}
	sum := func(b []byte) string { s := md5.Sum(b); return hex.EncodeToString(s[:]) }
	q, object, there := r.URL.Query(), f.objects[r.URL.Path], f.objects[r.URL.Path] != nil
	etag := sum(object)
	if n, ok := bytes.CutPrefix(object, []byte("parts:")); ok {
		etag = string(n[:34])
	}
	w.Header().Set("Last-Modified", time.Unix(1_700_000_000, 0).UTC().Format(http.TimeFormat))
	switch {
	case r.Method == http.MethodPost && q.Has("uploads"):
		f.begun++
		fmt.Fprint(w, "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>")
	case r.Method == http.MethodPut && q.Has("partNumber"):
		f.parts[q.Get("partNumber")] = body
		w.Header().Set("ETag", `"`+sum(body)+`"`)
	case r.Method == http.MethodPost && q.Has("uploadId"):
		if len(f.parts) == 0 {
			fail(http.StatusNotFound, "NoSuchUpload")
			return
		}
		var whole, sums []byte
		for i := range len(f.parts) {
			part := f.parts[strconv.Itoa(i+1)]
			s := md5.Sum(part)
			whole, sums = append(whole, part...), append(sums, s[:]...)
		}
		made := "parts:" + sum(sums) + "-" + strconv.Itoa(len(f.parts))
		f.objects[r.URL.Path] = append([]byte(made), whole[len(made):]...)
		clear(f.parts)
		fmt.Fprint(w, "<CompleteMultipartUploadResult><Bucket>b</Bucket><Key>k</Key></CompleteMultipartUploadResult>")
	case r.Method == http.MethodDelete && q.Has("uploadId"):
		fail(http.StatusNotFound, "NoSuchUpload")
	case r.Method == http.MethodPut && r.Header.Get("If-None-Match") != "" && there:
		fail(http.StatusPreconditionFailed, "PreconditionFailed")
	case r.Method == http.MethodPut:
		f.objects[r.URL.Path] = body
		w.Header().Set("ETag", `"`+sum(body)+`"`)
	case r.Method == http.MethodGet && q.Has("list-type"):
		fmt.Fprint(w, "<ListBucketResult><Name>b</Name>")
		for path, b := range f.objects {
			if key, ok := strings.CutPrefix(path, "/bucket/"); ok && strings.HasPrefix(key, q.Get("prefix")) {
				fmt.Fprintf(w, "<Contents><Key>%s</Key><Size>%d</Size></Contents>", key, len(b))
			}
		}
		fmt.Fprint(w, "</ListBucketResult>")
	case !there:
		fail(http.StatusNotFound, "NoSuchKey")
	case r.Method == http.MethodDelete:
		delete(f.objects, r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	default: // GET, HEAD
		w.Header().Set("ETag", `"`+etag+`"`)
		http.ServeContent(w, r, "", time.Unix(1_700_000_000, 0), bytes.NewReader(object))
	}
}

// chunks removes the frames from a body that is signed in pieces.
func chunks(body []byte) (all []byte, err error) {
	for r := bufio.NewReader(bytes.NewReader(body)); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		size, _, _ := strings.Cut(line, ";")
		n, err := strconv.ParseInt(size, 16, 64)
		if err != nil || n == 0 {
			return all, err
		}
		b := make([]byte, n+2)
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, err
		}
		all = append(all, b[:n]...)
	}
}

// troubles are the responses of a busy or restarted server.
var troubles = map[string]func(w http.ResponseWriter){
	"503": func(w http.ResponseWriter) {
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, "<Error><Code>SlowDown</Code><Message>later</Message></Error>")
	},
	"429": func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) },
	"502, of a proxy": func(w http.ResponseWriter) {
		http.Error(w, "<html>bad gateway</html>",
			http.StatusBadGateway)
	},
	"a broken connection": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
}
