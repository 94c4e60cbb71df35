//go:build storage

package hdfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/dl4go/dl4go/internal/storagetest"
	"github.com/dl4go/dl4go/storage"
)

// block is the cluster's block size.
const block = 1 << 20

func TestStorage(t *testing.T) { storagetest.Run(t, home(t)) }

// TestBytes: the Hadoop client reads what is written here, and vice versa.
func TestBytes(t *testing.T) {
	dir := home(t)
	for i, size := range []int{0, 1, 511, 512, 513, 65536, block - 1, block, block + 1, 2 * block, 5*block + 12345} {
		b := random(uint64(i), size)
		ours, theirs := fmt.Sprintf("%s/ours %d", dir, size), fmt.Sprintf("%s/theirs%%20%d", dir, size)
		put(t, ours, b)
		if sum := mini(t, "sha256", nil, "path", pathOf(t, ours)); sum != hash(b) {
			t.Errorf("%d bytes: Hadoop reads others", size)
		}
		mini(t, "write", bytes.NewReader(b), "path", pathOf(t, theirs))
		for _, url := range []string{ours, theirs} {
			if !bytes.Equal(get(t, url), b) {
				t.Errorf("%s: other bytes are read", url)
			}
		}
		want := fmt.Sprintf("alice rw-r--r-- %d 2 %d", size, block)
		if got := mini(t, "stat", nil, "path", pathOf(t, ours)); got != want {
			t.Errorf("%d bytes are %s, wanted %s", size, got, want)
		}
	}
}

// TestReadAt: many goroutines read random parts, beside Read and Seek.
func TestReadAt(t *testing.T) {
	dir := home(t)
	b := random(1, 3*block+777)
	put(t, dir+"/file", b)
	f, err := registered(t).Open(context.Background(), dir+"/file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Size() != int64(len(b)) {
		t.Errorf("the size is %d", f.Size())
	}
	var all sync.WaitGroup
	for g := range 6 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(g)))
			for range 25 {
				off := r.IntN(len(b))
				part := make([]byte, r.IntN([]int{20, 5000, 300000}[r.IntN(3)])+1)
				n, err := f.ReadAt(part, int64(off))
				want := b[off:min(off+len(part), len(b))]
				if n < len(part) != (err == io.EOF) || err != nil && err != io.EOF || !bytes.Equal(part[:n], want) {
					t.Errorf("ReadAt of %d at %d: %d, %v", len(part), off, n, err)
				}
			}
		})
	}
	local := bytes.NewReader(b)
	r := rand.New(rand.NewPCG(2, 2))
	for range 40 {
		off, whence := int64(r.IntN(len(b))), r.IntN(3)
		if whence == io.SeekEnd {
			off = -off
		} else if whence == io.SeekCurrent {
			off = min(off%100000, int64(local.Len())) - 7
		}
		want, wantErr := local.Seek(off, whence)
		got, err := f.Seek(off, whence)
		if wantErr == nil && (got != want || err != nil) || wantErr != nil && err == nil {
			t.Fatalf("Seek(%d, %d) is %d, %v; wanted %d, %v", off, whence, got, err, want, wantErr)
		}
		part := make([]byte, r.IntN(150000))
		wn, _ := io.ReadFull(local, part)
		other := make([]byte, len(part))
		n, _ := io.ReadFull(f, other)
		if n != wn || !bytes.Equal(part[:wn], other[:n]) {
			t.Fatalf("after Seek(%d, %d), %d bytes are read, wanted %d", off, whence, n, wn)
		}
	}
	all.Wait()
	if n, err := f.ReadAt(make([]byte, 1), int64(len(b))); n != 0 || err != io.EOF {
		t.Errorf("ReadAt at the end: %d, %v", n, err)
	}
	f.Close()
	if _, err := f.ReadAt(make([]byte, 1), 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("reading after Close: %v", err)
	}
}

// TestReaderRules: the file keeps the rules of io's interfaces.
func TestReaderRules(t *testing.T) {
	dir := home(t)
	b := random(3, 3000)
	put(t, dir+"/file", b)
	f, err := registered(t).Open(context.Background(), dir+"/file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := iotest.TestReader(f, b); err != nil {
		t.Error(err)
	}
}

