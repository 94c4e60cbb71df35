//go:build storage

package hdfs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/storage"
)

// mini sends a command to the cluster of tools/hdfs.sh. The arguments are names and values.
func mini(t *testing.T, command string, body io.Reader, args ...string) string {
	t.Helper()
	values := url.Values{}
	for i := 0; i < len(args); i += 2 {
		values.Set(args[i], args[i+1])
	}
	r, err := http.Post(environment(t, "DL4GO_HDFS_CONTROL")+"/"+command+"?"+values.Encode(), "", body)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 200 {
		t.Fatalf("%s %v: %s %v", command, args, b, err)
	}
	return string(b)
}

func environment(t *testing.T, name string) string {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		t.Fatalf("%s is not set: ./tools/hdfs.sh with go test -tags storage ./storage/hdfs", name)
	}
	return v
}

// home creates a directory of the user alice, who runs the test, and returns its URL.
func home(t *testing.T) string {
	t.Helper()
	t.Setenv("HADOOP_USER_NAME", "alice")
	t.Setenv("HADOOP_CONF_DIR", "")
	t.Setenv("HADOOP_HOME", "")
	p := fmt.Sprintf("/test/%s-%08x", t.Name(), rand.Uint32())
	mini(t, "mkdir", nil, "path", p, "mode", "755", "owner", "alice")
	return environment(t, "DL4GO_HDFS") + p
}

func pathOf(t *testing.T, url string) string {
	t.Helper()
	p, err := parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return p.path
}

func hash(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

func put(t *testing.T, url string, b []byte) {
	t.Helper()
	if err := registered(t).Put(context.Background(), url, bytes.NewReader(b), int64(len(b))); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, url string) []byte {
	t.Helper()
	f, err := registered(t).Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// names lists a directory's content, as Hadoop sees it.
func names(t *testing.T, url string) string {
	t.Helper()
	return strings.Join(strings.Fields(mini(t, "ls", nil, "path", pathOf(t, url))), " ")
}

// oneLine fails for an error that is nil, has more than a line or lacks one of the words.
func oneLine(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error; wanted one with %q", words)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error lacks %q: %v", w, err)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has more than a line: %v", err)
	}
	t.Log(err)
}

var _ storage.FileSystem = (*FileSystem)(nil)
