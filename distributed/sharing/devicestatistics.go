package sharing

import (
	"slices"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// onDevice has the programs for the statistics on a device. They are compiled when they are needed.
type onDevice struct {
	apart  program.Executable // takes the statistics' part out of an update
	moving program.Executable // the same, and moves the parameters by it
	get    program.Executable
	set    program.Executable
	values []float32
}

// run runs one of the programs.
func (d *device) run(x *program.Executable, build func() *program.Program, inputs ...[]float32) error {
	if *x == nil {
		var err error
		if *x, err = d.residual.Compile(build()); err != nil {
			return err
		}
	}
	return d.residual.Run(*x, inputs...)
}

// moveStatistics applies the statistics' part of an update on the device, and removes it from the update.
func (p *parameters) moveStatistics() error {
	d, s := p.device, &p.device.statistics
	switch {
	case len(p.statistics) == 0:
		return nil
	case !d.home:
		return d.run(&s.moving, func() *program.Program { return p.statistics.apart(true) })
	}
	err := d.run(&s.apart, func() *program.Program { return p.statistics.apart(false) })
	if err == nil {
		p.statistics.moveBy(p.net.Params(), s.apart.Output(0))
	}
	return err
}

// statisticsBytes encodes the statistics; nil if there are none.
func (p *parameters) statisticsBytes() ([]byte, error) {
	d := p.device
	if d == nil || d.home || len(p.statistics) == 0 {
		return p.statistics.bytes(p.net.Params()), nil
	}
	if err := d.run(&d.statistics.get, p.statistics.get); err != nil {
		return nil, err
	}
	return tensor.AppendBytes(nil, d.statistics.get.Output(0)), nil
}

func (p *parameters) SetStatistics(b []byte) error {
	d := p.device
	if d == nil {
		return p.statistics.set(p.net.Params(), b)
	}
	if err := p.catchUp(); err != nil { // others' messages come first
		return err
	}
	if d.home {
		return p.statistics.set(p.net.Params(), b)
	}
	if err := p.statistics.check(b); err != nil {
		return err
	}
	if len(p.statistics) == 0 {
		return nil
	}
	s := &d.statistics
	s.values = slices.Grow(s.values[:0], p.statistics.size())[:p.statistics.size()]
	tensor.FromBytes(s.values, b)
	return d.run(&s.set, p.statistics.program, s.values)
}

// apart returns the program that takes the statistics' part out of an update. Its output is that part, unless it moves
// the parameters.
func (s spans) apart(moves bool) *program.Program {
	b := program.NewBuilder()
	var parts []*program.Value
	for _, r := range s {
		n := r.To - r.From
		part := b.View(program.Update, r.From, n)
		parts = append(parts, part)
		b.Store(program.Update, r.From, b.Fill(0, n))
		if moves {
			b.Store(program.Params, r.From, b.Sub(b.View(program.Params, r.From, n), part))
		}
	}
	if !moves {
		b.Output("statistics", b.Concat(0, parts...))
	}
	return b.Build()
}

// get returns a program that reads the statistics.
func (s spans) get() *program.Program {
	b := program.NewBuilder()
	var parts []*program.Value
	for _, r := range s {
		parts = append(parts, b.View(program.Params, r.From, r.To-r.From))
	}
	b.Output("statistics", b.Concat(0, parts...))
	return b.Build()
}

// program returns the program that sets the statistics to its input.
func (s spans) program() *program.Program {
	b := program.NewBuilder()
	values, at := b.Input("statistics", s.size()), 0
	for _, r := range s {
		n := r.To - r.From
		b.Store(program.Params, r.From, b.Slice(values, 0, at, at+n))
		at += n
	}
	return b.Build()
}

// moveBy applies the statistics' part of an update.
func (s spans) moveBy(params, part []float32) {
	for _, r := range s {
		for i := r.From; i < r.To; i++ {
			params[i] -= part[i-r.From]
		}
		part = part[r.To-r.From:]
	}
}
