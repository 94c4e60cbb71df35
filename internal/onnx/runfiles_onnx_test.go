//go:build onnx

package onnx

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
)

// files writes the arrays of a run. If some sequences have masks, the others get masks of ones.
func files(dir, prefix string, net *nn.Network, m *data.MultiDataSet, out []*tensor.Dense,
	inputs, outputs []*onnxfile.Value) (r run, err error) {
	save := func(name string, a *tensor.Dense) array {
		file := prefix + "-" + name + ".f32"
		if e := os.WriteFile(filepath.Join(dir, file), floatBytes(a.Data), 0o666); e != nil {
			err = e
		}
		return array{name, a.Shape, file}
	}
	for i, f := range m.Features {
		r.Inputs = append(r.Inputs, save(inputs[len(r.Inputs)].Name, f))
		if m.FeatureMasks == nil || len(f.Shape) != 3 {
			continue
		}
		mask := m.FeatureMask(i)
		if mask == nil {
			mask = tensor.New(f.Shape[0], f.Shape[timeOf(net, i)])
			for i := range mask.Data {
				mask.Data[i] = 1
			}
		}
		r.Inputs = append(r.Inputs, save(inputs[len(r.Inputs)].Name, mask))
	}
	for i, x := range out {
		r.Outputs = append(r.Outputs, save(outputs[i].Name, x))
	}
	return r, err
}

func floatBytes(x []float32) []byte {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}
