package nn

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/tensor"
)

// oracleNets is the folder of network cases made by the real Deeplearning4j; see testdata/oracle/README.md. The
// environment variable DL4GO_ORACLE names another folder of such cases.
func oracleNets() string {
	if dir := os.Getenv("DL4GO_ORACLE"); dir != "" {
		return dir
	}
	return filepath.Join("..", "testdata", "oracle", "nets")
}

// oracleMended lists the cases where Deeplearning4j's training has a defect that dl4go does not copy. Their outputs
// and scores are compared, but not their training.
var oracleMended = map[string]string{
	"act-elu-alpha":          "Deeplearning4j's ELU ignores alpha in its backward pass",
	"frozen-backprop-l2":     "Deeplearning4j's regularisation moves the parameters of a FrozenLayerWithBackprop",
	"conf-dropout-schedules": "training draws from Deeplearning4j's random generator",
	"constraints-twice":      "Deeplearning4j applies constraints twice, which shows with a rate",
	"selfattention":          "Deeplearning4j doubles the gradients of layers on SameDiff",
	"selfattention-mask":     "Deeplearning4j doubles the gradients of layers on SameDiff",
	"conf-dropout":           "training draws from Deeplearning4j's random generator",
	"tbptt":                  "Deeplearning4j goes back from a zero state in each segment",
	"graph-tbptt":            "Deeplearning4j goes back from a zero state in each segment",
	"depthwise-l2-quirk":     "Deeplearning4j regularises the bias and a part of the weights of a depthwise convolution",
	"rnn-tbptt-mask":         "Deeplearning4j goes back from a zero state in each segment",
	"ocnn":                   "Deeplearning4j's gradient below OCNNOutputLayer is not that of its score",
	"rnn-maskzero":           "Deeplearning4j's gradient is not that of its score",
	"losslayer-mse":          "Deeplearning4j overwrites the loss layer's input before it computes the training score",
	"capsnet":                "Deeplearning4j doubles the gradients of layers on SameDiff",
	"primary-leaky":          "Deeplearning4j doubles the gradients of layers on SameDiff",
	"lc1":                    "Deeplearning4j doubles the gradients below layers on SameDiff",
	"lc2-same":               "Deeplearning4j doubles the gradients below layers on SameDiff",
	"locallyconnected-l2":    "Deeplearning4j doubles the gradients below layers on SameDiff",

	"attention-vertex":          "Deeplearning4j doubles the gradients of vertices on SameDiff",
	"attention-vertex-mask":     "Deeplearning4j doubles the gradients of vertices on SameDiff",
	"recurrent-attention":       "Deeplearning4j doubles the gradients of layers on SameDiff",
	"recurrent-attention-mask":  "Deeplearning4j doubles the gradients of layers on SameDiff",
	"recurrent-attention-plain": "Deeplearning4j doubles the gradients of layers on SameDiff",
}

// oracleNoisy are cases where biases before batch normalisation have no gradient except rounding errors, which Adam
// magnifies. These biases, and the means that follow them, are not compared after training.
var oracleNoisy = map[string]bool{"graph-resnet-block": true}

// oracleSteep are cases whose updater divides gradients by their own size in large steps, so that rounding errors
// become errors of the parameters: see TestOracleNadam.
var oracleSteep = map[string]bool{"updater-nadam": true}

type oracleCase struct {
	Name            string
	ModelType       string    `json:"model_type"`
	ScoreInference  float64   `json:"score_inference"`
	ScoreTraining   float64   `json:"score_training"`
	FitScores       []float64 `json:"fit_scores"`
	IterationsAfter int       `json:"iteration_count_after"`
	ModelAfter      string    `json:"model_after"`
	Note            string
	ParamTable      []oracleParam `json:"param_table"`
	Files           map[string]struct {
		File  string
		Shape []int
	}
	dir string
}

type oracleParam struct {
	Key    string
	Shape  []int
	Order  string
	Offset int
	Length int
}

