package nn

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/mutate"
)

// entriesOf returns the entries of a model zip in their order.
func entriesOf(t testing.TB, path string) (names []string, contents [][]byte) {
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		names, contents = append(names, f.Name), append(contents, b)
	}
	return names, contents
}

// storedZip makes a zip without compression, which would take most of the time.
func storedZip(t testing.TB, names []string, contents [][]byte) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(contents[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// checkModel reads a model zip of either kind and its normalizer, and writes what it could read. There must be no
// panic, errors must have the right type, and memory must be in proportion to the file.
func checkModel(t *testing.T, what string, b []byte) (ok bool) {
	t.Helper()
	var net *Network
	var err error
	if took := allocated(func() { net, err = UnmarshalNetwork(b) }); took > 64<<20+4*uint64(len(b)) {
		t.Errorf("%s: %d bytes took %d bytes of memory", what, len(b), took)
	}
	if err == nil {
		defer net.Close()
		if n := net.Normalizer(); n != nil {
			_, err = data.ReadNormalizer(bytes.NewReader(n), int64(len(n)))
		}
	}
	var f *dl4j.FormatError
	if err != nil {
		if !errors.As(err, &f) {
			t.Errorf("%s: %T %v is not a FormatError", what, err, err)
		}
		return false
	}
	entries, err := net.Entries(SaveOptions{})
	if err == nil {
		err = dl4j.WriteModel(io.Discard, entries...)
	}
	if err != nil {
		t.Errorf("%s: it is read and can't be written: %v", what, err)
	}
	return true
}

// TestMutatedSavedModels damages models of both kinds, of old versions, of other types, and with normalizers.
func TestMutatedSavedModels(t *testing.T) {
	cases := savedCases(t)
	mutants := campaign.Count(1_000, 5_000, 100_000)
	campaign.Record(t).Add(mutants)
	type model struct {
		names    []string
		contents [][]byte
	}
	models := make([]model, len(cases))
	for i, c := range cases {
		models[i].names, models[i].contents = entriesOf(t, filepath.Join(c.dir, "model.zip"))
	}
	sound := 0
	for i := range mutants {
		m := models[i%len(models)]
		k := i / len(models) % (len(m.names) + 1)
		var b []byte
		if k == len(m.names) {
			b = mutate.Bytes(storedZip(t, m.names, m.contents), uint64(i))
		} else {
			damaged := append([][]byte(nil), m.contents...)
			damaged[k] = mutate.Bytes(m.contents[k], uint64(i))
			b = storedZip(t, m.names, damaged)
		}
		if checkModel(t, cases[i%len(cases)].dir, b) {
			sound++
		}
	}
	if sound > mutants*3/4 || sound == 0 {
		t.Errorf("%d of %d damaged models are read: the damage does not test much", sound, mutants)
	}
}

// checkConfiguration reads JSON or YAML of either kind of network, and writes it again if it could be read.
func checkConfiguration(t *testing.T, b []byte) (ok bool) {
	t.Helper()
	var net *Network
	var err error
	if took := allocated(func() {
		var d document
		if d, err = readDocument(b); err == nil {
			net, err = d.network()
		}
	}); took > 64<<20+40*uint64(len(b)) {
		t.Errorf("%d bytes took %d bytes of memory", len(b), took)
	}
	if err != nil {
		return false
	}
	defer net.Close()
	text, err := net.Configuration()
	if err == nil {
		text, err = YAML(text)
	}
	if err == nil {
		_, err = readDocument(text)
	}
	if err != nil {
		t.Errorf("it is read and can't be written: %v", err)
	}
	return true
}

// configurationFiles returns configurations of both kinds, in JSON and YAML.
func configurationFiles(t testing.TB) [][]byte {
	var all [][]byte
	for _, f := range yamlCases(t) {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	for _, c := range savedCases(t) {
		_, contents := entriesOf(t, filepath.Join(c.dir, "model.zip"))
		all = append(all, contents[0])
	}
	return all
}

func TestMutatedConfigurations(t *testing.T) {
	all := configurationFiles(t)
	mutants := campaign.Count(1_000, 10_000, 100_000)
	campaign.Record(t).Add(mutants)
	sound := 0
	for i := range mutants {
		if checkConfiguration(t, mutate.Bytes(all[i%len(all)], uint64(i))) {
			sound++
		}
	}
	if sound > mutants*3/4 || sound == 0 {
		t.Errorf("%d of %d damaged configurations are read: the damage does not test much", sound, mutants)
	}
}

func FuzzNetwork(f *testing.F) {
	for _, c := range savedCases(f) {
		names, contents := entriesOf(f, filepath.Join(c.dir, "model.zip"))
		f.Add(storedZip(f, names, contents))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkModel(t, "model", b) })
}

func FuzzConfiguration(f *testing.F) {
	for _, b := range configurationFiles(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkConfiguration(t, b) })
}

// Values of a wrong kind, above all null, are refused or read at each place of each class: nothing panics.
func TestValuesOfAnotherKind(t *testing.T) {
	seen := map[string]bool{}
	texts := configurationsOf(t)
	names := slices.Sorted(maps.Keys(texts))
	slices.SortStableFunc(names, func(a, b string) int { return len(texts[a]) - len(texts[b]) })
	for _, name := range names {
		tree, err := dl4j.Parse(string(texts[name]))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range placesOf(tree, "", func(x any) any { return x }) {
			_, class := classOf(p.object)
			for i, m := range p.object {
				kind := fmt.Sprint(class, ".", m.Name)
				if class == "" {
					kind = p.at + "." + m.Name
				}
				if seen[kind] || strings.Contains(p.at, "ByParam") {
					continue
				}
				seen[kind] = true
				for _, v := range []any{nil, dl4j.Number("-1"), "x", []any{nil}, dl4j.Object{}} {
					o := slices.Clone(p.object)
					o[i].Value = v
					func() {
						defer func() {
							if r := recover(); r != nil {
								t.Errorf("%s%s.%s = %v: %v", name, p.at, m.Name, v, r)
							}
						}()
						if d, err := newDocument(p.replace(o), nil); err == nil {
							if net, err := d.network(); err == nil {
								net.Close()
							}
						}
					}()
				}
			}
		}
	}
	if len(seen) < 1000 {
		t.Errorf("only %d members were tried", len(seen))
	}
}
