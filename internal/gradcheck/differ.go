package gradcheck

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/program"
)

// Step is the part of a network that a check needs.
type Step interface {
	Gradient(m *data.MultiDataSet, key program.Key) (score float64, gradient []float32, err error)
	Score(m *data.MultiDataSet, training bool) (float64, error)
	Params() []float32
	OutputRows() []int
	SetExecutor(program.Executor)
	Close()
}

// Range is a parameter to check: its place in the flat vectors.
type Range struct {
	Name         string
	Offset, Size int
}

const (
	shift     = 1e-6 // of a parameter, for the difference
	relative  = 1e-6 // largest difference between derived and measured, relative to the sum of both
	absolute  = 2e-8
	offStart  = 0.1 // how far parameters are moved off their initial values, since biases, for example, are 0
	seedOfKey = 1
)

// DifferenceError is a gradient that differs from the measured differences.
type DifferenceError struct {
	Derived, Measured float64
	Param             string
	Element           int
}

func (e *DifferenceError) Error() string {
	return fmt.Sprintf("the gradient of element %d of %s is %v, by differences %v", e.Element, e.Param, e.Derived,
		e.Measured)
}

// Network compares the gradient of a minibatch, in training, with central differences of its loss, in float64 on the
// naive executor. It starts from the network's parameters, moved a little at random. The network is left unchanged,
// except that it has a new executor. The first parameter element that differs is a *DifferenceError.
func Network(net Step, m *data.MultiDataSet, params []Range) error {
	r := &recorder{}
	net.SetExecutor(r)
	defer net.Close()
	backward, err := r.record(func() error { _, _, err := net.Gradient(m, program.Key{Seed: seedOfKey}); return err })
	if err != nil {
		return err
	}
	forward, err := r.record(func() error { _, err := net.Score(m, true); return err })
	if err != nil {
		return err
	}
	x, numbers := wide(net.Params()), random.NewSource(5)
	for i := range x {
		x[i] += offStart * numbers.Normal()
	}
	gradient := make([]float64, len(x))
	for _, c := range []*recorded{backward, forward} {
		c.bindings.Vectors[program.Params], c.bindings.Vectors[program.Gradient] = x, gradient
	}
	if err := backward.run(); err != nil {
		return err
	}
	rows := float64(net.OutputRows()[0]) // of an example; the score is the mean over the examples
	value := func() (float64, error) {
		err := forward.run()
		sum := 0.0
		for _, loss := range forward.exe.Output(0) {
			sum += loss
		}
		return rows * sum, err
	}
	sum, err := value()
	if err != nil {
		return err
	}
	if loss := rows * backward.exe.Output(0)[0]; math.Abs(sum-loss) > 1e-12*(1+math.Abs(loss)) {
		return fmt.Errorf("the sum of the losses is %v forward alone, %v with its gradient", sum, loss)
	}
	return differ(gradient, x, params, value)
}

// differ measures the derivatives of value by the parameters x, and compares them with gradient.
func differ(gradient, x []float64, params []Range, value func() (float64, error)) error {
	moved := false
	for _, p := range params {
		for i := range p.Size {
			at := &x[p.Offset+i]
			old := *at
			*at = old + shift
			up, err := value()
			if err != nil {
				return err
			}
			*at = old - shift
			down, err := value()
			if err != nil {
				return err
			}
			*at = old
			measured, derived := (up-down)/(2*shift), gradient[p.Offset+i]
			moved = moved || measured != 0
			if off := math.Abs(derived - measured); !(off <= relative*(math.Abs(measured)+math.Abs(derived))+absolute) {
				return &DifferenceError{derived, measured, p.Name, i}
			}
		}
	}
	if !moved {
		return errors.New("the loss depends on no parameter")
	}
	return nil
}

// recorder is an executor that runs nothing: it records the program that it should run, and the program's inputs.
type recorder struct{ last *recorded }

// recorded is a program, compiled in float64, with its inputs.
type recorded struct {
	exe      *naive.Executable[float64]
	bindings naive.Bindings[float64]
}

func (r *recorded) run() error { return r.exe.Run(&r.bindings) }

// record returns the program that a network runs in f.
func (r *recorder) record(f func() error) (*recorded, error) {
	r.last = nil
	if err := f(); r.last == nil {
		if err == nil {
			err = errors.New("the network ran nothing")
		}
		return nil, err
	}
	return r.last, nil
}

// Compile compiles in float64.
func (r *recorder) Compile(p *program.Program) (program.Executable, error) {
	exe, err := naive.Compile[float64](p)
	return &recording{r, exe, p}, err
}

// recording is an executable of the recorder.
type recording struct {
	to  *recorder
	exe *naive.Executable[float64]
	p   *program.Program
}

var errRecorded = errors.New("recorded, not run")

func (e *recording) Run(b *program.Bindings) error {
	c := &recorded{exe: e.exe, bindings: naive.Bindings[float64]{Key: program.Key{Seed: seedOfKey}}}
	for _, x := range b.Inputs {
		c.bindings.Inputs = append(c.bindings.Inputs, wide(x))
	}
	e.to.last = c
	return errRecorded
}

func (e *recording) Output(i int) []float32 {
	return make([]float32, e.p.Outputs[i].Value.Shape.Size())
}

func (e *recording) Memory() int64 { return e.exe.Memory() }

func (e *recording) Dump(io.Writer) error { return nil }

func wide(x []float32) []float64 {
	y := slices.Grow([]float64(nil), len(x))
	for _, v := range x {
		y = append(y, float64(v))
	}
	return y
}
