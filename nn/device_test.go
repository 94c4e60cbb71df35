package nn

import (
	"errors"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// listing is a device that compiles no step, and keeps its programs.
type listing struct {
	program.Keeper
	programs []*program.Program
}

var errListed = errors.New("the programs are listed")

func (l *listing) CompileStep(programs ...*program.Program) (program.Executable, error) {
	l.programs = programs
	return nil, errListed
}

// A step on a device is one computation, also in gradient sharing. It stores each parameter by itself.
func TestStepOnDevice(t *testing.T) {
	net := newNet(t, Configuration{InputType: inputtype.FeedForward(4),
		Layers: []layer.Layer{layer.Dense{NOut: 5}, layer.Output{NOut: 3, Activation: activation.Softmax{},
			Loss: loss.NewMCXENT()}}})
	device := &listing{}
	net.SetExecutor(device)
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(2, 4)}, Labels: []*tensor.Dense{tensor.New(2, 3)}}
	want := []int{20, 5, 15, 3}
	for vector, step := range map[program.Vector]func() (float64, error){
		program.Params: func() (float64, error) { return net.Fit(m, Key{}) },
		program.Update: func() (float64, error) { return net.Updates(m, Key{}, nil) },
	} {
		if _, err := step(); !errors.Is(err, errListed) || len(device.programs) < 2 {
			t.Fatalf("%v: %d programs, %v", vector, len(device.programs), err)
		}
		var sizes []int
		for _, s := range device.programs[len(device.programs)-1].Stores {
			if s.Vector == vector {
				sizes = append(sizes, s.Value.Shape.Size())
			}
		}
		if !slices.Equal(sizes, want) {
			t.Errorf("%v is stored in ranges of %v, want %v", vector, sizes, want)
		}
	}
}
