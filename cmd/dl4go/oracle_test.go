package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
)

// oracleCase is a network of the real Deeplearning4j; testdata/oracle/README.md describes its files.
type oracleCase struct {
	ModelType      string `json:"model_type"`
	Dataset        string
	Outputs        []string
	ScoreInference json.RawMessage `json:"score_inference"`
	FitScores      []any           `json:"fit_scores"`
	Files          map[string]struct {
		File  string
		Shape []int
	}
	dir string
}

// TestOracle applies the commands to each case of the real Deeplearning4j: predict and score agree with it, and train
// does the same as nn, which nn's TestOracle compares. With -short, it tests every fourth case. The environment
// variable DL4GO_ORACLE names another folder of cases.
func TestOracle(t *testing.T) {
	manifests, err := filepath.Glob(filepath.Join(cmp.Or(os.Getenv("DL4GO_ORACLE"), "../../testdata/oracle/nets"), "*",
		"manifest.json"))
	if err != nil || len(manifests) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for i, m := range manifests {
		if testing.Short() && i%4 != 0 {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(m)), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(m)
			if err != nil {
				t.Fatal(err)
			}
			c := oracleCase{dir: filepath.Dir(m)}
			if err := json.Unmarshal(text, &c); err != nil {
				t.Fatal(err)
			}
			c.predicts(t)
			if c.ScoreInference != nil {
				c.scores(t)
			}
			if c.FitScores != nil {
				c.trains(t)
			}
		})
	}
}

// command runs dl4go on the case's model and data, and returns its output.
func (c *oracleCase) command(t *testing.T, name string, flags ...string) string {
	t.Helper()
	root := rootCommand()
	var out, warnings bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&warnings)
	root.SetArgs(append([]string{name, "--model", filepath.Join(c.dir, "model.zip"), "--data", "dl4j:" +
		filepath.Join(c.dir, c.Dataset)}, flags...))
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%s %q: %v", name, flags, err)
	}
	return out.String()
}

func (c *oracleCase) predicts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.npy")
	c.command(t, "predict", "--output", path)
	for i, name := range c.Outputs {
		file := path
		if len(c.Outputs) > 1 {
			file = strings.TrimSuffix(path, ".npy") + "." + name + ".npy"
		}
		c.compare(t, file, "output_"+strconv.Itoa(i))
	}
	if c.Outputs == nil {
		c.compare(t, path, "output")
	}
}

// compare compares a .npy file with an array of the case.
func (c *oracleCase) compare(t *testing.T, path, name string) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join(c.dir, c.Files[name].File))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := bytes.IndexByte(b, '\n') + 1
	shape := "(" + strings.Trim(strings.ReplaceAll(strings.Join(strings.Fields(strings.Trim(jsonOf(c.Files[name].Shape),
		"[]")), ""), ",", ", "), " ")
	if !bytes.Contains(b[:end], []byte(shape)) {
		t.Errorf("%s: %s, want the shape %v", name, b[10:end], c.Files[name].Shape)
	}
	if err := near.All(singles(b[end:]), singles(want), 1e-5, 1e-4); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func (c *oracleCase) scores(t *testing.T) {
	var last struct {
		Event string
		Score float64
	}
	lines := strings.Split(strings.TrimSpace(c.command(t, "score", "--regularization", "--json")), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Event != "done" {
		t.Fatalf("%v: %s", err, lines)
	}
	var want float64
	if err := json.Unmarshal(c.ScoreInference, &want); err != nil {
		t.Fatal(err)
	}
	if !near.Equal(last.Score, want, 1e-7, 1e-4) {
		t.Errorf("the score is %v, want %v", last.Score, want)
	}
}

// trains does as many fits as the case, in one run and with an interruption after the first.
func (c *oracleCase) trains(t *testing.T) {
	net, err := nn.LoadNetwork(t.Context(), filepath.Join(c.dir, "model.zip"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := data.ReadFile(t.Context(), filepath.Join(c.dir, c.Dataset))
	if err != nil {
		t.Fatal(err)
	}
	key := nn.Key{Seed: uint64(net.Seed())}
	for fit := range c.FitScores {
		key.Epoch = paramavg.Pass(0, fit)
		if _, err := net.Fit(m, key); err != nil {
			t.Fatal(err)
		}
		if n := fit + 1; n == 1 || n == len(c.FitScores) {
			c.trainsSo(t, n, net)
		}
	}
}

func (c *oracleCase) trainsSo(t *testing.T, fits int, want *nn.Network) {
	saved := filepath.Join(t.TempDir(), "model.zip")
	c.command(t, "train", "--training", "plain", "--iterations", strconv.Itoa(fits), "--save", saved)
	got, err := nn.LoadNetwork(t.Context(), saved)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Params(), want.Params()) {
		t.Errorf("the parameters after %d fits are not nn's: %v", fits, near.All(got.Params(), want.Params(), 0, 0))
	}
	if !slices.Equal(got.UpdaterState(), want.UpdaterState()) {
		t.Errorf("the updater state after %d fits is not nn's: %v", fits, near.All(got.UpdaterState(), want.UpdaterState(), 0,
			0))
	}
	if got.Iteration() != want.Iteration() || got.Epoch() != want.Epoch() {
		t.Errorf("iteration %d, epoch %d after %d fits, want %d and %d", got.Iteration(), got.Epoch(), fits, want.Iteration(),
			want.Epoch())
	}
}

func jsonOf(v any) string { b, _ := json.Marshal(v); return string(b) }

func singles(b []byte) []float32 {
	x := make([]float32, len(b)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return x
}
