package spark

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/storage"
)

// TestListedSizes checks that workers get the sizes of the listed files.
func TestListedSizes(t *testing.T) {
	e := &listings{cluster: new(cluster), stamps: map[string]storage.Stamp{"/d/a": {Size: 7}, "/d/b": {}}}
	for _, c := range []struct {
		paths []string
		want  []int64
	}{{[]string{"/d/x", "/d/b", "/d/a", "/d/y"}, []int64{-1, 0, 7, -1}}, {[]string{"/d/x"}, nil}, {nil, nil}} {
		if got, _ := e.listed(c.paths); !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%q: %v, wanted %v", c.paths, got, c.want)
		}
	}
}

// TestFilesAreNotIgnored checks that a session reports unreadable files, whatever the cluster's setting is.
func TestFilesAreNotIgnored(t *testing.T) {
	f := startFake(t, "s")
	names := []string{"spark.sql.files.ignoreCorruptFiles", "spark.sql.files.ignoreMissingFiles"}
	for _, name := range names {
		f.set(name, "true")
	}
	s := f.open(t, f.address())
	if err := s.Set(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	got, err := s.Get(t.Context(), names...)
	for _, name := range names {
		if got[name] != "false" || err != nil {
			t.Errorf("%s is %q, %v", name, got[name], err)
		}
	}
}
