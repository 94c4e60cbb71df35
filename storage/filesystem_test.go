package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// memory is a FileSystem in memory; storagetest tests the real ones.
type memory struct {
	mu    sync.Mutex
	files map[string][]byte
	fails error // the error of Put
}

type memoryFile struct{ *bytes.Reader }

func (memoryFile) Close() error { return nil }

func (f memoryFile) Size() int64 { return f.Reader.Size() }

func (memoryFile) ModTime() time.Time { return time.Time{} }

func (m *memory) Open(_ context.Context, url string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.files[url]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: url, Err: fs.ErrNotExist}
	}
	return memoryFile{bytes.NewReader(b)}, nil
}

func (m *memory) Put(_ context.Context, url string, content io.Reader, size int64) error {
	if m.fails != nil {
		return m.fails
	}
	b, err := io.ReadAll(content)
	if err != nil || int64(len(b)) != size {
		return errors.Join(err, errors.New("the size is wrong"))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[url] = b
	return nil
}

func (m *memory) CheckWritable(context.Context, string) error { return m.fails }

func (m *memory) List(_ context.Context, dir string) ([]Entry, error) {
	var all []Entry
	for _, url := range slices.Sorted(maps.Keys(m.files)) {
		if rest, ok := strings.CutPrefix(url, dir+"/"); ok && !strings.Contains(rest, "/") {
			all = append(all, Entry{url, int64(len(m.files[url]))})
		}
	}
	if all == nil {
		return nil, &fs.PathError{Op: "list", Path: dir, Err: fs.ErrNotExist}
	}
	return all, nil
}

func (m *memory) Remove(_ context.Context, url string) error {
	delete(m.files, url)
	return nil
}

var inMemory = &memory{files: map[string][]byte{}}

func init() { Register("memory", inMemory) }

func TestURLsAreStoredWhenTheyAreCommitted(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Cleanup(func() { clear(inMemory.files) })
	o, err := Create(context.Background(), "memory://a/b")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(o, "xxx, and more")
	if _, err := o.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	io.WriteString(o, "abc")
	if _, err := Open(context.Background(), "memory://a/b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is there before Commit: %v", err)
	}
	if err := o.Commit(); err != nil {
		t.Fatal(err)
	}
	if b, err := ReadFile(context.Background(), "memory://a/b"); string(b) != "abc, and more" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	inMemory.fails = errors.New("the server is on fire")
	defer func() { inMemory.fails = nil }()
	if err := WriteFile(context.Background(), "memory://a/b", write("other")); !errors.Is(err, inMemory.fails) {
		t.Errorf("got %v", err)
	}
	if b, _ := ReadFile(context.Background(), "memory://a/b"); string(b) != "abc, and more" {
		t.Errorf("a failure has left %q", b)
	}
	if left := names(t, temp); left != "" {
		t.Errorf("temporary files are left: %s", left)
	}
	t.Setenv("TMPDIR", filepath.Join(temp, "none"))
	if _, err := Create(context.Background(), "memory://a/c"); err == nil || !strings.Contains(err.Error(), "TMPDIR") ||
		!strings.Contains(err.Error(), "memory://a/c") {
		t.Errorf("there is no directory for temporary files: %v", err)
	}
}

func TestSchemesThatAreNotKnown(t *testing.T) {
	for url, want := range map[string]string{
		"s3://b/k":   "import github.com/dl4go/dl4go/storage/s3",
		"s3a://b/k":  "import github.com/dl4go/dl4go/storage/s3",
		"hdfs://h/p": "import github.com/dl4go/dl4go/storage/hdfs",
		"gs://b/k":   "known are local files and memory://",
		"":           "empty",
	} {
		_, open := Open(context.Background(), url)
		_, create := Create(context.Background(), url)
		_, list := List(context.Background(), url)
		_, _, files := Files(context.Background(), url)
		_, exists := Exists(context.Background(), url)
		for what, err := range map[string]error{"Open": open, "Create": create,
			"CheckWritable": CheckWritable(context.Background(), url), "List": list, "Files": files,
			"Exists": exists, "Remove": Remove(context.Background(), url), "MkdirAll": MkdirAll(context.Background(), url)} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s(%q): %v", what, url, err)
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a scheme is taken twice")
		}
	}()
	Register("memory", inMemory)
}

// TestListIsTheSameForLocalFiles: for local directories, List keeps the rules of FileSystem.List.
func TestListIsTheSameForLocalFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b", ".hidden", "_SUCCESS", "a"} {
		if err := WriteFile(context.Background(), Join(dir, name), write(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(MkdirAll(context.Background(), Join(dir, "directory")),
		os.Symlink("nothing", Join(dir, ".#lock")), os.Symlink("a", Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	files, err := List(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, filepath.Base(f.URL))
		if Hidden(f.URL) != strings.ContainsAny(filepath.Base(f.URL)[:1], "._") {
			t.Errorf("Hidden(%s) is %v", f.URL, Hidden(f.URL))
		}
	}
	if want := []string{".hidden", "_SUCCESS", "a", "b", "link"}; !slices.Equal(got, want) || files[4].Size != 1 {
		t.Errorf("%v, not %v", files, want)
	}
	if _, err := List(context.Background(), Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
	if err := os.Symlink("nothing", Join(dir, "broken")); err != nil {
		t.Fatal(err)
	}
	if _, err := List(context.Background(), dir); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("a file that is not there is left out in silence: %v", err)
	}
}

func TestJoin(t *testing.T) {
	for _, c := range [][3]string{
		{"s3://b", "k", "s3://b/k"}, {"s3://b/d/", "k", "s3://b/d/k"}, {"hdfs://h:1/d", "k", "hdfs://h:1/d/k"},
		{"hdfs:///", "k", "hdfs:///k"}, {"dir", "k", filepath.Join("dir", "k")},
	} {
		if got := Join(c[0], c[1]); got != c[2] {
			t.Errorf("Join(%s, %s) is %s, not %s", c[0], c[1], got, c[2])
		}
	}
}

// TestTroubleWithTheTemporaryFile: errors name the file that should be written, and the temporary directory.
func TestTroubleWithTheTemporaryFile(t *testing.T) {
	local := filepath.Join(t.TempDir(), "file")
	for path, want := range map[string][]string{local: {"can't be written"},
		"memory://a/full": {"can't be written", "TMPDIR", os.TempDir()}} {
		o, err := Create(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		o.temp.Close() // like on a full disk, writes fail
		_, err = io.WriteString(o, "x")
		for _, w := range append(want, path) {
			if err == nil || !strings.Contains(err.Error(), w) || strings.Contains(err.Error(), ".tmp") {
				t.Errorf("%s: %v, without %q", path, err, w)
			}
		}
		o.Close()
	}
	if _, err := os.Stat(local); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
}

// TestNoDirectory: the error of a file in a directory that does not exist names the directory.
func TestNoDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	err := CheckWritable(t.Context(), filepath.Join(dir, "file"))
	if want := dir + " does not exist; make it"; !errors.Is(err, fs.ErrNotExist) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, not …%s", err, want)
	}
}
