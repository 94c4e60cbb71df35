//go:build dl4j

package nn

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// interop is a folder of files that dl4go writes and tools/dl4j/Interop.java opens with the real Deeplearning4j. The
// Java program leaves its results there, and each case's check compares them.
type interop struct {
	*testing.T
	dir   string
	cases []interopCase
}

type interopCase struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // MultiLayerNetwork, ComputationGraph, configuration, normalizer or data
	Fits int    `json:"fits"` // number of times that Deeplearning4j trains the network

	check func(t *testing.T, dir string, r *interopResult)
}

// interopResult is result.json.
type interopResult struct {
	Error      string // Java's stack trace if the case failed
	Score      any    // a number, or "NaN"
	FitScores  []any
	Guess      string // the class of network that Deeplearning4j guesses for the model file
	Class      string // of a normalizer, or of the network of a configuration
	Params     int    // number of parameters of that network
	LabelNames []string
	Metadata   []string
}

// TestDeeplearning4j opens dl4go's files in the real Deeplearning4j: networks of either kind with their updater state
// and normalizers, configurations, data sets. Outputs must agree, and training must go on to the same parameters. The
// class path is in DL4GO_DL4J: make test-dl4j runs it.
func TestDeeplearning4j(t *testing.T) {
	x := &interop{T: t, dir: t.TempDir()}
	x.oracle()
	x.built()
	x.normalizers()
	x.dataSets()
	x.commandLine()
	x.run()
}

// run lets Deeplearning4j process the cases, and checks each in a subtest.
func (x *interop) run() {
	classpath := os.Getenv("DL4GO_DL4J")
	if classpath == "" {
		x.Fatal("DL4GO_DL4J must have Deeplearning4j's class path: tools/dl4j.sh sets it, and make test-dl4j uses that")
	}
	x.must("cases.json", os.WriteFile(filepath.Join(x.dir, "cases.json"), must(json.Marshal(x.cases)), 0o644))
	java := exec.Command("java", "-Xmx2g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classpath,
		filepath.Join("..", "tools", "dl4j", "Interop.java"), x.dir)
	java.Env = append(os.Environ(), "OMP_NUM_THREADS=1") // arrays are small
	if out, err := java.CombinedOutput(); err != nil {
		x.Fatalf("java: %v\n%s", err, out)
	}
	for _, c := range x.cases {
		x.Run(c.Name, func(t *testing.T) {
			dir := filepath.Join(x.dir, c.Name)
			r := &interopResult{}
			if err := json.Unmarshal(must(os.ReadFile(filepath.Join(dir, "result.json"))), r); err != nil {
				t.Fatal(err)
			}
			if r.Error != "" {
				t.Fatalf("Deeplearning4j: %s", r.Error)
			}
			c.check(t, dir, r)
		})
	}
}

// oracle adds every network of the oracle.
func (x *interop) oracle() {
	dirs, err := filepath.Glob(filepath.Join(oracleNets(), "*", "manifest.json"))
	if err != nil || len(dirs) == 0 {
		x.Fatalf("no cases in %s: %v", oracleNets(), err)
	}
	for _, manifest := range dirs {
		c := oracleCase{dir: filepath.Dir(manifest)}
		c.read(x.T)
		net := oracleLoad(x.T, filepath.Join(c.dir, "model.zip"))
		limits := interopOracle[c.Name]
		if err := net.trainable(); err != nil {
			x.Logf("%s is for inference only: %v", c.Name, err)
			net.Close()
			continue
		}
		if limits.unlike == "" {
			limits.unlike = oracleMended[c.Name]
		}
		x.network("oracle/"+filepath.Base(c.dir), net, c.data(x.T), limits, SaveOptions{})
	}
}

// interopLimits are known differences of Deeplearning4j for a network, with their reasons.
type interopLimits struct {
	forgets   string // why the configuration that it reads differs from the written one
	score     string // why its score differs
	unlike    string // why training on gives other parameters, which must be numbers and must have changed
	untrained string // why it cannot be trained on
	first     string // why only the first epoch can be trained
}

// interopOracle lists differences of the oracle's cases that TestOracle's oracleMended does not list.
var interopOracle = map[string]interopLimits{
	"conf-dropout-schedules": {forgets: "AlphaDropout's schedule is written as pschedule, but read as pSchedule only",
		untrained: "AlphaDropout's p is NaN then"},
	"ocnn": {score: "r is what it is at first wherever a network is read",
		first: "a network that was read has no window of outputs, which later epochs ask for"},
}

// interopFits is the number of steps that both dl4go and Deeplearning4j train a network.
const interopFits = 2

// network trains a network for one step, so that no value is the initial one, and writes it.
func (x *interop) network(name string, net *Network, m *data.MultiDataSet, limits interopLimits, o SaveOptions) {
	defer net.Close()
	if limits.first == "" {
		net.SetEpoch(2)
	}
	_, err := net.Fit(m, Key{Seed: 1})
	x.must(name, err)
	dir := x.folder(name)
	x.must(name, net.Save(x.Context(), filepath.Join(dir, "model.zip"), o))
	x.model(name, m, limits)
}

