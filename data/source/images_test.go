package source_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
)

// paint writes a picture of one colour.
func paint(t *testing.T, path string, width, height int, c color.Color) {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		m.Set(i%width, i/width, c)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(png.Encode(f, m), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// folders makes a folder for each of two classes, and other files beside the pictures.
func folders(t *testing.T) string {
	dir := t.TempDir()
	paint(t, dir+"/red/1.png", 2, 3, color.RGBA{255, 0, 51, 255})
	paint(t, dir+"/red/2.PNG", 2, 3, color.RGBA{204, 0, 0, 255})
	paint(t, dir+"/blue/1.png", 2, 3, color.RGBA{0, 51, 255, 255})
	for _, other := range []string{"/red/notes.txt", "/red/.hidden.png", "/README"} {
		if err := os.WriteFile(dir+other, []byte("none"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir+"/_cache", 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestImageFolders: folders are classes, in the order of their names; pixels are stored in planes.
func TestImageFolders(t *testing.T) {
	s, err := source.Open(t.Context(), "images:"+folders(t))
	if err != nil {
		t.Fatal(err)
	}
	i := s.Info()
	if i.Examples != 3 || !slices.Equal(i.LabelNames, []string{"blue", "red"}) ||
		*i.Image != (source.Image{Height: 3, Width: 2, Channels: 3}) {
		t.Fatalf("%+v", i)
	}
	m, err := s.Object(1)
	if err != nil {
		t.Fatal(err)
	}
	x := m.Features[0]
	if !slices.Equal(x.Shape, []int{1, 3, 3, 2}) || x.Data[0] != 1 || x.Data[6] != 0 || x.Data[12] != 0.2 {
		t.Errorf("red is %v %v", x.Shape, x.Data)
	}
	if !slices.Equal(m.Labels[0].Data, []float32{0, 1}) || m.Meta[0] != "red/1.png" {
		t.Errorf("its class is %v, its key %v", m.Labels[0].Data, m.Meta)
	}
}

// TestImageStream: a stream returns the same examples as Open, in the same order.
func TestImageStream(t *testing.T) {
	n, err := source.Parse("images:" + folders(t) + "?size=4x4&channels=bgr&brightest=255")
	if err != nil {
		t.Fatal(err)
	}
	table, err := source.OpenName(t.Context(), n, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := source.OpenStream(t.Context(), n, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		m, err := s.Next()
		if err == io.EOF {
			if i != 3 {
				t.Errorf("%d examples", i)
			}
			break
		}
		want, _ := table.Object(i)
		if err != nil || !slices.Equal(m.Features[0].Data, want.Features[0].Data) ||
			!slices.Equal(m.Labels[0].Data, want.Labels[0].Data) {
			t.Fatalf("example %d differs: %v", i, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestImageList: a list has paths and classes.
func TestImageList(t *testing.T) {
	dir := folders(t)
	list := "kind,path\nwarm,red/2.PNG\ncold,blue/1.png\n"
	if err := os.WriteFile(dir+"/list.csv", []byte(list), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := source.Open(t.Context(), "images:"+dir+"/list.csv?label=kind")
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Object(0)
	if err != nil || !slices.Equal(s.Info().LabelNames, []string{"cold", "warm"}) ||
		m.Labels[0].Data[1] != 1 || m.Meta[0] != "red/2.PNG" {
		t.Errorf("%v %v", s.Info().LabelNames, err)
	}
}

// TestImageWithoutLabels opens a folder of pictures, one picture, and class folders without their labels.
func TestImageWithoutLabels(t *testing.T) {
	dir := folders(t)
	for _, place := range []string{dir + "/red", dir + "/red/1.png"} {
		s, err := source.Open(t.Context(), "images:"+place)
		if err != nil || len(s.Info().Labels) != 0 {
			t.Errorf("%s: %v", place, err)
		}
	}
	n, _ := source.Parse("images:" + dir)
	as := &data.Schema{Classes: []string{"green"}}
	s, err := source.OpenName(context.Background(), n, source.Options{As: as, Unlabelled: true})
	if err != nil || s.Info().Examples != 3 || len(s.Info().Labels) != 0 {
		t.Errorf("%v", err)
	}
}

// TestImageErrors: each error says what to do.
func TestImageErrors(t *testing.T) {
	dir := folders(t)
	paint(t, dir+"/red/3.png", 9, 9, color.Black)
	mixed := folders(t)
	paint(t, mixed+"/stray.png", 2, 3, color.Black)
	broken := folders(t)
	if err := os.WriteFile(broken+"/red/9.png", []byte("no picture"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		dir:                        "size=HxW brings them to one size",
		dir + "?size=0x3":          "HEIGHTxWIDTH",
		dir + "?size=9999999":      "HEIGHTxWIDTH",
		dir + "?channels=cmyk":     "rgb, bgr, grey",
		dir + "?crop=true":         "size=HxW",
		dir + "?brightest=3":       "1 or 255",
		dir + "?size=2&names=red":  `the class "blue"`,
		mixed:                      "folders are classes",
		broken:                     "red/9.png: not an image",
		dir + "/_cache":            "there are no pictures",
		dir + "/nothing":           "no such file",
		"":                         "images:DIRECTORY",
		dir + "/red/3.png?colour=": "unknown option",
	} {
		if _, err := source.Open(t.Context(), "images:"+name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", name, err, want)
		}
	}
}

// TestImagesByWorkers checks the files below a folder that workers read, and the examples that they make from them.
func TestImagesByWorkers(t *testing.T) {
	dir := folders(t)
	n, err := source.Parse("images:" + dir + "?size=3x2")
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := source.KindOf("images")
	reader := kind.(source.FolderReader)
	if other, _ := source.Parse("images:-"); !reader.ByWorkers(n) || reader.ByWorkers(other) {
		t.Error("workers read pictures of a place, and no others")
	}
	paths := []string{dir + "/README", dir + "/blue/1.png", dir + "/red/1.png", dir + "/red/2.PNG", dir + "/red/notes.txt"}
	taken, o, err := reader.Among(n, source.Options{}, paths)
	if err != nil || !slices.Equal(taken, paths[1:4]) || !slices.Equal(o.As.Classes, []string{"blue", "red"}) {
		t.Fatalf("%v %v %v", taken, o.As, err)
	}
	table, err := source.OpenName(t.Context(), n, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range taken {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		err = reader.ReadFile(n, o, path, bytes.NewReader(content), func(m *data.MultiDataSet) error {
			want, _ := table.Object(i)
			if !slices.Equal(m.Features[0].Data, want.Features[0].Data) ||
				!slices.Equal(m.Labels[0].Data, want.Labels[0].Data) ||
				m.Meta[0] != want.Meta[0] {
				t.Errorf("%s differs from the driver's example", path)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		unlabelled := o
		unlabelled.Unlabelled = true
		err = reader.ReadFile(n, unlabelled, path, bytes.NewReader(content), func(m *data.MultiDataSet) error {
			if want := strings.TrimPrefix(path, dir+"/"); m.Meta[0] != want || m.Labels != nil {
				t.Errorf("without labels, the key is %q, wanted %q", m.Meta[0], want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if _, _, err := reader.Among(n, source.Options{}, append(paths, dir+"/stray.png")); err == nil {
		t.Error("a picture beside folders was taken")
	}
	if _, o, _ := reader.Among(n, source.Options{}, []string{dir + "/a.png", dir + "/b.png"}); !o.Unlabelled {
		t.Error("a folder of pictures has labels")
	}
}

// TestBrokenPictures: broken pictures are errors, or skipped and counted: in memory, on disk and in a stream. The first
// one does not set the size.
func TestBrokenPictures(t *testing.T) {
	dir := folders(t)
	for _, name := range []string{"/blue/0.png", "/red/1a.png"} {
		if err := os.WriteFile(dir+name, []byte("none"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := source.Open(t.Context(), "images:"+folders(t))
	if err != nil {
		t.Fatal(err)
	}
	named := func(policy string) source.Name {
		n, err := source.Parse("images:" + dir + "?bad-rows=" + policy)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, room := range []*source.Room{nil, {Memory: 1 << 20}} {
		s, err := source.OpenName(t.Context(), named("skip:2"), source.Options{Room: room})
		if err != nil {
			t.Fatal(err)
		}
		info := s.Info()
		if info.Examples != 3 || len(info.Notes) != 1 ||
			!strings.HasPrefix(info.Notes[0], "2 pictures were skipped: "+dir+"/blue/0.png: ") {
			t.Errorf("%+v", info)
		}
		for i := range 3 {
			got, err := s.Object(i)
			if err != nil {
				t.Fatal(err)
			}
			m, _ := want.Object(i)
			if string(data.AppendRow(nil, got)) != string(data.AppendRow(nil, m)) {
				t.Errorf("picture %d: %v, want %v", i, got, m)
			}
		}
		for policy, text := range map[string]string{"fail": "/blue/0.png: ", "skip:1": "bad-rows=skip:1 allows no more"} {
			_, err := source.OpenName(t.Context(), named(policy), source.Options{Room: room})
			row := (*source.RowError)(nil)
			if !errors.As(err, &row) || row.Of != "picture" || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v", policy, err)
			}
		}
	}
	s, err := source.OpenStream(t.Context(), named("skip:2"), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var keys []string
	for {
		m, err := s.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, m.Meta...)
	}
	if !slices.Equal(keys, []string{"blue/1.png", "red/1.png", "red/2.PNG"}) || len(s.Notes()) != 1 {
		t.Errorf("%q, %q", keys, s.Notes())
	}
	for _, name := range []string{"/blue/1.png", "/red/1.png", "/red/2.PNG"} {
		if err := os.WriteFile(dir+name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, room := range []*source.Room{nil, {Memory: 1 << 20}} {
		_, err := source.OpenName(t.Context(), named("skip:9"), source.Options{Room: room})
		if err == nil || !strings.Contains(err.Error(), "none of the pictures can be read") {
			t.Error(err)
		}
	}
	if _, err := source.OpenName(t.Context(), named("ragged"), source.Options{}); err == nil ||
		!strings.Contains(err.Error(), "fail, or skip:N for up to N pictures") {
		t.Error(err)
	}
}
