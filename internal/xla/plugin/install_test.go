package plugin

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wheelOf makes a wheel with one file.
func wheelOf(t *testing.T, name, text string) (content []byte, w Wheel) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	f, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b.Bytes())
	return b.Bytes(), Wheel{"some-plugin", "some_plugin-1-py3.whl", hex.EncodeToString(sum[:])}
}

// A plugin is installed from a package index, through a proxy, or from a directory. A file with another hash, or with
// paths that lead outside, is refused, and the installed plugin stays.
func TestInstall(t *testing.T) {
	dir, local := filepath.Join(t.TempDir(), "devices"), t.TempDir()
	t.Setenv("DL4GO_DEVICES", dir)
	content, w := wheelOf(t, filepath.ToSlash(library("cpu")), "first")
	asked := 0
	index := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		asked++
		switch r.URL.Path {
		case "/simple/some-plugin/":
			fmt.Fprintf(out, `<a href="../../files/other.whl#sha256=0">x</a> <a href="../../files/%s#sha256=1&amp;x">y</a>`, w.File)
		case "/files/" + w.File:
			_, _ = out.Write(content)
		default:
			http.NotFound(out, r)
		}
	}))
	defer index.Close()
	installs := func(s Source, want string) {
		t.Helper()
		s.wheels = []Wheel{w}
		p, err := Install(t.Context(), "cpu", s)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(p.Library); string(got) != want || err != nil {
			t.Errorf("%q is installed, want %q; %v", got, want, err)
		}
	}
	fails := func(s Source, w Wheel, want string) {
		t.Helper()
		s.wheels = []Wheel{w}
		_, err := Install(t.Context(), "cpu", s)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), w.File) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	installs(Source{Index: index.URL + "/simple"}, "first")
	installs(Source{Index: "http://nowhere.invalid/simple/", Proxy: index.URL}, "first")
	if asked != 4 {
		t.Errorf("%d requests, want 4", asked)
	}
	content, w = wheelOf(t, filepath.ToSlash(library("cpu")), "second")
	if err := os.WriteFile(filepath.Join(local, w.File), content, 0o644); err != nil {
		t.Fatal(err)
	}
	installs(Source{Local: local}, "second")

	damaged := w
	damaged.SHA256 = strings.Repeat("0", 64)
	fails(Source{Local: local}, damaged, "its SHA-256 is "+w.SHA256)
	fails(Source{Index: index.URL + "/simple"}, damaged, "the file is damaged")
	fails(Source{Index: index.URL + "/nothing"}, w, "404")
	fails(Source{Index: index.URL + "/simple"}, Wheel{w.Project, "unknown.whl", ""}, "does not have it")
	content, w = wheelOf(t, "../outside.so", "third")
	fails(Source{Index: index.URL + "/simple"}, w, "which is outside")
	index.Close()
	fails(Source{Index: index.URL + "/simple"}, w, "give --from DIRECTORY")
	if p, err := Find("cpu", ""); err != nil {
		t.Error(err)
	} else if got, err := os.ReadFile(p.Library); string(got) != "second" || err != nil {
		t.Errorf("after failures %q is installed, %v", got, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".new*")); len(left) > 0 || err != nil {
		t.Errorf("%q were left, %v", left, err)
	}
}