// read reads the manifest in the case's folder.
func (c *oracleCase) read(t *testing.T) {
	path := filepath.Join(c.dir, "manifest.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, c); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func (c *oracleCase) array(t *testing.T, name string) *tensor.Dense {
	f, ok := c.Files[name]
	if !ok {
		return nil
	}
	d := &tensor.Dense{Shape: f.Shape, Data: floats(t, filepath.Join(c.dir, f.File))}
	if len(d.Data) != d.Shape.Size() {
		t.Fatalf("%s: %d numbers for the shape %v", f.File, len(d.Data), f.Shape)
	}
	return d
}

// floats reads a file of little-endian floats.
func floats(t *testing.T, path string) []float32 {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float32, len(b)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return x
}

func (c *oracleCase) data(t *testing.T) *data.MultiDataSet {
	if c.graph() {
		m := &data.MultiDataSet{}
		for i := 0; c.array(t, fmt.Sprintf("features_%d", i)) != nil; i++ {
			m.Features = append(m.Features, c.array(t, fmt.Sprintf("features_%d", i)))
		}
		for i := 0; c.array(t, fmt.Sprintf("labels_%d", i)) != nil; i++ {
			m.Labels = append(m.Labels, c.array(t, fmt.Sprintf("labels_%d", i)))
		}
		m.FeatureMasks = c.masks(t, "features_mask_", len(m.Features))
		m.LabelMasks = c.masks(t, "labels_mask_", len(m.Labels))
		return m
	}
	d := &data.DataSet{Features: c.array(t, "features"), Labels: c.array(t, "labels"),
		FeatureMask: c.array(t, "features_mask"), LabelMask: c.array(t, "labels_mask")}
	return d.Multi()
}

// masks returns n masks, nil for a missing one; it returns nil if there are none.
func (c *oracleCase) masks(t *testing.T, name string, n int) []*tensor.Dense {
	masks, some := make([]*tensor.Dense, n), false
	for i := range masks {
		masks[i] = c.array(t, name+strconv.Itoa(i))
		some = some || masks[i] != nil
	}
	if !some {
		return nil
	}
	return masks
}

func (c *oracleCase) graph() bool { return c.ModelType == "ComputationGraph" }

// oracleDevice moves networks to a device if the tests run on one.
var oracleDevice = func(*Network) {}

// oracleBeside compares score and gradient on a device with those on the processor, if the tests run on one.
var oracleBeside = func(*testing.T, *oracleCase, float64, []float32) {}

func oracleLoad(t *testing.T, path string) *Network {
	net, err := LoadNetwork(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	oracleDevice(net)
	t.Cleanup(net.Close)
	return net
}

// oracleClose compares within abs + rel·|want|. skip says which elements are exempt.
func oracleClose(t *testing.T, what string, got, want []float32, abs, rel float64, skip func(i int) bool) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
		return
	}
	worst, at := 0.0, -1
	for i := range want {
		g, w := float64(got[i]), float64(want[i])
		if skip != nil && skip(i) || g == w {
			continue
		}
		if off := math.Abs(g-w) / (abs + rel*math.Abs(w)); worst == worst && max(worst, off) != worst { // also if it is NaN
			worst, at = off, i
		}
	}
	if !(worst <= 1) {
		t.Errorf("%s: element %d is %v, want %v: %.3g times the tolerance", what, at, got[at], want[at], worst)
	}
}

