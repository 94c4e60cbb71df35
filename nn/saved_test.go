package nn

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/near"
)

// savedModels is the folder of models that several versions of Deeplearning4j saved, and of networks with other types
// than FLOAT; see testdata/oracle/README.md. The environment variable DL4GO_SAVED names another folder.
func savedModels() string {
	if dir := os.Getenv("DL4GO_SAVED"); dir != "" {
		return dir
	}
	return filepath.Join("..", "testdata", "oracle", "saved")
}

// savedCase is one model, with results of the version that wrote it.
type savedCase struct{ dir, version, name string }

func savedCases(t testing.TB) []savedCase {
	files, err := filepath.Glob(filepath.Join(savedModels(), "*", "*", "model.zip"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no models in %s: %v", savedModels(), err)
	}
	var cases []savedCase
	for _, f := range files {
		dir := filepath.Dir(f)
		cases = append(cases, savedCase{dir, filepath.Base(filepath.Dir(dir)), filepath.Base(dir)})
	}
	return cases
}

// floats reads an array; nil if there is none.
func (c savedCase) floats(t *testing.T, name string) []float32 {
	b, err := os.ReadFile(filepath.Join(c.dir, name+".f32"))
	if os.IsNotExist(err) {
		return nil
	} else if err != nil {
		t.Fatal(err)
	}
	x := make([]float32, len(b)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return x
}

// differ returns the largest difference beyond a relative tolerance.
func differ(got, want []float32, relative float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	most := 0.0
	for i, w := range want {
		if d := math.Abs(float64(got[i]-w)) - relative*math.Abs(float64(w)); d > most || math.IsNaN(d) {
			most = d
		}
	}
	return most
}

func TestSavedModelsGiveTheOutputsOfTheirVersion(t *testing.T) {
	for _, c := range savedCases(t) {
		t.Run(c.version+"/"+c.name, func(t *testing.T) {
			net, err := LoadNetwork(t.Context(), filepath.Join(c.dir, "model.zip"))
			if err != nil {
				t.Fatal(err)
			}
			defer net.Close()
			m, err := data.ReadFile(t.Context(), filepath.Join(c.dir, "dataset.bin"))
			if err != nil {
				t.Fatal(err)
			}
			if b := net.Normalizer(); b != nil {
				by, err := data.ReadNormalizer(bytes.NewReader(b), int64(len(b)))
				if err == nil {
					err = by.Transform(m)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			tolerance := 2e-5
			if strings.HasSuffix(c.version, "HALF") {
				tolerance = 5e-3
			}
			c.outputs(t, net, m, tolerance)
			c.rewritten(t, net, m, tolerance)
			c.trains(t, net, m)
		})
	}
}

// outputs compares outputs and score.
func (c savedCase) outputs(t *testing.T, net *Network, m *data.MultiDataSet, tolerance float64) {
	t.Helper()
	out, err := net.Output(m, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range out {
		name := "output"
		if net.isGraph() {
			name = fmt.Sprintf("output_%d", i)
		}
		want := c.floats(t, name)
		if d := differ(o.Data, want, 2e-4); d > tolerance {
			t.Errorf("output %d differs by %g:\n%v, want\n%v", i, d, o.Data, want)
		}
	}
	text, err := os.ReadFile(filepath.Join(c.dir, "score.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil || math.IsNaN(want) {
		return
	}
	got, err := net.Score(m, false)
	if err == nil && c.summed() { // that version divided the penalty by the minibatch's size, too
		var penalty float64
		penalty, err = net.Penalty()
		got += penalty/float64(m.Examples()) - penalty
	}
	if err != nil || !near.Equal(got, want, tolerance+1e-4*want, 0) {
		t.Errorf("score %v (%v), want %v", got, err, want)
	}
}

// summed reports whether the version applied its updaters to sums of gradients and divided the updates by the
// minibatch's size.
func (c savedCase) summed() bool {
	return slices.Contains([]string{"0.9.1", "1.0.0-alpha", "1.0.0-beta2"}, c.version)
}

// rewritten checks that saving the model writes the present format and the same network.
func (c savedCase) rewritten(t *testing.T, net *Network, m *data.MultiDataSet, tolerance float64) {
	t.Helper()
	entries, err := net.Entries(SaveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.zip")
	if err := net.Save(t.Context(), path, SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	again, err := LoadNetwork(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if n := again.Notices(); len(n) > 0 {
		t.Errorf("what was saved is read with notices: %q", n)
	}
	c.outputs(t, again, m, tolerance)
	for i, e := range entries {
		var first, second bytes.Buffer
		more, err := again.Entries(SaveOptions{})
		if err == nil {
			err = e.Write(&first)
		}
		if err == nil {
			err = more[i].Write(&second)
		}
		if err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s changes when it is read and saved again (%v)", e.Name, err)
		}
	}
}

// trains compares the next step. A version that works on sums of gradients takes the same step if the updater is
// linear; its state is larger by the number of examples.
func (c savedCase) trains(t *testing.T, net *Network, m *data.MultiDataSet) {
	t.Helper()
	params, state := c.floats(t, "params_after_1"), c.floats(t, "state_after_1")
	if params == nil || c.summed() && c.name != "cnn" && c.name != "graph" {
		return
	}
	scale := float32(1)
	if c.summed() {
		scale = float32(m.Examples())
	}
	s := net.UpdaterState()
	for i := range s {
		s[i] /= scale
	}
	if _, err := net.Fit(m, Key{}); err != nil {
		t.Fatal(err)
	}
	for i := range s {
		s[i] *= scale
	}
	tolerance := 3e-5
	if strings.HasSuffix(c.version, "HALF") {
		tolerance = 2e-3
	}
	if d, e := differ(net.Params(), params, 1e-3), differ(s, state, 1e-3); d > tolerance || e > tolerance {
		t.Errorf("after a step parameters differ by %g, state by %g", d, e)
	}
}
