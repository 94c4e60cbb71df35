// Package storagetest is the test suite for file systems of package storage. It runs against a real one.
package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// Run tests the file system of dir, the URL of a writable directory that only this test uses.
func Run(t *testing.T, dir string) {
	t.Run("RoundTrip", func(t *testing.T) { roundTrip(t, storage.Join(dir, "round")) })
	t.Run("ReplacedWholeOrNotAtAll", func(t *testing.T) { replaced(t, storage.Join(dir, "replaced")) })
	t.Run("OneIsFirst", func(t *testing.T) { oneIsFirst(t, storage.Join(dir, "first")) })
	t.Run("AnyPlace", func(t *testing.T) { anyPlace(t, storage.Join(dir, "places")) })
	t.Run("List", func(t *testing.T) { list(t, storage.Join(dir, "list")) })
	t.Run("NotThere", func(t *testing.T) { notThere(t, storage.Join(dir, "nothing")) })
	t.Run("CheckWritable", func(t *testing.T) { checkWritable(t, storage.Join(dir, "check")) })
	t.Run("ManyAtOnce", func(t *testing.T) { manyAtOnce(t, storage.Join(dir, "many")) })
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// noise is content in which no two ranges are alike.
func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{byte(n)})
	r.Read(b)
	return b
}

func put(url string, content []byte) error {
	return storage.WriteFile(context.Background(), url, func(w io.Writer) error { _, err := w.Write(content); return err })
}

func holds(t *testing.T, url string, want []byte) {
	t.Helper()
	got, err := storage.ReadFile(context.Background(), url)
	if err != nil {
		t.Error(err)
	} else if !bytes.Equal(got, want) {
		t.Errorf("%s has %d bytes that are not the %d that were written", url, len(got), len(want))
	}
}

func roundTrip(t *testing.T, dir string) {
	must(t, storage.MkdirAll(context.Background(), dir))
	for name, n := range map[string]int{"empty": 0, "one": 1, "a name, with blanks & 100% +ü": 1000, "one range": 64 << 10,
		"some": 3<<20 + 7, "large": 40<<20 + 1} {
		url := storage.Join(dir, name)
		content := noise(n)
		begun := time.Now().Add(-time.Second) // some servers have a resolution of a second
		must(t, put(url, content))
		holds(t, url, content)
		f, err := storage.Open(context.Background(), url)
		must(t, err)
		if f.Size() != int64(n) {
			t.Errorf("%s has %d bytes: Size says %d", url, n, f.Size())
		}
		if f.ModTime().Before(begun) || f.ModTime().After(time.Now().Add(time.Second)) {
			t.Errorf("%s was written after %v: ModTime says %v", url, begun, f.ModTime())
		}
		must(t, f.Close())
		if _, err := f.Read(make([]byte, 1)); err == nil {
			t.Errorf("%s can be read when it is closed", url)
		}
	}
}

func replaced(t *testing.T, dir string) {
	must(t, storage.MkdirAll(context.Background(), dir))
	url := storage.Join(dir, "model.zip")
	must(t, put(url, []byte("one")))
	failure := errors.New("no more")
	err := storage.WriteFile(context.Background(), url, func(w io.Writer) error {
		w.Write(noise(1 << 20))
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	holds(t, url, []byte("one"))
	must(t, put(url, noise(100)))
	holds(t, url, noise(100))
	if files, err := storage.List(context.Background(), dir); err != nil || len(files) != 1 {
		t.Errorf("the directory has %v, %v", files, err)
	}
}

// oneIsFirst: if many create a file at once, exactly one succeeds.
func oneIsFirst(t *testing.T, dir string) {
	must(t, storage.MkdirAll(context.Background(), dir))
	for round := range 5 {
		url := storage.Join(dir, fmt.Sprint(round))
		var all sync.WaitGroup
		var mu sync.Mutex
		var first []byte
		for i := range 6 {
			all.Go(func() {
				err := storage.WriteNew(context.Background(), url, noise(100+i))
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil && first == nil:
					first = noise(100 + i)
				case err == nil:
					t.Errorf("%s was made twice", url)
				case !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), url):
					t.Error(err)
				}
			})
		}
		all.Wait()
		holds(t, url, first)
	}
	url := storage.Join(dir, "put")
	must(t, put(url, []byte("one")))
	if err := storage.WriteNew(context.Background(), url, []byte("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("there is a file: %v", err)
	}
	holds(t, url, []byte("one"))
}

