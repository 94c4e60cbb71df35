package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/npy"
	"github.com/dl4go/dl4go/tensor"
)

// evaluations are the types, by Deeplearning4j's class; the names of ROCs with 30 steps say so.
var evaluations = map[string]string{"Evaluation": "classification", "EvaluationBinary": "binary", "ROC": "roc",
	"ROCBinary":     "roc-binary",
	"ROCMultiClass": "roc-multiclass", "RegressionEvaluation": "regression", "EvaluationCalibration": "calibration"}

// TestEvaluateArrays evaluates arrays that Deeplearning4j evaluated: metrics and state agree.
func TestEvaluateArrays(t *testing.T) {
	const cases = "../../eval/testdata"
	compared := 0
	for _, name := range []string{"binary-single", "binary-softmax2", "multiclass3", "multilabel", "regression",
		"timeseries-mask"} {
		var manifest struct {
			Files map[string]struct {
				File  string
				Shape []int
			}
		}
		readJSON(t, filepath.Join(cases, name, "manifest.json"), &manifest)
		metrics := map[string]map[string]any{}
		readJSON(t, filepath.Join(cases, name, "metrics.json"), &metrics)
		var args []string
		for array, f := range manifest.Files {
			raw, err := os.ReadFile(filepath.Join(cases, name, f.File))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), array+".npy")
			saveArray(t, path, tensor.MustOf(singles(raw), f.Shape...))
			args = append(args, "--"+array, path)
		}
		for _, steps := range []int{0, 30} {
			types := map[string]string{}
			var list []string
			for class, kind := range evaluations {
				file := class
				if strings.HasPrefix(class, "ROC") && steps > 0 {
					file += strconv.Itoa(steps)
				}
				if metrics[file] != nil {
					types[kind] = file
					list = append(list, kind)
				}
			}
			page := filepath.Join(t.TempDir(), "page.html")
			out := dl4go(t, append([]string{"evaluate", "--types", strings.Join(list, ","), "--threshold-steps",
				strconv.Itoa(steps), "--json", "--html", page}, args...)...)
			var last map[string]json.RawMessage
			lines := strings.Split(strings.TrimSpace(out), "\n")
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
				t.Fatal(err)
			}
			for kind, file := range types {
				var got struct {
					State   json.RawMessage
					Metrics map[string]any
				}
				if err := json.Unmarshal(last[kind], &got); err != nil {
					t.Fatalf("%s %s: %v", name, kind, err)
				}
				for metric, want := range metrics[file] {
					compared++
					if !nearly(got.Metrics[metric], want) {
						t.Errorf("%s %s %s: %v, want %v", name, file, metric, got.Metrics[metric], want)
					}
				}
				e, err := eval.Unmarshal(got.State)
				if err != nil {
					t.Fatalf("%s %s: %v", name, file, err)
				}
				if kind == "regression" { // package eval tests its text: Deeplearning4j sums a minibatch as float32
					continue
				}
				stats, err := os.ReadFile(filepath.Join(cases, name, file+".stats.txt"))
				if err != nil || e.Stats() != string(stats) {
					t.Errorf("%s %s: the state prints\n%s\nwant\n%s (%v)", name, file, e.Stats(), stats, err)
				}
			}
			b, err := os.ReadFile(page)
			evaluations := bytes.Count(b, []byte("<h2>"))
			for _, about := range []string{"Hardest examples", "Predicted and true values"} {
				evaluations -= bytes.Count(b, []byte("<h2>"+about+"</h2>"))
			}
			if err != nil || evaluations != len(types) {
				t.Errorf("%s: the page has %d evaluations of %d (%v)", name, evaluations, len(types), err)
			}
		}
	}
	if compared < 300 {
		t.Errorf("only %d metrics were compared", compared)
	}
}