// TestManyAtOnce: there are writers of the same name and of others, and readers, each of which sees a complete file.
func TestManyAtOnce(t *testing.T) {
	dir := home(t)
	versions := [][]byte{random(0, block+100), random(1, 5000), random(2, 2*block)}
	put(t, dir+"/shared", versions[0])
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 3 {
				own := fmt.Sprintf("%s/own%d", dir, g)
				b := versions[(g+i)%3]
				for _, url := range []string{own, dir + "/shared"} {
					if err := registered(t).Put(context.Background(), url, bytes.NewReader(b), int64(len(b))); err != nil {
						t.Error(err)
					}
				}
				got, err := read(own)
				if err != nil || !bytes.Equal(got, b) {
					t.Errorf("own file: %d bytes of %d, %v", len(got), len(b), err)
				}
			}
		})
		all.Go(func() {
			for range 5 {
				got, err := read(dir + "/shared")
				if err != nil && strings.Contains(err.Error(), "was replaced") {
					continue
				}
				if err != nil || !slices.ContainsFunc(versions, func(v []byte) bool { return bytes.Equal(v, got) }) {
					t.Errorf("the shared file: %d bytes that nobody wrote, or %v", len(got), err)
				}
			}
		})
	}
	all.Wait()
	if got := names(t, dir); got != "own0 own1 own2 own3 shared" {
		t.Errorf("the directory has %s", got)
	}
}

