package distributed_test

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/storage"
)

// seenFiles are the files of this machine under URLs seen://…. It counts those that no job of a cluster opens.
type seenFiles struct{ opened atomic.Int64 }

// ofJob is the key of a job's context.
type ofJob struct{}

var seen = &seenFiles{}

func init() { storage.Register("seen", seen) }

// local returns the path of a URL.
func (*seenFiles) local(url string) string { return strings.TrimPrefix(url, "seen://") }

func (s *seenFiles) Open(ctx context.Context, url string) (storage.File, error) {
	f, err := storage.Open(ctx, s.local(url))
	if err == nil && ctx.Value(ofJob{}) == nil {
		s.opened.Add(1)
	}
	return f, err
}

func (*seenFiles) Put(context.Context, string, io.Reader, int64) error { return errors.ErrUnsupported }
func (*seenFiles) CheckWritable(context.Context, string) error         { return errors.ErrUnsupported }
func (*seenFiles) Remove(context.Context, string) error                { return errors.ErrUnsupported }

func (s *seenFiles) List(ctx context.Context, dir string) ([]storage.Entry, error) {
	files, err := storage.List(ctx, s.local(dir))
	for i := range files {
		files[i].URL = "seen://" + files[i].URL
	}
	return files, err
}

func (s *seenFiles) Directories(ctx context.Context, dir string) ([]string, error) {
	dirs, err := storage.Directories(ctx, s.local(dir))
	for i := range dirs {
		dirs[i] = "seen://" + dirs[i]
	}
	return dirs, err
}

// inFolders is a cluster that lists directories. It marks the contexts of its jobs.
type inFolders struct{ *inTables }

func (inFolders) ListTree(ctx context.Context, dir string) ([]engine.FileInfo, error) {
	return engine.StoredTree(context.WithValue(ctx, ofJob{}, true), dir)
}

func (e inFolders) Collect(ctx context.Context, d *engine.Dataset, each func(int, engine.Row) error) error {
	return e.inTables.Collect(context.WithValue(ctx, ofJob{}, true), d, each)
}

// paint writes a picture.
func paint(t *testing.T, path string, width, height int, shade uint8) {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, width, height))
	m.SetGray(width-1, height-1, color.Gray{Y: shade})
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(png.Encode(f, m), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPicturesOfWorkers: on a cluster, workers read pictures of folders and of lists, and the lists, also without a
// size. The driver opens no file. The examples are those of one process.
func TestPicturesOfWorkers(t *testing.T) {
	dir := t.TempDir()
	for i, path := range []string{"warm/1.png", "warm/2.png", "warm/3.png", "cold/1.png", "cold/2.png"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o777); err != nil {
			t.Fatal(err)
		}
		paint(t, filepath.Join(dir, path), 3, 2, uint8(40*(i+1)))
	}
	// The last line names a picture again, under another class.
	list := "kind,path\nb,warm/3.png\na,cold/1.png\nb,cold/2.png\nc,warm/1.png\na,warm/3.png\n"
	if err := os.WriteFile(dir+"/list.csv", []byte(list), 0o666); err != nil {
		t.Fatal(err)
	}
	e := inFolders{&inTables{Engine: onEngine(t, "processes[2]")}}
	for _, c := range []struct {
		place    string
		settings map[string]string
		o        source.Options
	}{
		{place: dir},
		{dir, map[string]string{"size": "4x4", "crop": "true", "channels": "grey"}, source.Options{}},
		{dir + "/list.csv", map[string]string{"label": "kind"}, source.Options{}},
		{dir + "/list.csv", map[string]string{"label": "kind", "names": "c,b,a", "size": "1x2"}, source.Options{}},
		{dir + "/list.csv", map[string]string{"label": "kind"}, source.Options{Unlabelled: true}},
		{dir + "/warm/1.png", nil, source.Options{}},
	} {
		n := source.Name{Kind: "images", Place: c.place, Settings: c.settings}
		want, err := source.OpenName(t.Context(), n, c.o)
		if err != nil {
			t.Fatal(err)
		}
		n.Place = "seen://" + c.place
		seen.opened.Store(0)
		got, err := distributed.Open(t.Context(), e, n, distributed.OpenOptions{Options: c.o})
		if err != nil {
			t.Fatal(err)
		}
		i, j := got.Info(), want.Info()
		i.Name, j.Name = "", ""
		if !reflect.DeepEqual(i, j) {
			t.Errorf("%s: %+v, and in one process %+v", n, i, j)
		}
		if !reflect.DeepEqual(allRows(t, got), allRows(t, want)) {
			t.Errorf("%s: other examples than in one process", n)
		}
		for _, partitions := range []int{0, 1, 7} {
			sameSpread(t, e, got, partitions, allRows(t, want))
		}
		part := got.(interface {
			Subset(name string, at []int) source.Source
		}).Subset("part", []int{got.Objects() - 1, 0})
		few := source.Subset(want.(source.Table), "part", []int{0, want.Objects() - 1})
		if got.Objects() > 1 {
			sameSpread(t, e, part, 2, allRows(t, few))
		}
		if err := got.(io.Closer).Close(); err != nil {
			t.Error(err)
		}
		if files := seen.opened.Load(); files > 0 {
			t.Errorf("%s: the driver opened files %d times", n, files)
		}
	}
}