// model adds a case for the file model.zip in the case's folder. Deeplearning4j must open it, give the same outputs,
// and train it on to the same parameters. dl4go reads the same file.
func (x *interop) model(name string, m *data.MultiDataSet, limits interopLimits) {
	dir := x.folder(name)
	net := oracleLoad(x.T, filepath.Join(dir, "model.zip"))
	defer net.Close()
	var err error
	w := &interopNetwork{limits: limits, normalizer: net.Normalizer(), kind: "MultiLayerNetwork"}
	graph := net.isGraph()
	if graph {
		w.kind = "ComputationGraph"
	}
	c := interopCase{Name: name, Kind: w.kind, Fits: interopFits, check: w.compare}
	if limits.untrained != "" {
		c.Fits = 0
	}
	x.cases = append(x.cases, c)
	w.configuration, err = net.Configuration()
	x.must(name, err)
	yaml, err := YAML(w.configuration)
	x.must(name, err)
	x.must(name, os.WriteFile(filepath.Join(dir, "configuration.yaml"), yaml, 0o644))
	x.data(name, m, graph)
	w.outputs, err = net.Output(m, false)
	x.must(name, err)
	w.score, err = net.Score(m, false)
	x.must(name, err)
	w.before = slices.Clone(net.Params())
	w.tiny = make([]bool, len(w.before))
	for range interopFits {
		_, gradient, err := net.Gradient(m, Key{})
		x.must(name, err)
		largest := 0.0
		for _, g := range gradient {
			largest = max(largest, math.Abs(float64(g)))
		}
		for i, g := range gradient {
			w.tiny[i] = w.tiny[i] || math.Abs(float64(g)) < 1e-6*largest
		}
		score, err := net.Fit(m, Key{})
		x.must(name, err)
		w.fitScores = append(w.fitScores, score)
	}
	w.params, w.state = slices.Clone(net.Params()), slices.Clone(net.UpdaterState())
	w.iteration, w.epoch = net.Iteration(), net.Epoch()
}

// data writes a case's minibatch, as a MultiDataSet or as a DataSet.
func (x *interop) data(name string, m *data.MultiDataSet, multi bool) {
	x.must(name, storage.WriteFile(context.Background(), filepath.Join(x.folder(name), "data.bin"),
		func(out io.Writer) error {
			if multi {
				return data.WriteMultiDataSet(out, m)
			}
			d, err := m.Single()
			if err != nil {
				return err
			}
			return data.WriteDataSet(out, d)
		}))
}

// folder makes a case's folder.
func (x *interop) folder(name string) string {
	dir := filepath.Join(x.dir, name)
	x.must(name, os.MkdirAll(dir, 0o755))
	return dir
}

// must ends the test with the name of the case if there is an error.
func (x *interop) must(name string, err error) {
	if err != nil {
		x.Helper()
		x.Fatalf("%s: %v", name, err)
	}
}

// interopNetwork holds the expected results of a network in Deeplearning4j.
type interopNetwork struct {
	kind             string
	limits           interopLimits
	configuration    []byte
	normalizer       []byte
	outputs          []*tensor.Dense
	score            float64
	before           []float32
	tiny             []bool // parameters whose gradients are as small as rounding errors
	fitScores        []float64
	params, state    []float32
	iteration, epoch int
}

func (w *interopNetwork) compare(t *testing.T, dir string, r *interopResult) {
	for _, form := range []string{"configuration", "configuration-yaml"} {
		if w.limits.forgets != "" {
			t.Logf("the %s is not compared: %s", form, w.limits.forgets)
		} else if theirs := must(os.ReadFile(filepath.Join(dir, form+".json"))); !bytes.Equal(theirs, w.configuration) {
			t.Errorf("%s, read and written by Deeplearning4j: %s", form,
				firstDifference(string(theirs), string(w.configuration)))
		}
	}
	if r.Guess != w.kind {
		t.Errorf("Deeplearning4j takes the file for a %s, not a %s", r.Guess, w.kind)
	}
	if w.normalizer != nil && !bytes.Equal(must(os.ReadFile(filepath.Join(dir, "normalizer-again.bin"))), w.normalizer) {
		t.Error("the normalizer that Deeplearning4j read is another")
	}
	out, err := data.ReadFile(t.Context(), filepath.Join(dir, "outputs.bin"))
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range w.outputs {
		oracleClose(t, fmt.Sprintf("output %d", i), out.Features[i].Data, o.Data, 1e-5, 1e-4, nil)
	}
	if w.limits.score != "" {
		t.Logf("the score is not compared: %s", w.limits.score)
	} else {
		oracleScore(t, "the score in inference", number(r.Score), w.score)
	}
	if w.limits.untrained != "" {
		t.Logf("not trained: %s", w.limits.untrained)
		return
	}
	after := oracleLoad(t, filepath.Join(dir, "after.zip"))
	defer after.Close()
	if w.limits.unlike != "" {
		t.Logf("parameters after training are not compared: %s", w.limits.unlike)
		moved := len(w.before) == 0
		for i, p := range after.Params() {
			moved = moved || p != w.before[i]
		}
		if err := after.CheckParams(); err != nil || !moved {
			t.Errorf("after training the parameters have moved: %t; %v", moved, err)
		}
		return
	}
	for i, s := range w.fitScores {
		oracleScore(t, fmt.Sprintf("the score of step %d", i+1), number(r.FitScores[i]), s)
	}
	for _, p := range after.ParamTable() {
		of := func(x []float32) []float32 { return x[p.Offset : p.Offset+p.Size] }
		oracleClose(t, p.Key+" after training", of(after.Params()), of(w.params), 1e-4, 3e-3,
			func(i int) bool { return w.tiny[p.Offset+i] })
	}
	oracleClose(t, "updater state after training", after.UpdaterState(), w.state, 1e-4, 3e-3, nil)
	if after.Iteration() != w.iteration || after.Epoch() != w.epoch {
		t.Errorf("after training iteration and epoch are %d and %d, want %d and %d", after.Iteration(), after.Epoch(),
			w.iteration, w.epoch)
	}
}

// number converts a number of result.json; JSON has no number for NaN.
func number(x any) float64 {
	if f, ok := x.(float64); ok {
		return f
	}
	return math.NaN()
}
