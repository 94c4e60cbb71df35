package threshold

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/near"
)

// oracleVector returns the vector that the oracle's messages were made from.
func oracleVector(seed uint64, n int, scale float32) []float32 {
	x := make([]float32, n)
	for i := range x {
		z := seed + uint64(i+1)*0x9E3779B97F4A7C15
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		z ^= z >> 31
		a := float32(z>>40)*0x1p-23 - 1
		b := a * a
		b = b * a
		x[i] = b * scale
	}
	return x
}

func sum[T float32 | int32](x []T) string {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, x); err != nil {
		panic(err)
	}
	h := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(h[:])
}

func oracleFile[T float32 | int32](t *testing.T, name string) []T {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/oracle", name))
	if err != nil {
		t.Fatal(err)
	}
	x := make([]T, len(b)/4)
	if _, err := binary.Decode(b, binary.LittleEndian, x); err != nil {
		t.Fatal(err)
	}
	return x
}

func manifest(t *testing.T, name string, v any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/oracle", name, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}

// coders runs a test with each variant of the kernels, on one thread and on three.
func coders(t *testing.T, f func(t *testing.T, c *Coder)) {
	for _, v := range kernel.Available() {
		for _, threads := range []int{1, 3} {
			t.Run(fmt.Sprintf("%v-%d", v, threads), func(t *testing.T) {
				c := newCoder(threads, v)
				defer c.Close()
				f(t, c)
			})
		}
	}
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %s, Deeplearning4j has %s", what, got, want)
	}
}

// TestMessagesOfDeeplearning4j checks that messages, residuals and decoded vectors have the oracle's bits.
func TestMessagesOfDeeplearning4j(t *testing.T) {
	cases, _ := filepath.Glob("testdata/oracle/*-n*")
	if len(cases) != 11 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, path := range cases {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			coders(t, func(t *testing.T, c *Coder) { messageOfDeeplearning4j(t, name, c) })
		})
	}
}

func messageOfDeeplearning4j(t *testing.T, name string, c *Coder) {
	var f struct {
		Mode             string
		Length           int
		Seed             uint64
		Scale            float32
		Threshold        float64
		Boundary         int
		Input            string  `json:"input_sha256"`
		Residual         string  `json:"residual_sha256"`
		Count            int     `json:"returned_count"`
		Encoded          string  `json:"encoded_sha256"`
		Decoded          string  `json:"decoded_sha256"`
		DecodedOntoSeed  uint64  `json:"decoded_onto_seed"`
		DecodedOntoScale float32 `json:"decoded_onto_scale"`
		DecodedOnto      string  `json:"decoded_onto_sha256"`
	}
	manifest(t, name, &f)
	x := oracleVector(f.Seed, f.Length, f.Scale)
	want(t, "input", sum(x), f.Input)
	var m Message
	m.Reset(f.Length)
	if f.Mode == "bitmap" {
		c.bitmap(&m, x, nil, float32(f.Threshold))
		if m.Count != f.Count {
			t.Errorf("%d values, Deeplearning4j has %d", m.Count, f.Count)
		}
	} else if hits := c.find(x, nil, float32(f.Threshold), 0); hits >= 2 {
		c.take(&m, x, float32(f.Threshold), f.Boundary)
	}
	want(t, "residual", sum(x), f.Residual)
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
	words := m.AppendJava(nil)
	if f.Encoded == "" {
		if m.Form != Empty || len(words) != 0 {
			t.Errorf("%v message, Deeplearning4j has none", m.Form)
		}
		return
	}
	theirs := oracleFile[int32](t, name+"/encoded.i32")
	want(t, "fixture", sum(theirs), f.Encoded)
	if !slices.Equal(words, theirs) {
		t.Errorf("message of %d words differs from Deeplearning4j's of %d", len(words), len(theirs))
	}
	var read Message
	if err := read.ReadJava(theirs, f.Length); err != nil {
		t.Fatal(err)
	}
	sameMessage(t, &read, &m)
	var wired Message
	if err := wired.ReadWire(read.AppendWire(nil), f.Length); err != nil {
		t.Fatal(err)
	}
	sameMessage(t, &wired, &m)
	decoded := make([]float32, f.Length)
	if err := c.Add(&wired, decoded); err != nil {
		t.Fatal(err)
	}
	want(t, "decoded", sum(decoded), f.Decoded)
	decoded = oracleVector(f.DecodedOntoSeed, f.Length, f.DecodedOntoScale)
	if err := c.Add(&read, decoded); err != nil {
		t.Fatal(err)
	}
	want(t, "decoded onto", sum(decoded), f.DecodedOnto)
}