func anyPlace(t *testing.T, dir string) {
	must(t, storage.MkdirAll(context.Background(), dir))
	url := storage.Join(dir, "file")
	content := noise(5 << 20)
	must(t, put(url, content))
	f, err := storage.Open(context.Background(), url)
	must(t, err)
	defer f.Close()
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		at, n := r.IntN(len(content)), 1+r.IntN(300<<10)
		want := content[at:min(at+n, len(content))]
		got := make([]byte, n)
		m, err := f.ReadAt(got, int64(at))
		if !bytes.Equal(got[:m], want) || (m < n) != (err == io.EOF) || err != nil && err != io.EOF {
			t.Fatalf("ReadAt(%d bytes, %d): %d bytes, %v", n, at, m, err)
		}
		if at64, err := f.Seek(int64(at-len(content)), io.SeekEnd); at64 != int64(at) || err != nil {
			t.Fatalf("Seek to %d: %d, %v", at, at64, err)
		}
		if m, err := io.ReadFull(f, got[:len(want)]); m != len(want) || err != nil || !bytes.Equal(got[:m], want) {
			t.Fatalf("%d bytes after Seek to %d: %d, %v", len(want), at, m, err)
		}
		if at64, err := f.Seek(0, io.SeekCurrent); at64 != int64(at+len(want)) || err != nil {
			t.Fatalf("after reading from %d, the place is %d, %v", at, at64, err)
		}
	}
	if _, err := f.Seek(-1, io.SeekStart); err == nil {
		t.Error("a place before the beginning is none")
	}
	if n, err := f.ReadAt(make([]byte, 1), f.Size()); n != 0 || err != io.EOF {
		t.Errorf("at the end: %d bytes, %v", n, err)
	}
}

func list(t *testing.T, dir string) {
	must(t, storage.MkdirAll(context.Background(), dir))
	var want []string
	for _, name := range []string{".hidden", "_SUCCESS", "a", "a b", "a.b", "b"} {
		want = append(want, storage.Join(dir, name))
		must(t, put(want[len(want)-1], noise(len(name))))
	}
	sub := storage.Join(dir, "a-directory")
	must(t, storage.MkdirAll(context.Background(), sub))
	must(t, put(storage.Join(sub, "within"), nil))
	must(t, storage.MkdirAll(context.Background(), dir+"-beside"))
	must(t, put(storage.Join(dir+"-beside", "other"), nil))
	for _, name := range []string{dir, dir + "/"} {
		files, err := storage.List(context.Background(), name)
		must(t, err)
		var got []string
		for _, f := range files {
			got = append(got, f.URL)
			if base := f.URL[strings.LastIndex(f.URL, "/")+1:]; f.Size != int64(len(base)) {
				t.Errorf("%s has %d bytes, and the list says %d", f.URL, len(base), f.Size)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s has %q, not %q", name, got, want)
		}
	}
	if dirs, err := storage.Directories(context.Background(), dir); fmt.Sprint(dirs) != fmt.Sprint([]string{sub}) ||
		err != nil {
		t.Errorf("%s has the directories %q, %v", dir, dirs, err)
	}
	if files, isDir, err := storage.Files(context.Background(), dir); len(files) != len(want) || !isDir || err != nil {
		t.Errorf("%v, %v, %v", files, isDir, err)
	}
	if files, isDir, err := storage.Files(context.Background(), want[2]); len(files) != 1 ||
		files[0] != (storage.Entry{URL: want[2], Size: 1}) || isDir || err != nil {
		t.Errorf("%v, %v, %v", files, isDir, err)
	}
}

func notThere(t *testing.T, dir string) {
	url := storage.Join(dir, "file")
	_, open := storage.Open(context.Background(), url)
	_, listed := storage.List(context.Background(), dir)
	_, _, files := storage.Files(context.Background(), dir)
	_, dirs := storage.Directories(context.Background(), dir)
	for what, err := range map[string]error{"Open": open, "List": listed, "Directories": dirs, "Files": files,
		"Remove": storage.Remove(context.Background(), url)} {
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
	there := func(want bool) {
		t.Helper()
		if got, err := storage.Exists(context.Background(), url); got != want || err != nil {
			t.Errorf("Exists: %v, %v", got, err)
		}
	}
	there(false)
	must(t, storage.MkdirAll(context.Background(), dir))
	must(t, put(url, []byte("x")))
	there(true)
	must(t, storage.Remove(context.Background(), url))
	there(false)
	if _, err := storage.Open(context.Background(), dir); err == nil {
		t.Error("a directory is opened as a file")
	}
}

func checkWritable(t *testing.T, dir string) {
	must(t, storage.MkdirAll(context.Background(), dir))
	url := storage.Join(dir, "model.zip")
	must(t, storage.CheckWritable(context.Background(), url))
	if there, err := storage.Exists(context.Background(), url); there || err != nil {
		t.Errorf("CheckWritable has left a file: %v, %v", there, err)
	}
	if files, err := storage.List(context.Background(), dir); len(files) != 0 || err != nil &&
		!errors.Is(err, fs.ErrNotExist) {
		t.Errorf("CheckWritable has left %v, %v", files, err)
	}
	must(t, put(url, []byte("one")))
	must(t, storage.CheckWritable(context.Background(), url))
	holds(t, url, []byte("one"))
}

func manyAtOnce(t *testing.T, dir string) {
	must(t, storage.MkdirAll(context.Background(), dir))
	const n = 8
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if err := put(storage.Join(dir, fmt.Sprint(i)), noise(200<<10+i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	shared, err := storage.Open(context.Background(), storage.Join(dir, "0"))
	must(t, err)
	defer shared.Close()
	for i := range n {
		all.Go(func() {
			holds(t, storage.Join(dir, fmt.Sprint(i)), noise(200<<10+i))
			b := make([]byte, 1000)
			at := i * 25_000
			if _, err := shared.ReadAt(b, int64(at)); err != nil || !bytes.Equal(b, noise(200 << 10)[at:at+1000]) {
				t.Errorf("reading one file at once: %v", err)
			}
		})
	}
	all.Wait()
}
