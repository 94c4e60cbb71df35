package keras

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/npy"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
)

// cases are models saved by Keras, with their results: see testdata/README.md. DL4GO_KERAS names a directory with
// other cases.
func cases(t testing.TB) fs.FS {
	t.Helper()
	if dir := os.Getenv("DL4GO_KERAS"); dir != "" {
		return os.DirFS(dir)
	}
	return casesIn(t, "testdata/oracle.zip")
}

func casesIn(t testing.TB, name string) fs.FS {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { z.Close() })
	return z
}

func content(t testing.TB, files fs.FS, name string) []byte {
	t.Helper()
	b, err := fs.ReadFile(files, name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// loaded reads an array; nil if there is no such file.
func loaded(t testing.TB, files fs.FS, name string) *tensor.Dense {
	t.Helper()
	b, err := fs.ReadFile(files, name)
	if err != nil {
		return nil
	}
	r, err := npy.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	x, err := r.Rows(r.Shape()[0])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return x
}

// arrays reads NAME.npy, or NAME_0.npy and so on.
func arrays(t testing.TB, files fs.FS, name string) (out []*tensor.Dense) {
	t.Helper()
	if x := loaded(t, files, name+".npy"); x != nil {
		return []*tensor.Dense{x}
	}
	for i := 0; ; i++ {
		x := loaded(t, files, fmt.Sprintf("%s_%d.npy", name, i))
		if x == nil {
			return out
		}
		out = append(out, x)
	}
}

// far returns the largest |got − want| divided by the tolerance, relative·|want| + absolute.
func far(got, want []float32, relative, absolute float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	worst := 0.0
	for i := range got {
		worst = max(worst, math.Abs(float64(got[i])-float64(want[i]))/(relative*math.Abs(float64(want[i]))+absolute))
	}
	return worst
}

// TestOracle compares the networks of all files with Keras' outputs, and trained ones with Keras' further training.
func TestOracle(t *testing.T) { compareAll(t, cases(t)) }

func compareAll(t *testing.T, files fs.FS) {
	t.Helper()
	list, err := fs.Glob(files, "*/case.json")
	if err != nil || len(list) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range list {
		dir := path.Dir(name)
		for _, file := range []string{"model.keras", "model.h5"} {
			if _, err := fs.Stat(files, dir+"/"+file); err == nil {
				t.Run(dir+"/"+file, func(t *testing.T) { compare(t, files, dir, file) })
			}
		}
	}
}

func compare(t *testing.T, files fs.FS, dir, file string) {
	b := content(t, files, dir+"/"+file)
	net, err := Read(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close()
	in, want := arrays(t, files, dir+"/input"), arrays(t, files, dir+"/output")
	tolerance := 1e-5
	if dir == "dtype-mixed" {
		tolerance = 1e-2
	}
	same(t, "output", net, in, want, tolerance, tolerance)
	net = again(t, net)
	defer net.Close()
	same(t, "output after saving", net, in, want, tolerance, tolerance)
	further(t, files, dir, net)
	if want := arrays(t, files, dir+"/trained_output"); want != nil {
		same(t, "trained output", net, in, want, 1e-4, 1e-4)
	}
}

// again saves and reads a network.
func again(t *testing.T, net *nn.Network) *nn.Network {
	t.Helper()
	var b bytes.Buffer
	if err := net.Write(&b, nn.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	n, err := nn.UnmarshalNetwork(b.Bytes())
	if err != nil {
		t.Fatalf("reading what was written: %v", err)
	}
	return n
}

func same(t *testing.T, what string, net *nn.Network, in, want []*tensor.Dense, relative, absolute float64) {
	t.Helper()
	got, err := net.Output(&data.MultiDataSet{Features: in}, false)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if len(got) != len(want) {
		t.Fatalf("%s: there are %d, not %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !slices.Equal(got[i].Shape, w.Shape) {
			t.Errorf("%s %d has the shape %v, not %v", what, i, got[i].Shape, w.Shape)
		} else if d := far(got[i].Data, w.Data, relative, absolute); !(d <= 1) {
			t.Errorf("%s %d is %.3g times too far", what, i, d)
		}
	}
}

// further trains on, and compares the losses.
func further(t *testing.T, files fs.FS, dir string, net *nn.Network) {
	t.Helper()
	text, err := fs.ReadFile(files, dir+"/loss.json")
	if err != nil {
		return
	}
	var losses struct {
		Loss []float64 `json:"loss"`
	}
	if err := json.Unmarshal(text, &losses); err != nil {
		t.Fatal(err)
	}
	x, y := arrays(t, files, dir+"/train_x"), arrays(t, files, dir+"/train_y")
	step := func(all []*tensor.Dense, i int) (out []*tensor.Dense) {
		for _, a := range all {
			s := a.Shape[1:]
			out = append(out, tensor.MustOf(a.Data[i*s.Size():][:s.Size()], s...))
		}
		return out
	}
	for i, want := range losses.Loss {
		m := &data.MultiDataSet{Features: step(x, i), Labels: step(y, i)}
		for k, a := range m.Labels {
			if len(a.Shape) == 1 { // class numbers, or single outputs
				m.Labels[k] = tensor.MustOf(a.Data, a.Shape[0], 1)
			}
		}
		score, err := net.Fit(m, nn.Key{})
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		if !near.Equal(score, want, 1e-6, 2e-5) {
			t.Errorf("the loss of step %d is %.7g, not %.7g", i, score, want)
		}
	}
}

// TestMalformed: damaged or malicious files are errors that name the problem, and take little memory.
func TestMalformed(t *testing.T) {
	files := cases(t)
	for dir, want := range map[string]string{
		"code-in-config": "os.system", "external-link": "other.h5", "huge-dataset": "too many elements",
		"huge-units":   "units",
		"lambda-keras": "Lambda", "missing-weights": "model.weights.h5", "truncated-h5": "cut off", "truncated-zip": "zip",
		"unknown-class": "GatedDense", "wrong-shape": "[3 4]", "zip-bomb-config": "config.json",
	} {
		name := "malformed/" + dir + "/model.keras"
		b, err := fs.ReadFile(files, name)
		if err != nil {
			name = "malformed/" + dir + "/model.h5"
			b = content(t, files, name)
		}
		net, err := Read(bytes.NewReader(b), int64(len(b)))
		var f *dl4j.FormatError
		if !errors.As(err, &f) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v: it should say %s", dir, net, err, want)
		}
	}
}
