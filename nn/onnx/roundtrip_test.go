package onnx

import (
	"bytes"
	"math"
	"path/filepath"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
)

// TestRoundTrip: a network that was written is read again as a network of the same outputs.
func TestRoundTrip(t *testing.T) {
	for _, c := range oracleCases(t) {
		net, err := nn.LoadNetwork(t.Context(), filepath.Join(c.dir, "model.zip"))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		m := c.data(t)
		m = &data.MultiDataSet{Features: m.Features}
		var shapes [][]int
		for _, f := range m.Features {
			shapes = append(shapes, f.Shape[1:])
		}
		var b bytes.Buffer
		if err := Write(&b, net, Options{InputShapes: shapes}); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		again, err := Read(b.Bytes(), ReadOptions{})
		if err != nil {
			t.Logf("NOTREAD %s: %v", c.name, err)
			continue
		}
		want, err := net.Output(m, false)
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.Output(m, false)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		worst := 0.0
		for i := range want {
			if !want[i].Shape.Equal(got[i].Shape) {
				t.Errorf("%s: %v, %v", c.name, want[i].Shape, got[i].Shape)
				continue
			}
			for k, x := range want[i].Data {
				worst = max(worst, math.Abs(float64(x-got[i].Data[k]))/max(1, math.Abs(float64(x))))
			}
		}
		if !(worst <= 1e-5) {
			t.Errorf("%s: off by %g", c.name, worst)
		}
	}
}