func read(url string) ([]byte, error) {
	f, err := storage.Open(context.Background(), url)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// TestReplacedWhileOpen: a reader of the old file gets its bytes, or an error, but never the new file's bytes.
func TestReplacedWhileOpen(t *testing.T) {
	dir := home(t)
	was, is := random(1, 3*block), random(2, 3*block)
	put(t, dir+"/file", was)
	f, err := registered(t).Open(context.Background(), dir+"/file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mini(t, "chmod", nil, "path", pathOf(t, dir)+"/file", "mode", "640")
	put(t, dir+"/file", is)
	part := make([]byte, 1000)
	for off := 0; off < len(was); off += block / 4 {
		n, err := f.ReadAt(part, int64(off))
		if !bytes.Equal(part[:n], was[off:off+n]) {
			t.Errorf("at %d are bytes that are not the old file's", off)
		}
		if err != nil {
			oneLine(t, err, dir+"/file", "was replaced", "open it again")
		}
	}
	if !bytes.Equal(get(t, dir+"/file"), is) {
		t.Error("the new file is not there")
	}
	if got := mini(t, "stat", nil, "path", pathOf(t, dir)+"/file"); !strings.Contains(got, "rw-r-----") {
		t.Errorf("the mode of the replaced file is lost: %s", got)
	}
}

// TestPutFails: existing files stay, and no temporary file remains.
func TestPutFails(t *testing.T) {
	dir := home(t)
	was := random(1, 1000)
	put(t, dir+"/file", was)
	failure := errors.New("the disk is on fire")
	content := func(size int) io.Reader { return bytes.NewReader(random(2, size)) }
	for name, c := range map[string]struct {
		from io.Reader
		size int64
		want string
	}{
		"the content fails at once": {iotest.ErrReader(failure), 1000, "on fire"},
		"the content fails later": {io.MultiReader(content(2*block+5), iotest.ErrReader(failure)),
			4 * block, "on fire"},
		"the content is too short":      {content(block), block + 1, "after 1048576 of 1048577 bytes"},
		"the content is too long":       {content(block + 1), block, "more than the 1048576 bytes"},
		"the content is not even there": {content(0), 1, "after 0 of 1 bytes"},
	} {
		err := registered(t).Put(context.Background(), dir+"/file", c.from, c.size)
		t.Log(name)
		oneLine(t, err, dir+"/file", c.want)
		if c.want == "on fire" && !errors.Is(err, failure) {
			t.Errorf("%s: %v is not the content's error", name, err)
		}
		if got := names(t, dir); got != "file" || !bytes.Equal(get(t, dir+"/file"), was) {
			t.Errorf("%s: the directory has %s", name, got)
		}
	}
}

// TestNames: directories, hidden files, missing files.
func TestNames(t *testing.T) {
	dir := home(t)
	for _, name := range []string{"b", ".hidden", "_SUCCESS", "ü", "Z", "new/directories/are/made"} {
		put(t, dir+"/"+name, []byte(name))
	}
	list := func(url string) string {
		t.Helper()
		entries, err := registered(t).List(context.Background(), url)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, e := range entries {
			all = append(all, fmt.Sprintf("%s %d", strings.TrimPrefix(e.URL, dir+"/"), e.Size))
			if b := get(t, e.URL); int64(len(b)) != e.Size {
				t.Errorf("%s has %d bytes", e.URL, len(b))
			}
		}
		return strings.Join(all, ", ")
	}
	for _, url := range []string{dir, dir + "/"} {
		if got := list(url); got != ".hidden 7, Z 1, _SUCCESS 8, b 1, ü 2" {
			t.Errorf("%s has %s", url, got)
		}
	}
	mini(t, "touch", nil, "path", pathOf(t, dir)+"/many", "count", "173") // the cluster gives 50 at a time
	entries, err := registered(t).List(context.Background(), dir+"/many")
	if err != nil || len(entries) != 173 || !slices.IsSortedFunc(entries,
		func(a, b storage.Entry) int { return strings.Compare(a.URL, b.URL) }) {
		t.Errorf("%d of 173 files, or in another order; %v", len(entries), err)
	}
	for _, err := range []error{
		second(registered(t).Open(context.Background(), dir+"/none")),
		second(registered(t).List(context.Background(), dir+"/none")),
		registered(t).Remove(context.Background(), dir+"/none"),
	} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("what is not there: %v", err)
		}
		oneLine(t, err, dir+"/none")
	}
	for _, err := range []error{
		second(registered(t).Open(context.Background(), dir)), registered(t).Remove(context.Background(), dir),
		registered(t).CheckWritable(context.Background(), dir),
		registered(t).Put(context.Background(), dir, strings.NewReader(""), 0),
		registered(t).Put(context.Background(), dir+"/", strings.NewReader(""), 0),
		registered(t).CheckWritable(context.Background(), dir+"/none/"),
	} {
		oneLine(t, err, "director")
	}
	oneLine(t, second(registered(t).List(context.Background(), dir+"/b")), "is a file")
	oneLine(t, registered(t).Put(context.Background(), dir+"/b/under", strings.NewReader(""), 0), "is a file")
	oneLine(t, registered(t).Put(context.Background(), dir+"/b/under/that", strings.NewReader(""), 0), "is a file")
	oneLine(t, registered(t).CheckWritable(context.Background(), dir+"/b/under/that"), "is a file")
	oneLine(t, registered(t).Put(context.Background(), dir+"/a:b", strings.NewReader(""), 0), "colon")
	if err := registered(t).CheckWritable(context.Background(), dir+"/not/yet/there"); err != nil {
		t.Error(err)
	}
	if err := registered(t).Remove(context.Background(), dir+"/b"); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := registered(t).RemoveAll(context.Background(), dir+"/new"); err != nil {
			t.Error(err)
		}
	}
	oneLine(t, registered(t).RemoveAll(context.Background(), dir+"/../.."), "all that there is")
	if got := names(t, dir); got != "ü .hidden Z _SUCCESS many" {
		t.Errorf("left is %s", got)
	}
}

func second[T any](_ T, err error) error { return err }

// TestSweep removes only what a killed process left of files with the prefix.
func TestSweep(t *testing.T) {
	dir := home(t)
	temp, err := parse(dir + "/checkpoint-1")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path.Base(temporary(temp.path)), "checkpoint-1",
		".other.0123abcd.tmp", ".checkpoint-2"} {
		put(t, dir+"/"+name, []byte("x"))
	}
	for _, d := range []string{dir, dir + "/none"} {
		if err := storage.Sweep(context.Background(), d, "checkpoint-"); err != nil {
			t.Error(err)
		}
	}
	if got := names(t, dir); got != ".checkpoint-2 .other.0123abcd.tmp checkpoint-1" {
		t.Errorf("left is %s", got)
	}
}
