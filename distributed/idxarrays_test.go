package distributed_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
)

// idxFile writes an IDX file, gzipped if its name says so, and returns its URL.
func idxFile(t *testing.T, path string, content []byte, shape ...int) string {
	t.Helper()
	b := []byte{0, 0, 8, byte(len(shape))}
	for _, n := range shape {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	b = append(b, content...)
	if strings.HasSuffix(path, ".gz") {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(b)
		z.Close()
		b = packed.Bytes()
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// TestImagesInArraysOfWorkers: workers read the images of IDX files and their labels. The examples are those of one
// process, for all images and for parts of them.
func TestImagesInArraysOfWorkers(t *testing.T) {
	dir := t.TempDir()
	pixels, labels := make([]byte, 20*3*4), make([]byte, 20)
	for i := range pixels {
		pixels[i] = byte(i * i)
	}
	for i := range labels {
		labels[i] = byte(i * 3 % 5)
	}
	for name, c := range map[string]struct {
		images, labels string
		settings       map[string]string
		o              source.Options
	}{
		"images": {idxFile(t, dir+"/x", pixels, 20, 3, 4), idxFile(t, dir+"/y", labels, 20), nil, source.Options{}},
		"packed": {idxFile(t, dir+"/x.gz", pixels, 20, 3, 4), idxFile(t, dir+"/y.gz", labels, 20), nil, source.Options{}},
		"vectors": {idxFile(t, dir+"/v", pixels, 20, 12), idxFile(t, dir+"/y", labels, 20), map[string]string{"classes": "7"},
			source.Options{}},
	} {
		n := source.Name{Kind: "idx", Place: c.images + "," + c.labels, Settings: c.settings}
		s, err := source.OpenName(t.Context(), n, c.o)
		if err != nil {
			t.Fatal(err)
		}
		want := allRows(t, s)
		for _, master := range []string{"local[3]", "processes[2]"} {
			if !distributed.ByWorkers(n, c.o) {
				t.Errorf("%s: the workers do not read it", name)
			}
			e := &inTables{Engine: onEngine(t, master)}
			got, err := distributed.Open(t.Context(), e, n, distributed.OpenOptions{Options: c.o})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			i, j := got.Info(), s.Info()
			if i.Name, j.Name = "", ""; !reflect.DeepEqual(i, j) {
				t.Errorf("%s: %+v, and in one process %+v", name, i, j)
			}
			for _, partitions := range []int{1, 3, 20} {
				sameSpread(t, e, got, partitions, want)
			}
			part := got.(interface {
				Subset(name string, at []int) source.Source
			}).Subset("part", []int{2, 3, 17})
			if rows := allRows(t, part); len(rows) != 3 || rows[2] != want[17] {
				t.Errorf("%s: a part has %d examples, or others", name, len(rows))
			}
		}
		unlabelled, err := distributed.Open(t.Context(), &inTables{Engine: onEngine(t, "local[2]")}, n,
			distributed.OpenOptions{Options: source.Options{Unlabelled: true}})
		if err != nil {
			t.Fatal(err)
		}
		if m, err := unlabelled.Object(0); err != nil || m.Labels != nil || len(unlabelled.Info().Labels) > 0 {
			t.Errorf("%s without labels: %v, %v", name, m, err)
		}
	}
}

// TestBadImagesOfWorkers: damaged IDX files are errors that name the file.
func TestBadImagesOfWorkers(t *testing.T) {
	dir := t.TempDir()
	pixels := make([]byte, 4*6)
	good, y := idxFile(t, dir+"/x", pixels, 4, 2, 3), idxFile(t, dir+"/y", []byte{0, 1, 2, 1}, 4)
	cut := idxFile(t, dir+"/cut.gz", pixels, 4, 2, 3)
	b, err := os.ReadFile(filepath.Join(dir, "cut.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cut.gz"), b[:len(b)-5], 0o600); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string][2]string{
		"short: rows ":                        {idxFile(t, dir+"/short", pixels[1:], 4, 2, 3), y},
		"long: rows ":                         {idxFile(t, dir+"/long", append(pixels, 1), 4, 2, 3), y},
		"long.gz: rows ":                      {idxFile(t, dir+"/long.gz", append(pixels, 1), 4, 2, 3), y},
		"cut.gz: damaged file: the file ends": {cut, y},
		"there are 3 labels for the 4 images": {good, idxFile(t, dir+"/few", []byte{0, 1, 2}, 3)},
		"it starts with 6e 6f 20 61":          {"file://" + dir + "/text", y},
		"images has 3 dimensions":             {idxFile(t, dir+"/flat", pixels, 24), y},
		"the label 2 is none of 2 classes":    {good, y},
	} {
		if err := os.WriteFile(filepath.Join(dir, "text"), []byte("no array of numbers"), 0o600); err != nil {
			t.Fatal(err)
		}
		n := source.Name{Kind: "idx", Place: c[0] + "," + c[1], Settings: map[string]string{}}
		if strings.Contains(want, "classes") {
			n.Settings["classes"] = "2"
		}
		_, err := distributed.Open(t.Context(), &inTables{Engine: onEngine(t, "local[2]")}, n, distributed.OpenOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, wanted %s", err, want)
		}
	}
}
