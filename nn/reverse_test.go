package nn

import (
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// TestReversalOfLongSequences: reversing sequences needs memory for the sequences only, not a matrix of steps by
// steps. It counts steps in integers, since float32 only has 2²⁴ of them. The program therefore has no such matrix and
// no such floats.
func TestReversalOfLongSequences(t *testing.T) {
	const rows, steps = 3, 3000
	for _, masked := range []bool{false, true} {
		back := vertex.ReverseTimeSeries{}
		if masked {
			back.MaskOf = "a"
		}
		g := newGraph(t, GraphConfiguration{Inputs: []string{"a"},
			InputTypes: []inputtype.Type{inputtype.Recurrent(1, steps)},
			Outputs:    []string{"pooled"},
			Vertices: []GraphVertex{point("back", back, "a"), {Name: "pooled", Layer: layer.GlobalPooling{},
				Inputs: []string{"back"}}}})
		x, mask := tensor.New(rows, 1, steps), tensor.New(rows, steps)
		for i := range x.Data {
			x.Data[i] = float32(i + 1)
			if i%3 != 1 || i >= 2*steps { // the last row has all steps
				mask.Data[i] = 1
			}
		}
		m := &data.MultiDataSet{Features: []*tensor.Dense{x}}
		if masked {
			m.FeatureMasks = []*tensor.Dense{mask}
		}
		got := must(g.FeedForward(m, false))[0].Data
		for row := range rows {
			var there []int
			for i := row * steps; i < (row+1)*steps; i++ {
				if !masked || mask.Data[i] != 0 {
					there = append(there, i)
				} else if got[i] != 0 {
					t.Errorf("masked %t: step %d, which is not there, became %v", masked, i, got[i])
				}
			}
			for k, i := range there {
				if want := x.Data[there[len(there)-1-k]]; got[i] != want {
					t.Fatalf("masked %t: step %d of row %d is %v, want %v", masked, i-row*steps, row, got[i], want)
				}
			}
		}
		for _, v := range must(g.plan(forActivations, false, m)).program.Values {
			if v.Kind == program.FromConst && len(v.Const) > 1 || v.Shape.Size() > x.Shape.Size() {
				t.Errorf("masked %t: the program has %v %v", masked, v, v.Shape)
			}
		}
	}
}