func oracleScore(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !near.Equal(got, want, 1e-7, 1e-4) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestOracle compares every case of the real Deeplearning4j: outputs, activations, scores, gradient, parameters and
// updater state after one step and five, and the files.
func TestOracle(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(oracleNets(), "*", "manifest.json"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no cases in %s: %v", oracleNets(), err)
	}
	for _, m := range dirs {
		c := oracleCase{dir: filepath.Dir(m)}
		c.read(t)
		t.Run(filepath.Base(c.dir), func(t *testing.T) {
			oracleInference(t, &c)
			if reason := oracleMended[c.Name]; reason != "" {
				t.Logf("training not compared: %s", reason)
				return
			}
			if c.FitScores == nil {
				return // a case of inference only
			}
			oracleTraining(t, &c)
		})
	}
}

func oracleInference(t *testing.T, c *oracleCase) {
	conf, err := os.ReadFile(filepath.Join(c.dir, "conf.json"))
	if err != nil {
		t.Fatal(err)
	}
	net := oracleLoad(t, filepath.Join(c.dir, "model.zip"))
	written, err := net.Configuration()
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != string(conf) {
		t.Errorf("the configuration is written as\n%s\nwant\n%s", firstDifference(string(written), string(conf)), "")
	}
	oracleClose(t, "parameters", net.Params(), c.array(t, "params_before").Data, 0, 0, nil)
	table := net.ParamTable()
	if len(table) != len(c.ParamTable) {
		t.Fatalf("%d parameters, want %d", len(table), len(c.ParamTable))
	}
	// Deeplearning4j's table of depthwise and separable convolutions has another order than the vector.
	slices.SortStableFunc(c.ParamTable, func(a, b oracleParam) int { return cmp.Compare(a.Offset, b.Offset) })
	for i, p := range table {
		w := c.ParamTable[i]
		if p.Key != w.Key || !p.Shape.Equal(w.Shape) || p.Offset != w.Offset || p.Size != w.Length || len(w.Shape) > 1 &&
			string(p.Order) != w.Order {
			t.Errorf("parameter %d is %+v, want %+v", i, p, w)
		}
	}
	d := c.data(t)
	if err := net.Check(d); err != nil {
		t.Errorf("check: %v", err)
	}
	out, err := net.Output(d, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range out {
		name := "output"
		if c.graph() {
			name = fmt.Sprintf("output_%d", i)
		}
		oracleClose(t, name, out[i].Data, c.array(t, name).Data, 1e-5, 1e-4, nil)
	}
	acts, err := net.FeedForward(d, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range acts {
		name := strconv.Itoa(i)
		if net.isGraph() {
			name = net.nodes[i].name
		}
		want := c.array(t, "act_"+name)
		if want == nil {
			t.Fatalf("no activations of layer %d", i)
		}
		if !a.Shape.Equal(want.Shape) && !(len(want.Shape) == 1 && a.Shape.Equal(tensor.Shape{want.Shape[0], 1})) {
			t.Errorf("activations of layer %d have the shape %v, want %v", i, a.Shape, want.Shape)
		}
		for k, nd := range net.nodes {
			switch nd.layer.(type) {
			case layer.Activate, layer.PReLU:
				if nd.in[0] == i {
					a = acts[k] // Deeplearning4j's layer works in place, which shows in the recorded array
				}
			}
		}
		oracleClose(t, fmt.Sprintf("activations of layer %d", i), a.Data, want.Data, 1e-5, 1e-4, nil)
	}
	score, err := net.Score(d, false)
	if err != nil {
		t.Fatal(err)
	}
	oracleScore(t, "the score in inference", score, c.ScoreInference)
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return fmt.Sprintf("line %d: %s; want %s", i+1, g[i], slices.Concat(w[i:], []string{"(end)"})[0])
		}
	}
	return "the end is missing"
}

func oracleTraining(t *testing.T, c *oracleCase) {
	net := oracleLoad(t, filepath.Join(c.dir, "model.zip"))
	d := c.data(t)
	score, gradient, err := net.Gradient(d, Key{})
	if err != nil {
		t.Fatal(err)
	}
	oracleScore(t, "the score in training", score, c.ScoreTraining)
	oracleClose(t, "gradient", gradient, c.array(t, "gradient").Data, 1e-6, 1e-4, nil)
	oracleBeside(t, c, score, gradient)
	largest := 0.0
	for _, g := range gradient {
		largest = max(largest, math.Abs(float64(g)))
	}
	tiny := make([]bool, len(gradient))
	for i, g := range gradient {
		tiny[i] = math.Abs(float64(g)) < 1e-6*largest
	}
	if oracleNoisy[c.Name] {
		for _, p := range net.ParamTable() {
			if p.Kind == layer.Bias || strings.HasSuffix(p.Key, "_mean") {
				for i := range p.Size {
					tiny[p.Offset+i] = true
				}
			}
		}
	}
	skip := func(i int) bool { return tiny[i] }
	for step := range c.FitScores {
		score, err := net.Fit(d, Key{})
		if err != nil {
			t.Fatal(err)
		}
		oracleScore(t, fmt.Sprintf("the score of step %d", step+1), score, c.FitScores[step])
		n := step + 1
		if want := c.array(t, fmt.Sprintf("params_after_%d", n)); want != nil {
			abs, rel := 1e-6, 1e-4
			if n > 1 {
				abs, rel = 1e-5, 1e-4
			}
			if oracleSteep[c.Name] {
				abs = 1e-4
			}
			oracleClose(t, fmt.Sprintf("parameters after %d", n), net.Params(), want.Data, abs, rel, skip)
			if want := c.array(t, fmt.Sprintf("updater_state_after_%d", n)); want != nil {
				oracleClose(t, fmt.Sprintf("updater state after %d", n), net.UpdaterState(), want.Data, abs, rel, nil)
			}
		}
	}
	if net.Iteration() != c.IterationsAfter {
		t.Errorf("the iteration is %d, want %d", net.Iteration(), c.IterationsAfter)
	}
	oracleFiles(t, c, net)
}

// oracleFiles compares dl4go's files after training with Deeplearning4j's.
func oracleFiles(t *testing.T, c *oracleCase, net *Network) {
	if c.ModelAfter == "" {
		return
	}
	theirs, err := dl4j.OpenModel(t.Context(), filepath.Join(c.dir, c.ModelAfter))
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	want, err := theirs.Configuration()
	if err != nil {
		t.Fatal(err)
	}
	got, err := net.Configuration()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("configuration after training: %s", firstDifference(string(got), string(want)))
	}
	// Deeplearning4j's model, written again, holds the same entries.
	model := oracleLoad(t, filepath.Join(c.dir, c.ModelAfter))
	path := filepath.Join(t.TempDir(), "model.zip")
	if err := model.Save(t.Context(), path, SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	ours, err := dl4j.OpenModel(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	for _, entry := range []string{dl4j.ConfigurationEntry, dl4j.CoefficientsEntry, dl4j.UpdaterStateEntry,
		dl4j.NormalizerEntry} {
		if ours.Has(entry) != theirs.Has(entry) {
			t.Errorf("%s: ours %t, theirs %t", entry, ours.Has(entry), theirs.Has(entry))
			continue
		}
		if !ours.Has(entry) {
			continue
		}
		a, err := ours.Bytes(entry, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		b, err := theirs.Bytes(entry, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		if string(a) != string(b) {
			t.Errorf("%s: written again, its %d bytes are not the %d that were read", entry, len(a), len(b))
		}
	}
}
