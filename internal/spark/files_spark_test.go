//go:build spark

package spark_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
)

// TestListedFiles checks that files are found whatever their names are, empty or not, and that files of other
// directories are not.
func TestListedFiles(t *testing.T) {
	t.Parallel()
	e, temp := shared(t), t.TempDir()
	dir := filepath.Join(temp, "a {b}[c]*%20é")
	for name, content := range map[string]string{"z 1%20.bin": "one", "empty": "", "ä'`$\"": "x", "_hidden": "x",
		".hidden": "x", "k=1/inner": "x", "sub/inner": "x"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, base := range []string{dir, "file:" + dir, "file://" + dir + "/"} {
		found, err := e.ListFiles(t.Context(), base)
		if err != nil {
			t.Fatal(err)
		}
		at := strings.TrimRight(base, "/") + "/"
		if want := fmt.Sprint([]engine.FileInfo{{Path: at + "empty"}, {Path: at + "z 1%20.bin", Size: 3},
			{Path: at + "ä'`$\"", Size: 1}}); fmt.Sprint(found) != want {
			t.Fatalf("%v, wanted %v", found, want)
		}
		rows, err := engine.ReadFiles(e, [][]string{{found[2].Path, found[0].Path},
			{found[1].Path, found[0].Path}}).CollectAll(t.Context())
		var read string
		for _, row := range rows {
			f, err := engine.FileOf(row)
			if err != nil {
				t.Fatal(err)
			}
			read += strings.TrimPrefix(f.Path, at) + "=" + string(f.Content) + " "
		}
		if want := "ä'`$\"=x empty= z 1%20.bin=one empty= "; err != nil || read != want {
			t.Errorf("read %s, wanted %s; error %v", read, want, err)
		}
	}
	for path, want := range map[string]string{dir + "/none": "does not exist", dir + "/empty": "not a directory"} {
		if _, err := e.ListFiles(t.Context(), path); err == nil || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("listing %s: %v", path, err)
		}
	}
	for _, path := range []string{dir + "/none", dir + "/sub", dir + "/_hidden", "nosuch://host/x"} {
		if _, err := engine.ReadFiles(e, [][]string{{path}}).Count(t.Context()); err == nil ||
			!strings.Contains(err.Error(), path) && !strings.Contains(err.Error(), "nosuch") {
			t.Errorf("reading %s: %v", path, err)
		} else {
			t.Log(err)
		}
	}
	// Hadoop's checksum shows that the file is not as it was written.
	bad := filepath.Join(dir, "bad")
	if err := os.WriteFile(bad, []byte("changed"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".bad.crc"), []byte("crc\x00\x00\x00\x02\x00\x01\x02\x03\x04"),
		0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.ReadFiles(e, [][]string{{bad}}).Count(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "bad") {
		t.Errorf("a file that can't be read: %v", err)
	} else {
		t.Log(err)
	}
	// This file is empty by now. Spark would leave out an empty file.
	gone := filepath.Join(dir, "gone")
	if err := os.WriteFile(gone, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := e.ListFiles(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(gone, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.ReadFiles(e, [][]string{{gone}}).Count(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "gone: 0 bytes were read") {
		t.Errorf("a file that was listed with other bytes: %v", err)
	}
}
