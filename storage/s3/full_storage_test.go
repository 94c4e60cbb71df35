//go:build storage

package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/minio/minio-go/v7"

	"github.com/dl4go/dl4go/internal/need"
	"github.com/dl4go/dl4go/storage"
)

// TestServerThatIsFull: a server's disk is full, or the user's quota is used up, in a single request or in the middle
// of parts. The error says so, existing files stay, and the parts are removed.
func TestServerThatIsFull(t *testing.T) {
	for _, c := range []struct {
		name, code string
		status     int
	}{
		{"insufficient storage", "", http.StatusInsufficientStorage},
		{"another's words for it", "XMinioStorageFull", http.StatusInsufficientStorage},
		{"a quota", "QuotaExceeded", http.StatusForbidden},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := storage.Join(root(t), "full-"+strings.ReplaceAll(c.name, " ", "-"))
			url := storage.Join(dir, "model.zip")
			put(t, url, "what was there")
			var puts atomic.Int64
			between(t, func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodPut || r.URL.Query().Has("partNumber") && puts.Add(1) == 1 {
					return false // the first part succeeds
				}
				io.Copy(io.Discard, r.Body)
				w.WriteHeader(c.status)
				if c.code != "" {
					io.WriteString(w, "<Error><Code>"+c.code+"</Code><Message>no more</Message></Error>")
				}
				return true
			}, nil)
			for what, size := range map[string]int64{"in one request": 1 << 20, "in parts": 40 << 20} {
				tells(t, what, own(t).Put(context.Background(), url, nothing{size: size}, size))
				tells(t, what, own(t).Put(context.Background(), storage.Join(dir, "new"), nothing{size: size}, size))
			}
			kept(t, dir, url)
		})
	}
}

// TestDiskIsFull on a real server whose disk is a small one in memory.
func TestDiskIsFull(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "data"), 0o777),
		os.Mkdir(filepath.Join(dir, "about"), 0o777)); err != nil {
		t.Fatal(err)
	}
	disk := []string{"unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
		`mount -t tmpfs -o size=24m none "$0" && mkdir "$0/bucket" && exec "$@"`, filepath.Join(dir, "data")}
	if out, err := exec.Command(disk[0], append(disk[1:], "true")...).CombinedOutput(); err != nil {
		need.From(t, fmt.Errorf("a small disk: %s", out), "run the tests as a user who may make namespaces")
	}
	serve(t, dir, disk...)
	put(t, "s3://bucket/model.zip", "what was there")
	for what, size := range map[string]int64{"in one request": 16 << 20, "in parts": 40 << 20} {
		if what == "in one request" {
			put(t, "s3://bucket/other", strings.Repeat("0123456789abcdef", 1<<20-1))
		}
		tells(t, what, own(t).Put(context.Background(), "s3://bucket/model.zip", nothing{size: size}, size))
		tells(t, what, own(t).Put(context.Background(), "s3://bucket/new", nothing{size: size}, size))
		storage.Remove(context.Background(), "s3://bucket/other")
	}
	kept(t, "s3://bucket", "s3://bucket/model.zip")
	put(t, "s3://bucket/other", strings.Repeat("0123456789abcdef", 1<<20-1)) // free the space of the others
}

// tells checks that an error has the expected text.
func tells(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "no room") {
		t.Errorf("%s: %v", what, err)
	}
	t.Log(err)
}

// kept checks that the directory has only one, unchanged file, and the bucket no parts of another.
func kept(t *testing.T, dir, url string) {
	t.Helper()
	if files, err := storage.List(context.Background(), dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	if b, err := storage.ReadFile(context.Background(), url); string(b) != "what was there" || err != nil {
		t.Errorf("what was there is %.20q, %v", b, err)
	}
	c, err := own(t).connect()
	if err != nil {
		t.Fatal(err)
	}
	o, _ := parse(dir)
	uploads, err := minio.Core{Client: c.Client}.ListMultipartUploads(context.Background(), o.bucket,
		o.key, "", "", "", 10)
	if err != nil || len(uploads.Uploads) != 0 {
		t.Errorf("uploads that were begun: %v, %v", uploads.Uploads, err)
	}
}

// nothing is a reader of zeros.
type nothing struct {
	io.Reader
	size int64
}

func (n nothing) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	return len(p), nil
}