// nearly compares numbers, or lists of them, within 1e-6.
func nearly(got, want any) bool {
	switch w := want.(type) {
	case float64:
		g, ok := got.(float64)
		return ok && near.Equal(g, w, 1e-6, 0)
	case []any:
		g, ok := got.([]any)
		for i := range w {
			ok = ok && len(g) == len(w) && nearly(g[i], w[i])
		}
		return ok
	}
	return got == want
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func saveArray(t *testing.T, path string, a *tensor.Dense) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := npy.NewWriter(f, a.Shape[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Rows(a); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// dl4go runs the program and returns its output.
func dl4go(t *testing.T, args ...string) string {
	t.Helper()
	defer collectAsBefore()()
	root := rootCommand(installed(args)...)
	var out, warnings bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&warnings)
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return out.String()
}

// TestEvaluateMistakes: each error names the mistake, and no page is written.
func TestEvaluateMistakes(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, shape []int, x ...float32) string {
		path := filepath.Join(dir, name)
		saveArray(t, path, tensor.MustOf(x, shape...))
		return path
	}
	p, l := file("p.npy", []int{2, 2}, .2, .8, .6, .4), file("l.npy", []int{2, 2}, 0, 1, 1, 0)
	long, soft := file("long.npy", []int{3, 2}, 0, 1, 1, 0, 1, 0), file("soft.npy", []int{2, 2}, .1, .9, 1, 0)
	numbers := file("numbers.npy", []int{2, 1}, 0, 1)
	mask, none := file("mask.npy", []int{3}, 1, 1, 1), file("none.npy", []int{0, 2})
	nothing := file("nothing.npy", []int{2}, 0, 0)
	text := filepath.Join(dir, "text.npy")
	if err := os.WriteFile(text, binary.LittleEndian.AppendUint64(nil, 7), 0o600); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(dir, "page.html")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"--labels is needed", []string{"--predictions", p, "--types", "roc"}},
		{"--predictions is needed", []string{"--labels", l, "--types", "roc"}},
		{"--types is needed", []string{"--predictions", p, "--labels", l}},
		{"did you mean roc-binary?", []string{"--predictions", p, "--labels", l, "--types", "roc-binari"}},
		{"roc is there twice", []string{"--predictions", p, "--labels", l, "--types", "roc,binary,roc"}},
		{"--threshold-steps -1", []string{"--predictions", p, "--labels", l, "--types", "roc", "--threshold-steps", "-1"}},
		{"--model has no effect", []string{"--predictions", p, "--labels", l, "--types", "roc", "--model", "x.zip"}},
		{"their shapes differ", []string{"--predictions", p, "--labels", long, "--types", "roc"}},
		{"labels have a column for each class", []string{"--predictions", p, "--labels", numbers, "--types", "roc"}},
		{"is 0.1, not 0 or 1", []string{"--predictions", p, "--labels", soft, "--types", "binary"}},
		{"a mask has the shape [2] for examples, or [2, 2] for single outputs", []string{"--predictions", p, "--labels", l,
			"--types", "roc", "--mask", mask}},
		{"nothing.npy: evaluation 0 (ROC) counts nothing", []string{"--predictions", p, "--labels", l, "--types", "roc",
			"--mask", nothing}},
		{"at least one example", []string{"--predictions", none, "--labels", none, "--types", "roc"}},
		{"text.npy: it is no .npy file", []string{"--predictions", p, "--labels", text, "--types", "roc"}},
		{"--html", []string{"--predictions", p, "--labels", l, "--types", "roc", "--html",
			filepath.Join(dir, "no", "page.html")}},
	} {
		root := rootCommand()
		var out bytes.Buffer
		root.SetOut(&out)
		root.SetErr(&out)
		root.SetArgs(append([]string{"evaluate", "--html", page}, c.args...))
		if err := root.ExecuteContext(t.Context()); err == nil || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%q: error %v, want one with %q", c.args, err, c.want)
		}
		if _, err := os.Stat(page); err == nil {
			t.Errorf("%q: a page is there", c.args)
		}
	}
}
