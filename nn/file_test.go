package nn

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/tensor"
)

func model(t *testing.T, net *MultiLayer, o SaveOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := net.Write(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSaveAndLoad(t *testing.T) {
	net := newNet(t, mixed())
	for i := range 3 {
		if _, err := net.Fit(examples(6, 36, 3), Key{Example: uint64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	net.SetEpoch(4)
	net.SetNormalizer([]byte("normalizer"))
	path := filepath.Join(t.TempDir(), "model.zip")
	for range 2 { // the second time over an existing file
		if err := net.Save(t.Context(), path, SaveOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if !equalBits(got.Params(), net.Params()) || !equalBits(got.UpdaterState(), net.UpdaterState()) ||
		got.Iteration() != 3 || got.Epoch() != 4 || string(got.Normalizer()) != "normalizer" {
		t.Error("what was loaded is not what was saved")
	}
	if !bytes.Equal(model(t, got, SaveOptions{}), model(t, net, SaveOptions{})) {
		t.Error("the same network gives other bytes")
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("temporary files are left: %v", files)
	}

	rows := model(t, net, SaveOptions{Rows: true})
	if got, err = Unmarshal(rows); err != nil || !equalBits(got.Params(), net.Params()) ||
		!equalBits(got.UpdaterState(), net.UpdaterState()) {
		t.Errorf("what was saved as rows is not what was loaded: %v", err)
	}
	zip, err := dl4j.ReadModel(bytes.NewReader(rows), int64(len(rows)))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range []string{dl4j.CoefficientsEntry, dl4j.UpdaterStateEntry} {
		if a, _, err := zip.Array(entry, -1); err != nil || len(a.Shape) != 2 || a.Shape[0] != 1 {
			t.Errorf("%s is %v, not a row: %v", entry, a, err)
		}
	}

	plain, err := Unmarshal(model(t, net, SaveOptions{WithoutUpdater: true}))
	if err != nil {
		t.Fatal(err)
	}
	fresh := newNet(t, mixed())
	if !equalBits(plain.Params(), net.Params()) || !equalBits(plain.UpdaterState(), fresh.UpdaterState()) {
		t.Error("saved without updater: the state should be that before the first step")
	}
	if err := net.Save(t.Context(), filepath.Join(path, "sub", "model.zip"), SaveOptions{}); err == nil {
		t.Error("saving below a file should fail")
	}
}

func TestNoParameters(t *testing.T) {
	net := newNet(t, Configuration{InputType: inputtype.FeedForward(3),
		Layers: []layer.Layer{layer.Activate{Activation: activation.TanH{}}}})
	b := model(t, net, SaveOptions{})
	got, err := Unmarshal(b)
	if err != nil {
		t.Fatal(err)
	}
	z := must(dl4j.ReadModel(bytes.NewReader(b), int64(len(b))))
	// Deeplearning4j needs both: it does not accept a model with the marker only.
	if !z.Has(dl4j.CoefficientsEntry) || !z.Has(dl4j.NoParamsEntry) {
		t.Error("the model has no empty coefficients, or no marker beside them")
	}
	if got.NumParams() != 0 || got.NumStates() != 0 {
		t.Errorf("%d parameters, %d states", got.NumParams(), got.NumStates())
	}
}

// rewrite copies a model zip and replaces some entries.
func rewrite(t *testing.T, b []byte, change map[string][]byte) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var entries []dl4j.Entry
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := change[f.Name]; ok {
			content = c
		}
		if content != nil {
			entries = append(entries, dl4j.BytesEntry(f.Name, content))
		}
	}
	var out bytes.Buffer
	if err := dl4j.WriteModel(&out, entries...); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func array(t *testing.T, shape ...int) []byte {
	var b bytes.Buffer
	if err := dl4j.WriteArray(&b, tensor.New(shape...)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBadModels(t *testing.T) {
	net := newNet(t, mixed())
	good := model(t, net, SaveOptions{})
	text, err := net.Configuration()
	if err != nil {
		t.Fatal(err)
	}
	conf := func(old, new string) map[string][]byte {
		if !strings.Contains(string(text), old) {
			t.Fatalf("the configuration has no %s", old)
		}
		return map[string][]byte{dl4j.ConfigurationEntry: []byte(strings.ReplaceAll(string(text), old, new))}
	}
	n := net.NumParams()
	for _, c := range []struct {
		name   string
		change map[string][]byte
		want   []string
	}{
		{"too many parameters", map[string][]byte{dl4j.CoefficientsEntry: array(t, n+1)},
			[]string{"coefficients.bin", "200", "199"}},
		{"too few parameters", map[string][]byte{dl4j.CoefficientsEntry: array(t, n-1)},
			[]string{"coefficients.bin", "198", "199"}},
		{"a matrix", map[string][]byte{dl4j.CoefficientsEntry: array(t, n, 1)}, []string{"coefficients.bin", "[199, 1]"}},
		{"no parameters", map[string][]byte{dl4j.CoefficientsEntry: nil}, []string{"coefficients.bin", "missing"}},
		{"short state", map[string][]byte{dl4j.UpdaterStateEntry: array(t, 3)}, []string{"updaterState.bin", "3 elements"}},
		{"class", conf("layers.DenseLayer", "layers.DenserLayer"),
			[]string{"configuration.json", "confs[3].layer", "org.deeplearning4j.nn.conf.layers.DenserLayer"}},
		{"member", conf(`"kernelSize"`, `"kernelSizes"`), []string{"configuration.json", "kernelSizes"}},
		{"huge layer", conf(`" : 7,`, `" : 2000000000,`), []string{"configuration.json", "layer 3", "W"}},
		{"optimiser", conf(sgd, "LBFGS"), []string{"configuration.json", "LBFGS"}},
		{"graph", map[string][]byte{dl4j.ConfigurationEntry: []byte(`{"vertices":{}}`)},
			[]string{"configuration.json", "the graph has no inputs"}},
		{"other JSON", map[string][]byte{dl4j.ConfigurationEntry: []byte(`[1]`)}, []string{"configuration.json"}},
	} {
		_, err := Unmarshal(rewrite(t, good, c.change))
		var f *dl4j.FormatError
		if !errors.As(err, &f) {
			t.Errorf("%s: %v is not a FormatError", c.name, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not say %q", c.name, err, w)
			}
		}
	}
	// Releases up to M2 write the vectors as rows.
	row, err := Unmarshal(rewrite(t, good, map[string][]byte{dl4j.CoefficientsEntry: array(t, 1, n)}))
	if err != nil || row.NumParams() != n {
		t.Errorf("a vector of rank 2: %v", err)
	}
	if _, err := Load(t.Context(), filepath.Join(t.TempDir(), "none.zip")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// TestMutatedModels reads damaged models: typed errors, no panic, and no more memory than the file and its
// configuration justify. Half of the damage is inside an entry of a sound zip.
func TestMutatedModels(t *testing.T) {
	mutants := campaign.Count(1_000, 10_000, 100_000)
	campaign.Record(t).Add(mutants)
	small := mixed()
	small.Layers = slices.Delete(slices.Clone(small.Layers), 1, 3)
	net := newNet(t, small)
	net.SetNormalizer([]byte("normalizer"))
	good := model(t, net, SaveOptions{})
	entries := map[string][]byte{}
	z, err := dl4j.ReadModel(bytes.NewReader(good), int64(len(good)))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{dl4j.ConfigurationEntry, dl4j.ConfigurationEntry, dl4j.CoefficientsEntry, dl4j.UpdaterStateEntry}
	for _, n := range names {
		if entries[n], err = z.Bytes(n, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "good.zip")
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	every, contents := entriesOf(t, path)
	s := random.NewSource(99)
	damage := func(b []byte) []byte {
		b = bytes.Clone(b)
		for range 1 + s.Intn(3) {
			at := s.Intn(len(b))
			switch s.Intn(5) {
			case 0:
				b[at] ^= 1 << s.Intn(8)
			case 1:
				b[at] = "0123456789-.eE\"{}[]:, nN"[s.Intn(24)]
			case 2:
				b = append(b[:at], b[min(at+1+s.Intn(20), len(b)):]...)
			case 3:
				b = slices.Insert(b, at, bytes.Clone(b[at:min(at+1+s.Intn(20), len(b))])...)
			case 4:
				b = slices.Insert(b, at, []byte("9999999999")[:1+s.Intn(10)]...)
			}
			if len(b) == 0 {
				return []byte{0}
			}
		}
		return b
	}
	refused := 0
	for i := range mutants {
		b := good
		if i%2 == 0 {
			b = damage(good)
		} else {
			n := names[s.Intn(len(names))]
			damaged := slices.Clone(contents)
			damaged[slices.Index(every, n)] = damage(entries[n])
			b = storedZip(t, every, damaged)
		}
		var err error
		if took := allocated(func() { _, err = Unmarshal(b) }); took > 64<<20+4*uint64(len(b)) {
			t.Fatalf("mutant %d of %d bytes took %d bytes of memory", i, len(b), took)
		}
		if err == nil {
			continue
		}
		refused++
		var f *dl4j.FormatError
		if !errors.As(err, &f) {
			t.Fatalf("mutant %d: %T %v is not a FormatError", i, err, err)
		}
	}
	if refused < mutants/2 {
		t.Errorf("only %d of %d mutants were refused", refused, mutants)
	}
}

// allocated returns the total memory that f allocates, which is at least its peak.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
