package source_test

import (
	"bytes"
	"fmt"
	"image/color"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
)

// TestPicturesAsTheModelReadThem: pictures for a model become numbers as those that it was trained on. Settings of the
// name come first. The driver and the workers agree.
func TestPicturesAsTheModelReadThem(t *testing.T) {
	dir := folders(t)
	trained, err := source.Open(t.Context(), "images:"+dir+"?size=2x1&channels=bgr&brightest=255")
	if err != nil {
		t.Fatal(err)
	}
	b, err := trained.Info().Schema.JSON()
	if err != nil {
		t.Fatal(err)
	}
	model, err := data.ParseSchema(b)
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := source.KindOf("images")
	reader := kind.(source.FolderReader)
	content, err := os.ReadFile(dir + "/red/1.png")
	if err != nil {
		t.Fatal(err)
	}
	for settings, want := range map[string]string{
		"":                          "[1, 3, 2, 1] [51 51 0 0 255 255]",
		"?channels=rgb":             "[1, 3, 2, 1] [255 255 0 0 51 51]",
		"?size=1x1":                 "[1, 3, 1, 1] [51 0 255]",
		"?brightest=1&channels=rgb": "[1, 3, 2, 1] [1 1 0 0 0.2 0.2]",
	} {
		n, err := source.Parse("images:" + dir + settings)
		if err != nil {
			t.Fatal(err)
		}
		given := maps.Clone(n.Settings)
		s, err := source.OpenName(t.Context(), n, source.Options{As: model})
		if err != nil {
			t.Fatal(err)
		}
		m := s.(source.Table).Range(1, 2)
		if got := fmt.Sprint(m.Features[0].Shape, m.Features[0].Data); got != want {
			t.Errorf("%q: %s, not %s", settings, got, want)
		}
		_, o, err := reader.Among(n, source.Options{As: model}, []string{dir + "/blue/1.png", dir + "/red/1.png"})
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(o.As.Images, s.Info().Schema.Images) {
			t.Errorf("%q: workers read by %v, and the driver by %v", settings, o.As.Images, s.Info().Schema.Images)
		}
		err = reader.ReadFile(n, o, dir+"/red/1.png", bytes.NewReader(content), func(m *data.MultiDataSet) error {
			if got := fmt.Sprint(m.Features[0].Shape, m.Features[0].Data); got != want {
				t.Errorf("%q on a worker: %s, not %s", settings, got, want)
			}
			return nil
		})
		if err != nil || !maps.Equal(given, n.Settings) {
			t.Errorf("%q: %v, and the settings became %v", settings, err, n.Settings)
		}
	}
}

// TestEmptyClasses checks that a class folder without pictures of its own is an error. A class that is already known
// may have no pictures.
func TestEmptyClasses(t *testing.T) {
	dir := t.TempDir()
	paint(t, dir+"/red/1.png", 2, 3, color.Black)
	paint(t, dir+"/blue/more/1.png", 2, 3, color.Black)
	checkPictures(t, dir, nil, "/blue: there are no pictures in this folder of a class")
	if err := os.Remove(dir + "/blue/more/1.png"); err != nil {
		t.Fatal(err)
	}
	checkPictures(t, dir, []string{"blue", "red"}, "")
}

// TestDeepPictures checks that a picture that lies too deep is an error, unless its folder is hidden.
func TestDeepPictures(t *testing.T) {
	dir := t.TempDir()
	for _, p := range []string{"/red/1.png", "/blue/1.png", "/blue/.thumbs/1.png"} {
		paint(t, dir+p, 2, 3, color.Black)
	}
	checkPictures(t, dir, nil, "")
	paint(t, dir+"/blue/more/1.png", 2, 3, color.Black)
	for _, classes := range [][]string{nil, {"blue", "red"}} {
		checkPictures(t, dir, classes, "/blue/more/1.png: this picture is one folder deeper than those of a class")
	}
}

// checkPictures checks that pictures with the known classes can be read, or have the error, by the driver and by
// workers.
func checkPictures(t *testing.T, dir string, classes []string, want string) {
	t.Helper()
	name := "images:" + dir
	if classes != nil {
		name += "?names=" + strings.Join(classes, ",")
	}
	_, err := source.Open(t.Context(), name)
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, not %q", name, err, want)
	}
	n, err := source.Parse("images:" + dir)
	if err != nil {
		t.Fatal(err)
	}
	var o source.Options
	if classes != nil {
		o.As = &data.Schema{Classes: classes}
	}
	var paths []string
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := source.KindOf("images")
	_, _, err = kind.(source.FolderReader).Among(n, o, paths)
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("workers with %q: %v, not %q", classes, err, want)
	}
}
