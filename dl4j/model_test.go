package dl4j

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestModelOfDeeplearning4j(t *testing.T) {
	m, err := OpenModel(context.Background(), "testdata/model.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	text, err := m.Configuration()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(string(text)); err != nil {
		t.Error(err)
	}
	params, dataType, err := m.Array(CoefficientsEntry, 1000)
	if err != nil || dataType != Float || len(params.Shape) != 1 {
		t.Fatalf("%v, %s, %v", params, dataType, err)
	}
	state, _, err := m.Array(UpdaterStateEntry, -1)
	if err != nil || len(state.Data) != 2*len(params.Data) {
		t.Errorf("Adam's state for %d parameters: %v", len(params.Data), err)
	}
	if m.Has(NormalizerEntry) {
		t.Error("there is a normalizer")
	}

	// Entries that are written again have the same bytes, and the zip is the same each time.
	write := func() []byte {
		var b bytes.Buffer
		if err := WriteModel(&b, BytesEntry(ConfigurationEntry, text), VectorEntry(CoefficientsEntry, params.Data),
			VectorEntry(UpdaterStateEntry, state.Data)); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	again := write()
	if !bytes.Equal(again, write()) {
		t.Error("the same model gives different zips")
	}
	n, err := ReadModel(bytes.NewReader(again), int64(len(again)))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range []string{ConfigurationEntry, CoefficientsEntry, UpdaterStateEntry} {
		a, errA := m.Bytes(entry, 1<<20)
		b, errB := n.Bytes(entry, 1<<20)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s is written differently: %v, %v", entry, errA, errB)
		}
	}
}

func TestBadModels(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, err := os.ReadFile("testdata/model.zip")
	if err != nil {
		t.Fatal(err)
	}
	var other bytes.Buffer
	z := zip.NewWriter(&other)
	if _, err := z.Create("readme.txt"); err != nil {
		t.Fatal(err)
	}
	z.Close()
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{"text.zip": {[]byte("hello"), "not a model zip: zip"}, "cut.zip": {good[:len(good)-20], "cut short: copy it again"},
		"empty.zip": {nil, "not a model zip: zip"}, "other.zip": {other.Bytes(), "it has no configuration.json"}} {
		_, err := OpenModel(context.Background(), file(name, c.content))
		var f *FormatError
		if !errors.As(err, &f) || f.Path != filepath.Join(dir, name) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := OpenModel(context.Background(), filepath.Join(dir, "missing.zip")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// A small zip with huge entries is refused before they are unpacked.
func TestZipBomb(t *testing.T) {
	var b bytes.Buffer
	err := WriteModel(&b, BytesEntry(ConfigurationEntry, make([]byte, 32<<20)),
		VectorEntry(CoefficientsEntry, make([]float32, 8<<20)))
	if err != nil {
		t.Fatal(err)
	}
	m, err := ReadModel(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	before := allocated()
	if _, err := m.Configuration(); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("32 MiB of configuration: %v", err)
	}
	if _, _, err := m.Array(CoefficientsEntry, 1000); err == nil || !strings.Contains(err.Error(), CoefficientsEntry) {
		t.Errorf("8 Mi parameters where 1000 belong: %v", err)
	}
	if used := allocated() - before; used > 1<<20 {
		t.Errorf("%d bytes taken", used)
	}
}
