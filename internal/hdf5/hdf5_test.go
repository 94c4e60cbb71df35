package hdf5

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func open(t *testing.T, name string) *Group {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	root, err := f.Root()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestArrays compares arrays of all types, layouts and filters, in files of both formats, with h5py's results.
func TestArrays(t *testing.T) {
	text, err := os.ReadFile("testdata/values.json")
	if err != nil {
		t.Fatal(err)
	}
	var files map[string]map[string]struct {
		Shape []uint64 `json:"shape"`
		Data  []string `json:"data"`
	}
	if err := json.Unmarshal(text, &files); err != nil {
		t.Fatal(err)
	}
	count := 0
	for name, arrays := range files {
		root := open(t, name+".h5")
		for path, want := range arrays {
			a, err := root.Array(path)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got, err := a.Floats()
			if err != nil || !slices.Equal(a.Shape(), want.Shape) || len(got) != len(want.Data) {
				t.Errorf("%s: %s: shape %v and %d elements, not %v and %d: %v", name, path, a.Shape(),
					len(got), want.Shape,
					len(want.Data), err)
				continue
			}
			for i, s := range want.Data {
				x, _ := strconv.ParseFloat(s, 64)
				if math.Float32bits(got[i]) != math.Float32bits(float32(x)) {
					t.Errorf("%s: %s: element %d is %v, not %v", name, path, i, got[i], s)
					break
				}
			}
			count++
		}
	}
	if count < 80 {
		t.Errorf("%d arrays are few", count)
	}
}

// TestGroups reads groups with one member and with many.
func TestGroups(t *testing.T) {
	for _, name := range []string{"groups.h5", "groups-latest.h5"} {
		root := open(t, name)
		if got := root.Names(); !slices.Equal(got, []string{"a", "many"}) {
			t.Errorf("%s: the root has %v", name, got)
		}
		many, err := root.Group("many")
		if err != nil {
			t.Fatal(err)
		}
		if n := len(many.Names()); n != 160 {
			t.Errorf("%s: many has %d members, not 160", name, n)
		}
		if _, err := root.Array("a/b/d"); !IsMissing(err) || !strings.HasPrefix(err.Error(), "/a/b/d: ") {
			t.Errorf("%s: a missing array: %v", name, err)
		}
	}
}

// TestTexts reads attributes in object headers and in heaps.
func TestTexts(t *testing.T) {
	for _, name := range []string{"texts.h5", "texts-latest.h5"} {
		g, err := open(t, name).Group("g")
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string][]string{
			"n0": {"value 0"}, "n39": {"value 39"}, "long": {strings.Repeat("x", 5000)}, "one": {"single"}, "none": nil,
			"list": {"eins", "zwei", "drei – ü"}, "fixed": {"ab", "abcd"},
		} {
			a, err := g.Attribute(key)
			if err != nil || a == nil {
				t.Errorf("%s: %s: %v", name, key, err)
				continue
			}
			if got, err := a.Texts(); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %s is %.60q, not %.60q: %v", name, key, got, want, err)
			}
		}
		if a, err := g.Attribute("other"); a != nil || err != nil {
			t.Errorf("%s: an attribute that is not there: %v, %v", name, a, err)
		}
	}
}

// TestRefused: links out of the file and unsupported features are refused by name.
func TestRefused(t *testing.T) {
	root := open(t, "refused.h5")
	for name, want := range map[string]string{
		"soft": "soft link", "external": "link to another file (other.h5)", "outside": "external storage",
		"virtual": "virtual", "committed": "committed", "lzf": "LZF", "compound": "compound", "nothing": "holds none",
		"holes": "chunks",
	} {
		a, err := root.Array(name)
		if err == nil {
			_, err = a.Floats()
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "/"+name) {
			t.Errorf("%s: %v, which should say %q", name, err, want)
		}
	}
	if _, err := open(t, "grows.h5").Array("x"); err == nil || !strings.Contains(err.Error(), "extensible array") {
		t.Errorf("an array that can grow: %v", err)
	}
}

// TestDamaged: a truncated or empty file is an error.
func TestDamaged(t *testing.T) {
	b, err := os.ReadFile("testdata/types.h5")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 7, 8, 40, 95, 200, len(b) - 1} {
		if _, err := Open(bytes.NewReader(b[:n]), int64(n)); err == nil {
			t.Errorf("%d bytes of %d are opened", n, len(b))
		}
	}
}
