package nn

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// crowded is an executor that reports, for programs with large inputs, that others have taken the memory.
type crowded struct {
	program.Executor
	most int // elements of an input that fits
}

func (c *crowded) Compile(p *program.Program) (program.Executable, error) {
	x, err := c.Executor.Compile(p)
	return &crowdedProgram{x, c}, err
}

type crowdedProgram struct {
	program.Executable
	on *crowded
}

var errTaken = errors.New("RESOURCE_EXHAUSTED: out of memory")

func (x *crowdedProgram) Run(b *program.Bindings) error {
	for _, in := range b.Inputs {
		if len(in) > x.on.most {
			return &program.MemoryError{Device: "crowded", Needs: 3 << 20, Has: 8 << 20, Cause: errTaken}
		}
	}
	return x.Executable.Run(b)
}

// TestMemoryTaken: if others have taken the device's memory, the error of a run says how much the program needs and
// which batch fits at present. The network does not change.
func TestMemoryTaken(t *testing.T) {
	net := newNet(t, Configuration{InputType: inputtype.FeedForward(4),
		Layers: []layer.Layer{layer.Dense{NOut: 5}, layer.Output{NOut: 3, Activation: activation.Softmax{},
			Loss: loss.NewMCXENT()}}})
	device := &crowded{cpu.New(cpu.Options{Threads: 1}), 4 * 300}
	net.SetExecutor(device)
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(1024, 4)}, Labels: []*tensor.Dense{tensor.New(1024, 3)}}
	for i := range 1024 {
		m.Labels[0].Data[3*i] = 1
	}
	before := slices.Clone(net.Params())
	for most, want := range map[int]string{
		4 * 300: "the program needs 3 MiB; part of its 8 MiB is taken; a batch of 256 in place of 1024 fits: RESOURCE",
		0:       "not even a batch of 1 fits",
	} {
		device.most = most
		_, err := net.Fit(m, Key{})
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, errTaken) {
			t.Errorf("with memory for %d elements: %v", most, err)
		}
	}
	if !slices.Equal(net.Params(), before) || net.Iteration() != 0 {
		t.Error("a step without memory changed the network")
	}
	device.most = 4 * 1024
	if _, err := net.Fit(m, Key{}); err != nil {
		t.Error(err)
	}
}