// values returns the values that a message lists, in either way.
func values(m *Message) (all [][2]float64) {
	for i, v := range m.All() {
		all = append(all, [2]float64{float64(i), float64(v)})
	}
	return all
}

func sameMessage(t *testing.T, got, want *Message) {
	t.Helper()
	if got.Form != want.Form || got.Length != want.Length || got.Count != want.Count ||
		math.Float32bits(got.Threshold) != math.Float32bits(want.Threshold) ||
		!slices.Equal(got.Sections, want.Sections) || !slices.Equal(got.Multiples, want.Multiples) ||
		!slices.Equal(values(got), values(want)) {
		t.Errorf("message of %v, %d parameters, %d values, threshold %g\nwant       %v, %d parameters, %d values, "+
			"threshold %g",
			got.Form, got.Length, got.Count, got.Threshold, want.Form, want.Length, want.Count, want.Threshold)
	}
}

// TestEdgeValuesOfDeeplearning4j tests values at, next to and at half the threshold, of either sign.
func TestEdgeValuesOfDeeplearning4j(t *testing.T) {
	var f struct {
		Threshold  float32
		Sparse     []int32 `json:"threshold_encoded"`
		Bitmap     []int32 `json:"bitmap_encoded"`
		BitmapSize int     `json:"bitmap_count"`
	}
	manifest(t, "edge-values", &f)
	coders(t, func(t *testing.T, c *Coder) {
		x := oracleFile[float32](t, "edge-values/input.f32")
		var m Message
		c.find(x, nil, f.Threshold, 0)
		c.take(&m, x, f.Threshold, len(x))
		if got := m.AppendJava(nil); !slices.Equal(got, f.Sparse) {
			t.Errorf("sparse: %v\nwant    %v", got, f.Sparse)
		}
		if want := oracleFile[float32](t, "edge-values/threshold_residual.f32"); !slices.Equal(x, want) {
			t.Errorf("residual of the sparse message: %v\nwant %v", x, want)
		}
		x = oracleFile[float32](t, "edge-values/input.f32")
		c.bitmap(&m, x, nil, f.Threshold)
		if got := m.AppendJava(nil); !slices.Equal(got, f.Bitmap) || m.Count != f.BitmapSize {
			t.Errorf("bitmap: %d %v\nwant   %d %v", m.Count, got, f.BitmapSize, f.Bitmap)
		}
		if want := oracleFile[float32](t, "edge-values/bitmap_residual.f32"); !slices.Equal(x, want) {
			t.Errorf("residual of the bitmap: %v\nwant %v", x, want)
		}
		decoded := make([]float32, len(x))
		if err := c.Add(&m, decoded); err != nil {
			t.Error(err)
		}
		if want := oracleFile[float32](t, "edge-values/bitmap_decoded.f32"); !slices.Equal(decoded, want) {
			t.Errorf("decoded bitmap: %v\nwant %v", decoded, want)
		}
	})
}

// TestResidualClippingOfDeeplearning4j checks the effect of clipping in each iteration.
func TestResidualClippingOfDeeplearning4j(t *testing.T) {
	var f struct {
		Multiple  float64
		Frequency int32
		Threshold float64
		Sums      []string `json:"sha_by_iteration"`
	}
	manifest(t, "residual-clipping", &f)
	p := ResidualClipping{ThresholdMultiple: f.Multiple, Frequency: f.Frequency}
	if p != NewResidualClipping() {
		t.Errorf("the oracle's is %+v", p)
	}
	coders(t, func(t *testing.T, c *Coder) {
		for i, s := range f.Sums {
			x := oracleFile[float32](t, "residual-clipping/input.f32")
			removed := p.Process(c, i, 0, f.Threshold, x)
			want(t, fmt.Sprintf("iteration %d", i), sum(x), s)
			if s == f.Sums[0] != (removed.Count == 0) {
				t.Errorf("iteration %d: %+v removed", i, removed)
			}
		}
	})
}

