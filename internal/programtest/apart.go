package programtest

import (
	"errors"
	"io"
	"math"

	"github.com/dl4go/dl4go/program"
)

// Apart is a device for tests: a [program.Keeper] whose vectors are in memory of their own. It computes with another
// executor. After a run, the host's copies of vectors that the run has stored are NaN until they are fetched.
type Apart struct {
	program.Executor
	// There and Back are the bytes of vectors and inputs that were copied to the device, and those of vectors and outputs
	// that were copied from it.
	There, Back int
}

// Keep makes room for vectors.
func (a *Apart) Keep() program.Kept { return &apart{of: a} }

// Compile compiles a program.
func (a *Apart) Compile(p *program.Program) (program.Executable, error) { return a.compile(p) }

// CompileStep compiles the programs of a step.
func (a *Apart) CompileStep(programs ...*program.Program) (program.Executable, error) {
	return a.compile(programs...)
}

func (a *Apart) compile(programs ...*program.Program) (program.Executable, error) {
	s := &apartStep{of: a, programs: programs}
	for _, p := range programs {
		x, err := a.Executor.Compile(p)
		if err != nil {
			return nil, err
		}
		s.parts = append(s.parts, x)
	}
	return s, nil
}

// apart are vectors on the device.
type apart struct {
	of      *Apart
	vectors [program.NumVectors][]float32
	host    [program.NumVectors][]float32
	there   [program.NumVectors]bool
	newer   [program.NumVectors]bool
}

func (k *apart) Fetch(v program.Vector) error {
	if k.newer[v] {
		k.of.Back += 4 * copy(k.host[v], k.vectors[v])
		k.newer[v] = false
	}
	return nil
}

func (k *apart) Changed(v program.Vector) { k.there[v], k.newer[v] = false, false }

func (k *apart) Close() { *k = apart{of: k.of} }

// send copies a vector to the device if it is not there.
func (k *apart) send(v program.Vector, host []float32) error {
	same := len(host) == len(k.host[v]) && (len(host) == 0 || &host[0] == &k.host[v][0])
	if k.there[v] && same {
		return nil
	}
	if k.newer[v] {
		return errors.New("a vector was bound to other memory while the device has a newer one")
	}
	k.vectors[v], k.host[v], k.there[v] = append(k.vectors[v][:0], host...), host, true
	if v != program.Gradient && v != program.Update { // these are stored as a whole
		k.of.There += 4 * len(host)
	}
	return nil
}

// apartStep is a compiled step.
type apartStep struct {
	of       *Apart
	programs []*program.Program
	parts    []program.Executable
}

func (s *apartStep) Run(b *program.Bindings) error {
	k, kept := b.Kept.(*apart)
	if !kept {
		k = &apart{of: s.of}
	}
	inputs, finite := b.Inputs, true
	for i, p := range s.programs {
		for v, n := range p.Lengths {
			if v := program.Vector(v); n > 0 && (v != program.Gradient || len(b.Vectors[v]) > 0) {
				if err := k.send(v, b.Vectors[v]); err != nil {
					return err
				}
			} else if n > 0 && len(k.vectors[v]) < n {
				k.vectors[v] = make([]float32, n)
			}
		}
		if i > 0 && i == len(s.programs)-1 && !finite {
			return nil
		}
		err := s.parts[i].Run(&program.Bindings{Inputs: inputs[:len(p.Inputs)], Vectors: k.vectors, Key: b.Key})
		if err != nil {
			return err
		}
		for _, in := range inputs[:len(p.Inputs)] {
			s.of.There += 4 * len(in)
		}
		inputs = inputs[len(p.Inputs):]
		for j, o := range p.Outputs {
			x := s.parts[i].Output(j)
			s.of.Back += 4 * len(x)
			finite = finite && (len(o.Value.Shape) > 0 || x[0]-x[0] == 0)
		}
		k.stored(p)
	}
	if !kept {
		for v := range k.host {
			if err := k.Fetch(program.Vector(v)); err != nil {
				return err
			}
		}
	}
	return nil
}

// stored notes that a program has stored into vectors.
func (k *apart) stored(p *program.Program) {
	for _, s := range p.Stores {
		if k.host[s.Vector] == nil || k.newer[s.Vector] {
			continue
		}
		k.newer[s.Vector] = true
		for i := range k.host[s.Vector] {
			k.host[s.Vector][i] = float32(math.NaN())
		}
	}
}

func (s *apartStep) Output(i int) []float32 {
	for k, p := range s.programs {
		if i < len(p.Outputs) {
			return s.parts[k].Output(i)
		}
		i -= len(p.Outputs)
	}
	return nil
}

func (s *apartStep) Memory() (n int64) {
	for _, x := range s.parts {
		n += x.Memory()
	}
	return n
}

func (s *apartStep) Dump(w io.Writer) (err error) {
	for _, x := range s.parts {
		err = errors.Join(err, x.Dump(w))
	}
	return err
}
