package onnx

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/serve"
	"github.com/dl4go/dl4go/tensor"
)

// golden holds ONNX Runtime's results for a model: see tools/onnx/models.py.
type golden struct {
	Names           []string
	Inputs, Outputs []struct {
		Shape []int
		Data  []float32
	}
	model []byte
}

func goldens(t testing.TB) map[string]golden {
	t.Helper()
	files, err := filepath.Glob("testdata/*.onnx")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no models in testdata: ", err)
	}
	all := map[string]golden{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".onnx")
		var g golden
		text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err == nil {
			err = json.Unmarshal(text, &g)
		}
		if err == nil {
			g.model, err = os.ReadFile(file)
		}
		if err != nil {
			t.Fatal(err)
		}
		all[name] = g
	}
	return all
}

func (g golden) data() (m *data.MultiDataSet, want []*tensor.Dense) {
	m = &data.MultiDataSet{}
	for _, x := range g.Inputs {
		m.Features = append(m.Features, &tensor.Dense{Shape: x.Shape, Data: x.Data})
	}
	for _, x := range g.Outputs {
		want = append(want, &tensor.Dense{Shape: x.Shape, Data: x.Data})
	}
	return m, want
}

// predicted returns a network's outputs, through its normalizer.
func predicted(t *testing.T, net *nn.Network, m *data.MultiDataSet) []*tensor.Dense {
	t.Helper()
	p, err := serve.New(net, serve.Options{Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	out, err := p.PredictData(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// compare checks that outputs agree within 1e-5.
func compare(t *testing.T, name string, got, want []*tensor.Dense) {
	t.Helper()
	for i, w := range want {
		if len(got) != len(want) || !got[i].Shape.Equal(w.Shape) {
			t.Errorf("%s: %d outputs, one of %v; want %d, and %v", name, len(got), got[i].Shape, len(want), w.Shape)
			return
		}
		for k, x := range w.Data {
			if !near.Equal(got[i].Data[k], x, 1e-5*max(1, math.Abs(float64(x))), 0) {
				t.Errorf("%s: element %d of output %d is %v, want %v", name, k, i, got[i].Data[k], x)
				return
			}
		}
	}
}

// TestModelsOfOtherPrograms: a network read from them computes ONNX Runtime's results, can be trained, can be saved as
// a model zip, and can be written as ONNX again.
func TestModelsOfOtherPrograms(t *testing.T) {
	for name, g := range goldens(t) {
		t.Run(name, func(t *testing.T) {
			net, err := Read(g.model, ReadOptions{Outputs: g.Names})
			if err != nil {
				t.Fatal(err)
			}
			defer net.Close()
			m, want := g.data()
			compare(t, "read", predicted(t, net, m), want)

			var zip bytes.Buffer
			if err := net.Write(&zip, nn.SaveOptions{}); err != nil {
				t.Fatal(err)
			}
			again, err := nn.UnmarshalNetwork(zip.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			compare(t, "as a model zip", predicted(t, again, m), want)

			var b bytes.Buffer
			if err := Write(&b, net, Options{}); err != nil {
				t.Fatal(err)
			}
			third, err := Read(b.Bytes(), ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer third.Close()
			compare(t, "written and read", predicted(t, third, m), want)

			before := slices.Clone(again.Params())
			for _, w := range want {
				labels := tensor.New(w.Shape...)
				for i := range labels.Data {
					labels.Data[i] = 0.5
				}
				m.Labels = append(m.Labels, labels)
			}
			if _, err := again.Fit(m, nn.Key{Seed: 1}); err != nil {
				t.Fatal(err)
			}
			if slices.Equal(before, again.Params()) {
				t.Error("a step of training changed nothing")
			}
		})
	}
}