// sameSpread compares the examples of a source on workers with wanted ones.
func sameSpread(t *testing.T, e engine.Engine, s source.Source, partitions int, want []string) {
	t.Helper()
	d, err := distributed.Spread(t.Context(), e, s, nil, partitions)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	if err := d.Examples(t.Context(), func(m *data.MultiDataSet) error {
		m.LabelNames = nil
		all = append(all, string(data.AppendRow(nil, m)))
		return nil
	}); err != nil || !reflect.DeepEqual(all, want) {
		t.Errorf("%s in %d partitions: %d examples, %v", s.Info().Name, partitions, len(all), err)
	}
}

// TestClassesOfLists: the classes of a list's pictures are those of its lines.
func TestClassesOfLists(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"1", "2"} {
		paint(t, dir+"/"+name+".png", 2, 2, 9)
	}
	text := "path,label\n2.png,y\n1.png,x\n2.png,x\n"
	if err := os.WriteFile(dir+"/list.csv", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	e := inFolders{&inTables{Engine: onEngine(t, "local[2]")}}
	s := opened(t, e, "images:"+dir+"/list.csv", nil, distributed.OpenOptions{})
	classes, err := s.(interface{ ClassNumbers() ([]int, error) }).ClassNumbers()
	if err != nil || !reflect.DeepEqual(classes, []int{1, 0, 0}) {
		t.Error(classes, err)
	}
	if names := s.Info().Schema; names.Images["channels"] != "rgb" ||
		!reflect.DeepEqual(names.Classes, []string{"x", "y"}) {
		t.Errorf("the model does not learn how the workers read pictures: %v", names)
	}
	paint(t, dir+"/2.png", 5, 4, 9)
	_, err = distributed.Open(t.Context(), e, source.Name{Kind: "images", Place: dir + "/list.csv"},
		distributed.OpenOptions{})
	if err == nil || !strings.Contains(err.Error(), "1.png: ") || !strings.Contains(err.Error(), "in "+dir+"/2.png") ||
		!strings.Contains(err.Error(), "size=HxW") {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"path,label\n2.png,y\n,x\n":   "list.csv:3:1: there is no path",
		"path,label\nmissing.png,y\n": "missing.png",
		"path\n":                      "lines with paths",
	} {
		if err := os.WriteFile(dir+"/list.csv", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := distributed.Open(t.Context(), e, source.Name{Kind: "images", Place: dir + "/list.csv"},
			distributed.OpenOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestBrokenPicturesOfWorkers: workers skip and count the broken pictures of folders and lists that one process skips.
func TestBrokenPicturesOfWorkers(t *testing.T) {
	dir := t.TempDir()
	for i, path := range []string{"warm/1.png", "warm/2.png", "warm/3.png", "cold/1.png", "cold/2.png"} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if i == 2 || i == 3 { // the first picture of all is broken, and the last one
			if err := os.WriteFile(path, []byte("none"), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		paint(t, path, 3, 2, uint8(40*(i+1)))
	}
	list := "path,kind\nwarm/3.png,b\ncold/1.png,a\ncold/2.png,b\nwarm/1.png,c\n"
	if err := os.WriteFile(dir+"/list.csv", []byte(list), 0o666); err != nil {
		t.Fatal(err)
	}
	e := inFolders{&inTables{Engine: onEngine(t, "processes[2]")}}
	for _, place := range []string{dir, dir + "/list.csv"} {
		open := func(policy string) (want, got source.Source, errs [2]error) {
			n := source.Name{Kind: "images", Place: place, Settings: map[string]string{"bad-rows": policy}}
			want, errs[0] = source.OpenName(t.Context(), n, source.Options{})
			n.Place = "seen://" + place
			got, errs[1] = distributed.Open(t.Context(), e, n, distributed.OpenOptions{})
			return want, got, errs
		}
		for _, policy := range []string{"fail", "skip:1"} {
			_, _, errs := open(policy)
			for _, err := range errs {
				if err == nil || !strings.Contains(err.Error(), ".png") {
					t.Errorf("%s, %s: %v", place, policy, err)
				}
			}
		}
		want, got, errs := open("skip:2")
		if err := errors.Join(errs[0], errs[1]); err != nil {
			t.Error(err)
			continue
		}
		w, g := want.Info(), got.Info()
		if g.Examples != w.Examples || got.Objects() != w.Examples || len(w.Notes) != 1 ||
			!reflect.DeepEqual(w.Notes, []string{strings.ReplaceAll(strings.Join(g.Notes, ""), "seen://", "")}) {
			t.Errorf("%s: %+v, want %+v", place, g, w)
		}
		if !reflect.DeepEqual(allRows(t, got), allRows(t, want)) {
			t.Errorf("%s: other examples than in one process", place)
		}
		sameSpread(t, e, got, 2, allRows(t, want))
		if err := got.(io.Closer).Close(); err != nil {
			t.Error(err)
		}
	}
}
