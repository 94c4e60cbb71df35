package source

import (
	"context"
	"errors"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// someOfEach writes data of each kind of files. It returns the files of each name; the examples need all of them.
func someOfEach(t *testing.T) map[string][]string {
	copied := func(path string) string {
		content, err := os.ReadFile("testdata/" + path)
		if err != nil {
			t.Fatal(err)
		}
		return write(t, filepath.Base(path), string(content))
	}
	x, y := write(t, "x", idx([]int{3, 2, 1}, 1, 2, 3, 4, 5, 6)), write(t, "y", idx([]int{3}, 0, 1, 2))
	csv := write(t, "a.csv", "1,2,u\n3,4,v\n")
	lines := write(t, "a.jsonl", "{\"a\":1,\"y\":\"u\"}\n{\"a\":2,\"y\":\"v\"}\n")
	svm := write(t, "a.svm", "1 1:0.5\n0 1:2\n")
	parquet, arrow := copied("parquet/mixed.parquet"), copied("arrow/mixed.arrow")
	left, labels, archive := copied("npy/x-f4.npy"), copied("npy/y.npy"), copied("npy/all.npz")
	dir := t.TempDir()
	var pictures []string
	for _, name := range []string{"a/1.png", "b/2.png"} {
		p := filepath.Join(dir, "images", name)
		os.MkdirAll(filepath.Dir(p), 0o777)
		f, err := os.Create(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(png.Encode(f, image.NewGray(image.Rect(0, 0, 2, 2))), f.Close()); err != nil {
			t.Fatal(err)
		}
		pictures = append(pictures, p)
	}
	steps := sequenceFiles(t, map[string]string{"a.csv": "x,y\n1,0\n2,1\n", "b.csv": "x,y\n3,0\n"})
	saved := filepath.Join(dir, "saved.bin")
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(2, 3)}, Labels: []*tensor.Dense{tensor.New(2, 1)}}
	if err := m.SaveFile(t.Context(), saved); err != nil {
		t.Fatal(err)
	}
	return map[string][]string{
		"csv:" + csv + "?names=u,v":                                  {csv},
		"csv:" + csv:                                                 {csv},
		"jsonl:" + lines + "?label=y&names=u,v":                      {lines},
		"libsvm:" + svm + "?features=1&classes=2":                    {svm},
		"idx:" + x + "," + y:                                         {x, y},
		"parquet:" + parquet + "?label=kind&key=id":                  {parquet},
		"arrow:" + arrow + "?label=kind&names=red,green,blue&key=id": {arrow},
		"npy:" + left + "?labels=" + labels + "&classes=3":           {left, labels},
		"npy:" + archive:                                             {archive},
		"images:" + filepath.Join(dir, "images"):                     pictures,
		"csvseq:" + steps + "?label=y&classes=2":                     {steps + "/a.csv", steps + "/b.csv"},
		"dl4j:" + saved:                                              {saved},
	}
}

func changedFile(t *testing.T, what, path string, err error) {
	t.Helper()
	if changed := (*storage.ChangedError)(nil); !errors.As(err, &changed) || !strings.Contains(err.Error(), path) ||
		!strings.Contains(err.Error(), "it was written at ") {
		t.Errorf("%s: %s was written again: %v", what, path, err)
	}
}

// touch moves a file's times of access and modification.
func touch(t *testing.T, path string, read, written time.Duration) {
	t.Helper()
	st, err := os.Stat(path)
	if err == nil {
		err = os.Chtimes(path, st.ModTime().Add(read), st.ModTime().Add(written))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestChangedBetweenPasses: under one Watch, each kind of data refuses files that have changed before a second pass.
func TestChangedBetweenPasses(t *testing.T) {
	for spec, files := range someOfEach(t) {
		n, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		open := func(ctx context.Context) error {
			s, err := OpenName(ctx, n, Options{})
			if err == nil {
				_, err = s.Object(0)
			}
			return err
		}
		for _, f := range files {
			ctx := storage.Watched(t.Context())
			if err := open(ctx); err != nil {
				t.Fatalf("%s: %v", spec, err)
			}
			touch(t, f, time.Hour, 0)
			if err := open(ctx); err != nil {
				t.Errorf("%s: it was read: %v", spec, err)
			}
			touch(t, f, 0, time.Hour)
			changedFile(t, spec, f, open(ctx))
			if err := open(t.Context()); err != nil {
				t.Errorf("%s, a new run: %v", spec, err)
			}
		}
	}
}

// TestChangedWithinAStream: a stream ends with an error if one of its files was written after it was opened, or after
// an earlier pass.
func TestChangedWithinAStream(t *testing.T) {
	for spec, files := range someOfEach(t) {
		n, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		if !Streams(n, Options{}) {
			continue
		}
		drained := func(do func()) error {
			s, err := OpenStream(storage.Watched(t.Context()), n, Options{})
			if err != nil {
				return err
			}
			defer s.Close()
			do()
			for err == nil {
				_, err = s.Next()
			}
			return err
		}
		for _, f := range files {
			if err := drained(func() { touch(t, f, time.Hour, 0) }); err != io.EOF {
				t.Errorf("%s: it was read: %v", spec, err)
			}
			if slices.Contains([]string{"images", "csvseq", "jsonl"}, n.Kind) {
				continue // small files are read ahead, and closed
			}
			changedFile(t, spec, f, drained(func() { touch(t, f, 0, time.Hour) }))
		}
	}
}

// TestChangedLater: files that are read on demand must not have changed since they were examined.
func TestChangedLater(t *testing.T) {
	for spec, files := range someOfEach(t) {
		if !strings.HasPrefix(spec, "dl4j:") {
			continue
		}
		s, err := Open(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		touch(t, files[0], 0, time.Hour)
		_, err = s.Object(0)
		changedFile(t, spec, files[0], err)
	}
}

// TestShrunk: the error for a file that was truncated says that it has changed, wherever it ends.
func TestShrunk(t *testing.T) {
	path := write(t, "long.csv", strings.Repeat("1,2,0\n", 50_000))
	n, err := Parse("csv:" + path + "?classes=2")
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenStream(t.Context(), n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.Truncate(path, 250_001); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = s.Next()
	}
	if !strings.Contains(err.Error(), "it had 300000 bytes, and has 250001") {
		t.Error(err)
	}
}