// trace returns the rows of a case, split into fields, without the header.
func trace(t *testing.T, name string) [][]string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/oracle", name, "trace.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		if line := s.Text(); !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(line, "\t"))
		}
	}
	if len(rows) < 100 {
		t.Fatalf("%d rows", len(rows))
	}
	return rows
}

// number reads a number of a trace. null is NaN.
func number(t *testing.T, s string) float64 {
	t.Helper()
	if s == "null" {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func sameNumber(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// TestAlgorithmTracesOfDeeplearning4j checks that the thresholds after given sparsities are the same to the bit.
func TestAlgorithmTracesOfDeeplearning4j(t *testing.T) {
	for name, a := range map[string]Algorithm{
		"trace-adaptive-default":       Default(),
		"trace-targetsparsity-default": NewTargetSparsity(1e-3),
	} {
		state := a.Start()
		for _, row := range trace(t, name) {
			step := Step{LastThreshold: number(t, row[1]), LastDense: row[2] == "true", LastSparsity: number(t, row[3])}
			if got, want := a.Threshold(&state, &step), number(t, row[4]); got != want {
				t.Fatalf("%s, iteration %s: %v, want %v", name, row[0], got, want)
			}
		}
	}
}

// TestHandlerTracesOfDeeplearning4j compares the message, residual and state after each step.
func TestHandlerTracesOfDeeplearning4j(t *testing.T) {
	for name, a := range map[string]Algorithm{
		"handler-adaptive":    Default(),
		"handler-fixed-dense": Fixed{T: 0.001},
		"handler-switch":      Fixed{T: 0.003},
	} {
		t.Run(name, func(t *testing.T) {
			coders(t, func(t *testing.T, c *Coder) { handlerTrace(t, name, a, c) })
		})
	}
}

func handlerTrace(t *testing.T, name string, a Algorithm, c *Coder) {
	var f struct {
		Length int
		Seed   uint64 `json:"base_seed"`
		Scale  float32
	}
	manifest(t, name, &f)
	e, err := NewEncoder(c, f.Length, a, NewResidualClipping(), Options{Compatible: true, Ledger: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range trace(t, name) {
		scale := f.Scale
		if name == "handler-switch" && i >= 40 && i < 60 {
			scale *= 50
		}
		m, err := e.Encode(i, 0, oracleVector(f.Seed+uint64(i), f.Length, scale))
		if err != nil {
			t.Fatal(err)
		}
		form := map[Form]string{Empty: "none", Sparse: "threshold", Bitmap: "bitmap"}[m.Form]
		words, hash := m.AppendJava(nil), "-"
		if len(words) > 0 {
			hash = sum(words)
		}
		s := e.State()
		sparsity := row[7]
		if !sameNumber(s.LastThreshold, number(t, row[1])) || form != row[2] ||
			strconv.Itoa(len(words)) != row[3] || hash != row[4] ||
			sum(e.Residual()) != row[5] || strconv.FormatBool(s.Bitmaps) != row[6] ||
			!sameNumber(s.LastSparsity, number(t, sparsity)) || strconv.FormatBool(s.LastDense) != row[8] {
			t.Fatalf("iteration %d: threshold %v, %s message of %d words (%s), residual %s, bitmaps %v, sparsity %v, dense "+
				"%v\nwant %v",
				i, s.LastThreshold, form, len(words), hash, sum(e.Residual()), s.Bitmaps, s.LastSparsity, s.LastDense, row)
		}
	}
	conserved(t, e)
	if lost := e.Totals().Lost.Count > 0; lost != (name == "handler-switch") {
		t.Errorf("lost: %+v", e.Totals().Lost)
	}
}

// conserved checks the ledger of each parameter.
func conserved(t *testing.T, e *Encoder) {
	t.Helper()
	l := e.Ledger()
	for i, r := range e.Residual() {
		out := l.Sent[i] + l.Clipped[i] + l.Lost[i] + l.Dropped[i] + float64(r)
		if !near.Equal(out, l.Updates[i], 1e-5*l.Magnitude[i], 0) {
			t.Fatalf("parameter %d: updates %g, sent %g, clipped %g, lost %g, dropped %g, residual %g: %g apart", i,
				l.Updates[i], l.Sent[i],
				l.Clipped[i], l.Lost[i], l.Dropped[i], r, out-l.Updates[i])
		}
	}
}
