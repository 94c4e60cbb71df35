package storage

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func write(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

func TestAFileIsReplacedOnlyByACompleteOne(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.zip")
	if err := WriteFile(context.Background(), path, write("one")); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("the disk is on fire")
	err := WriteFile(context.Background(), path, func(w io.Writer) error {
		io.WriteString(w, strings.Repeat("two", 1<<20))
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "one" || names(t, dir) != "model.zip" {
		t.Errorf("after a failure the file holds %.20q, the directory %s", b, names(t, dir))
	}
	if err := WriteFile(context.Background(), path, write("three")); err != nil {
		t.Fatal(err)
	}
	in, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if b, err := io.ReadAll(in); string(b) != "three" || in.Size() != 5 || err != nil {
		t.Errorf("read %q of %d bytes, %v", b, in.Size(), err)
	}
}

func TestALinkStays(t *testing.T) {
	dir := t.TempDir()
	file, link, again := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "again")
	for from, to := range map[string]string{link: "file", again: link, filepath.Join(dir, "loop"): "loop"} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"one", "two"} {
		if err := WriteFile(context.Background(), again, write(text)); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(file); string(b) != text || err != nil {
			t.Errorf("the file behind the links holds %q, %v", b, err)
		}
	}
	if to, err := os.Readlink(link); to != "file" || err != nil {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if err := CheckWritable(context.Background(), filepath.Join(dir, "loop")); err == nil ||
		!strings.Contains(err.Error(), "too many") {
		t.Errorf("a loop of links: %v", err)
	}
}

func TestOnlyFilesAreReplaced(t *testing.T) {
	dir := t.TempDir()
	socket, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := CheckWritable(context.Background(), filepath.Join(dir, "s")); err == nil ||
		!strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a socket would be replaced by a file: %v", err)
	}
}

func TestCheckWritable(t *testing.T) {
	dir := t.TempDir()
	if err := CheckWritable(context.Background(), filepath.Join(dir, "new.zip")); err != nil || names(t, dir) != "" {
		t.Errorf("%v; the directory holds %s", err, names(t, dir))
	}
	for _, path := range []string{dir, filepath.Join(dir, "no", "such", "model.zip"), "", "s3://bucket/model.zip"} {
		if err := CheckWritable(context.Background(), path); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q can be written: %v", path, err)
		}
	}
	if _, err := Open(context.Background(), dir); err == nil {
		t.Error("a directory is opened as a file")
	}
}
