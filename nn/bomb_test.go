//go:build !race

// Not run under the race detector, because its own memory would count.

package nn

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
)

// zeros is a reader of n equal bytes that takes no memory.
type zeros struct {
	n     int
	value string
}

func (z *zeros) Read(b []byte) (int, error) {
	if z.n <= 0 {
		return 0, io.EOF
	}
	values := min(len(b), z.n+len(z.value)-1) / len(z.value)
	b = b[:values*len(z.value)]
	for k := copy(b, z.value); 0 < k && k < len(b); k *= 2 {
		copy(b[k:], b[:k])
	}
	z.n -= len(b)
	return len(b), nil
}

// bomb makes a zip with the compressed contents of the readers.
func bomb(t *testing.T, entries map[string]io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser,
		error) {
		return flate.NewWriter(w, flate.BestSpeed)
	})
	for _, name := range []string{dl4j.ConfigurationEntry, dl4j.CoefficientsEntry, dl4j.UpdaterStateEntry,
		dl4j.NormalizerEntry} {
		if entries[name] == nil {
			continue
		}
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(w, entries[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// claim is the file of an array whose shape claims more elements than it has.
func claim(t *testing.T, elements uint64) []byte {
	t.Helper()
	b := array(t, 3)
	at := bytes.Index(b, []byte{0, 0, 0, 0, 0, 0, 0, 3})
	if at < 0 {
		t.Fatal("no length in the array's file")
	}
	for i := range 8 {
		b[at+i] = byte(elements >> (56 - 8*i))
	}
	return b
}

// TestBombs reads model zips of a few kilobytes that claim to be large, or decompress to a lot. All are refused, and
// none takes more than 64 MiB beyond the needs of its configuration.
func TestBombs(t *testing.T) {
	net := newNet(t, Configuration{Layers: []layer.Layer{
		layer.Dense{NIn: 4, NOut: 7, Activation: activation.TanH{}},
		layer.Output{NIn: 7, NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	text, err := net.Configuration()
	if err != nil {
		t.Fatal(err)
	}
	sound := string(text)
	huge := strings.ReplaceAll(sound, `" : 7`, `" : 30000000`) // 240 million parameters, nearly 1 GB
	if huge == sound {
		t.Fatal("the configuration has no layer of 7")
	}
	params := array(t, net.NumParams())
	text3 := func(s string) io.Reader { return strings.NewReader(s) }
	raw := func(b []byte) io.Reader { return bytes.NewReader(b) }
	much := 256 << 20
	if testing.Short() {
		much = 96 << 20
	}
	for name, entries := range map[string]map[string]io.Reader{
		"huge layer, few coefficients": {dl4j.ConfigurationEntry: text3(huge), dl4j.CoefficientsEntry: raw(array(t, 3))},
		"huge layer, no coefficients":  {dl4j.ConfigurationEntry: text3(huge)},
		"coefficients claim 2^40":      {dl4j.ConfigurationEntry: text3(sound), dl4j.CoefficientsEntry: raw(claim(t, 1<<40))},
		"coefficients claim the huge layer's": {dl4j.ConfigurationEntry: text3(huge),
			dl4j.CoefficientsEntry: raw(claim(t, 240_000_003))},
		"state claims 2^40": {dl4j.ConfigurationEntry: text3(sound), dl4j.CoefficientsEntry: raw(params),
			dl4j.UpdaterStateEntry: raw(claim(t, 1<<40))},
		"long coefficients": {dl4j.ConfigurationEntry: text3(sound),
			dl4j.CoefficientsEntry: io.MultiReader(raw(params), &zeros{much, "\x00"})},
		"configuration of blanks":     {dl4j.ConfigurationEntry: &zeros{much, " "}},
		"configuration, deep":         {dl4j.ConfigurationEntry: &zeros{4 << 20, "["}},
		"configuration, deep members": {dl4j.ConfigurationEntry: &zeros{4 << 20, `{"a":`}},
		"configuration, long list": {dl4j.ConfigurationEntry: io.MultiReader(text3("[0"),
			&zeros{4<<20 - 8, ",0"}, text3("]"))},
		"configuration, many objects": {dl4j.ConfigurationEntry: io.MultiReader(text3("[0"),
			&zeros{4<<20 - 8, ",{}"}, text3("]"))},
		"configuration, many names": {dl4j.ConfigurationEntry: io.MultiReader(text3("[0"),
			&zeros{4<<20 - 80, `,{"a":0}`}, text3("]"))},
		"configuration, one string": {dl4j.ConfigurationEntry: io.MultiReader(text3(`["`),
			&zeros{4<<20 - 8, `\n`}, text3(`"]`))},
		"long normalizer": {dl4j.ConfigurationEntry: text3(sound), dl4j.CoefficientsEntry: raw(params),
			dl4j.NormalizerEntry: &zeros{much, "\x00"}},
	} {
		b := bomb(t, entries)
		var err error
		if took := allocated(func() { _, err = Unmarshal(b) }); took > 64<<20+4*uint64(len(b)) {
			t.Errorf("%s: reading %d bytes took %d", name, len(b), took)
		}
		var f *dl4j.FormatError
		if !errors.As(err, &f) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 300 {
			t.Errorf("%s: %T %.400v", name, err, err)
		}
	}

	// A file's length in the zip's directory is not reliable either.
	b := bomb(t, map[string]io.Reader{dl4j.ConfigurationEntry: text3(sound), dl4j.CoefficientsEntry: raw(params),
		dl4j.NormalizerEntry: &zeros{maxNormalizer, "\x00"}})
	if took := allocated(func() { _, err = Unmarshal(b) }); err != nil || took > 64<<20+4*uint64(len(b)) {
		t.Errorf("the largest normalizer: %v, %d bytes", err, took)
	}
}
