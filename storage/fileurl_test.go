package storage

import (
	"bytes"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPath(t *testing.T) {
	for name, want := range map[string]string{
		"file:///a/b.csv":          "/a/b.csv",
		"file:/a/b.csv":            "/a/b.csv",
		"file://localhost/a/b.csv": "/a/b.csv",
		"FILE://LocalHost/a":       "/a",
		"file:///a%20b/%C3%BC%25":  "/a b/ü%",
		"file:///a b?c#d":          "/a b?c#d",
		"file:name":                "file:name", // a plain name, as there is no slash
		"file:":                    "file:",
		"files:/a":                 "files:/a",
		"/file:/a":                 "/file:/a",
		"a%20b":                    "a%20b",
		"s3://bucket/a%20b":        "s3://bucket/a%20b",
		"":                         "",
	} {
		if got, err := Path(name); got != want || err != nil {
			t.Errorf("%s is %s, %v", name, got, err)
		}
	}
	for name, want := range map[string]string{
		"file://host/a": "on another machine, host; write file:///PATH",
		"file:///a%zz":  "write %25",
		"file:///a%00":  "write %25",
	} {
		_, err := Path(name)
		_, listed := List(t.Context(), name)
		_, opened := Open(t.Context(), Join(name, "x"))
		for _, err := range []error{err, listed, opened, CheckWritable(t.Context(), name)} {
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if IsURL(name) {
			t.Errorf("%s is a URL of a file system", name)
		}
	}
}

// TestFileURLs: each function of the package accepts a file: URL.
func TestFileURLs(t *testing.T) {
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "a b%")
	at := (&url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}).String()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	check(MkdirAll(ctx, at))
	check(CheckWritable(ctx, at+"/x"))
	check(WriteFile(ctx, at+"/%C3%BC", func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }))
	check(WriteNew(ctx, Join(at, "100%"), []byte("new")))
	check(os.Mkdir(filepath.Join(dir, "inner"), 0o777))
	for name, want := range map[string]string{"ü": "text", "100%": "new"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); string(b) != want || err != nil {
			t.Errorf("%s holds %q, %v", name, b, err)
		}
		b, err := ReadFile(ctx, Join(at, name))
		if check(err); !bytes.Equal(b, []byte(want)) {
			t.Errorf("%s is read as %q", name, b)
		}
	}
	files, err := List(ctx, at)
	if check(err); len(files) != 2 || files[0].URL != filepath.Join(dir, "100%") {
		t.Errorf("listed %v", files)
	}
	dirs, err := Directories(ctx, at)
	if check(err); len(dirs) != 1 || dirs[0] != filepath.Join(dir, "inner") {
		t.Errorf("directories %v", dirs)
	}
	if files, isDir, err := Files(ctx, at+"/%C3%BC"); len(files) != 1 || isDir || err != nil {
		t.Errorf("files %v, %v, %v", files, isDir, err)
	}
	if there, err := Exists(ctx, at+"/none"); there || err != nil {
		t.Errorf("exists: %v, %v", there, err)
	}
	check(Sweep(ctx, at, "x"))
	check(Remove(ctx, at+"/%C3%BC"))
	check(RemoveAll(ctx, at))
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}
