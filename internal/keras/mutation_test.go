package keras

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/mutate"
)

// check reads a damaged model: no panic, errors of the right type, and no more memory than the file justifies.
func check(t testing.TB, what string, b []byte) bool {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	net, err := Read(bytes.NewReader(b), int64(len(b)))
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20+64*uint64(len(b)) {
		t.Errorf("%s: %d bytes took %d bytes of memory", what, len(b), took)
	}
	var f *dl4j.FormatError
	switch {
	case err == nil && net == nil:
		t.Errorf("%s: neither a network nor an error", what)
	case err == nil:
		net.Close()
	case !errors.As(err, &f):
		t.Errorf("%s: %T %v is not a FormatError", what, err, err)
	}
	return err == nil
}

// entry is a member of a .keras file.
type entry struct {
	name string
	b    []byte
}

func entries(t testing.TB, b []byte) (all []entry) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range z.File {
		all = append(all, entry{m.Name, content(t, z, m.Name)})
	}
	return all
}

// zipped stores members.
func zipped(t testing.TB, all []entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range all {
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Store})
		if err == nil {
			_, err = f.Write(e.b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sound returns the models of all cases.
func sound(t testing.TB) (names []string, all [][]byte) {
	for _, files := range []fs.FS{cases(t), casesIn(t, matricesFile)} {
		for _, pattern := range []string{"*/model.keras", "*/model.h5"} {
			list, err := fs.Glob(files, pattern)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range list {
				names, all = append(names, name), append(all, content(t, files, name))
			}
		}
	}
	return names, all
}

// changed damages a model: the file, a member of it, or words of its configuration.
func changed(t testing.TB, b []byte, seed uint64) []byte {
	if string(b[:2]) != "PK" || seed%7 == 0 {
		return mutate.Bytes(b, seed)
	}
	all := entries(t, b)
	k := int(seed) % len(all)
	if seed%3 == 0 {
		all[k].b = mutate.Bytes(all[k].b, seed)
		return zipped(t, all)
	}
	for i, e := range all { // swapping numbers and words of the configuration keeps the JSON valid
		if e.name == configMember {
			all[i].b = traded(e.b, seed)
		}
	}
	return zipped(t, all)
}

// traded changes values of a JSON text: each becomes another value of the text, a number, a list or null.
func traded(b []byte, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	var tree any
	if json.Unmarshal(b, &tree) != nil {
		return b
	}
	var places []func(any) // each sets one value
	var values []any
	var walk func(v any, set func(any))
	walk = func(v any, set func(any)) {
		places, values = append(places, set), append(values, v)
		switch v := v.(type) {
		case []any:
			for i := range v {
				walk(v[i], func(x any) { v[i] = x })
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(v[key], func(x any) { v[key] = x })
			}
		}
	}
	walk(tree, func(x any) { tree = x })
	odd := []any{nil, 0.0, 1.0, -1.0, 2.0, 7.0, 1e6, 1e30, -1e30, 0.5, true, false, "", "same",
		"valid", "causal", "relu",
		[]any{}, []any{2.0, 3.0}, []any{1.0, 1.0}, []any{0.0}, map[string]any{}, "channels_first"}
	for range 1 + r.IntN(3) {
		at := r.IntN(len(places))
		if r.IntN(3) == 0 {
			places[at](values[r.IntN(len(values))])
		} else {
			places[at](odd[r.IntN(len(odd))])
		}
	}
	out, err := json.Marshal(tree)
	if err != nil || len(out) > 1<<20 { // a value inside itself
		return b
	}
	return out
}

// TestMutated damages models.
func TestMutated(t *testing.T) {
	names, all := sound(t)
	mutants := campaign.Count(300, 1_500, 10_000)
	campaign.Record(t).Add(mutants)
	read := 0
	for i := range mutants {
		k := i % len(all)
		if check(t, names[k], changed(t, all[k], uint64(i))) {
			read++
		}
	}
	if read == 0 || read > mutants*3/4 {
		t.Errorf("%d of %d damaged models are read: the damage does not test much", read, mutants)
	}
}

// FuzzModel reads any bytes.
func FuzzModel(f *testing.F) {
	names, all := sound(f)
	for i, b := range all {
		if strings.HasPrefix(names[i], "k2") || strings.Contains(names[i], "mlp") {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { check(t, "a model", b) })
}
